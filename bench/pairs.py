"""Reads `bench/data/pairs`: short notes of many invented worlds, and questions with one answer each.

A file has the worlds of one author, each in this form, where the number is that of the note that answers:

    ## A garage owner in a small town, with two mechanics
    - Labour rate goes up to £68 an hour from 1 March, pensioners stay at £60.
    - Customer wifi: GarageGuest / spanner22
    ? What do retired people pay us per hour? :: 1
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from prefrontal.graph.config.settings import ROOT

FOLDER = ROOT / "bench" / "data" / "pairs"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the place of the note that answers it, from 0."""

    text: str
    answer: int


@dataclass(frozen=True, slots=True)
class PairsWorld:
    """The notes of one person or team, and what is asked of them."""

    about: str
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def read_pairs(folder: Path = FOLDER) -> list[PairsWorld]:
    """Return the worlds of all files of a folder, by file name.

    Raises:
        ValueError: a line is of another form, or names a note that is not there; it says which line.
    """
    return [world for path in sorted(folder.glob("*.txt")) for world in _worlds_of(path)]


def _worlds_of(path: Path) -> list[PairsWorld]:
    """Return the worlds of a file."""
    worlds: list[PairsWorld] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        mark, _, text = line.partition(" ")
        if mark == "##" and text:
            worlds.append(PairsWorld(text))
        elif mark == "-" and text and worlds:
            worlds[-1].notes.append(text)
        elif mark == "?" and worlds:
            asked, _, answer = text.rpartition(" :: ")
            if not asked or not answer.isdecimal() or not 1 <= int(answer) <= len(worlds[-1].notes):
                raise ValueError(f"{path.name}, line {number}: a question ends in ` :: ` and a note's number")
            worlds[-1].questions.append(Question(asked, int(answer) - 1))
        elif line:
            raise ValueError(f"{path.name}, line {number}: no world (##), note (-) or question (?)")
    return worlds
