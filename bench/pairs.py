"""Reads `bench/data/pairs`: short notes of many invented worlds, and questions with one answer each.

A file has the worlds of one author, each in this form, where the number is that of a note:

    ## A garage owner in a small town, with two mechanics
    - Labour rate goes up to £68 an hour from 1 March, pensioners stay at £60.
    - Customer wifi: GarageGuest / spanner22
    ? What do retired people pay us per hour? :: 1
    ! how fast is the internet for customers :: 2
    > Pensioners pay like all others now :: 1 :: rate for the retired
    ~ Our own wifi is on the label of the router :: 2

The note answers a question (`?`); nothing answers it, but the note is the most tempting one (`!`); a newer
note changes the note, and both answer a question at their time (`>`); a note is like it, and both hold (`~`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from prefrontal.graph.config.settings import ROOT

_MARKS = ("?", "!", ">", "~")
FOLDER = ROOT / "bench" / "data" / "pairs"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the place of a note, from 0: the one that answers, or the most tempting one."""

    text: str
    note: int


@dataclass(frozen=True, slots=True)
class NewerNote:
    """A note that changes the one of a place; both answer the question, each at its time."""

    text: str
    changes: int
    question: str


@dataclass(frozen=True, slots=True)
class PairsWorld:
    """The notes of one person or team, and what is asked of them."""

    about: str
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    unanswered: list[Question] = field(default_factory=list)
    newer: list[NewerNote] = field(default_factory=list)
    alike: list[Question] = field(default_factory=list)
    """Notes that are like the one of a place, and change nothing of it."""


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
        elif mark in _MARKS and worlds:
            try:
                _add(worlds[-1], mark, text)
            except ValueError as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from None
        elif line:
            raise ValueError(f"{path.name}, line {number}: no world (##), note (-) or question (? ! > ~)")
    return worlds


def _add(world: PairsWorld, mark: str, text: str) -> None:
    """Add a line to a world.

    Raises:
        ValueError: It names no note.
    """
    question = ""
    if mark == ">":
        text, _, question = text.rpartition(" :: ")
    said, _, note = text.rpartition(" :: ")
    if not said or not note.isdecimal() or not 1 <= int(note) <= len(world.notes):
        raise ValueError("` :: ` and a note's number are missing")
    place = int(note) - 1
    if mark == ">":
        world.newer.append(NewerNote(said, place, question))
    else:
        {"?": world.questions, "!": world.unanswered, "~": world.alike}[mark].append(Question(said, place))
