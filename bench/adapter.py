"""Learns the adapter of questions for notes (`graph/search/adapter.py`) from questions and their answers.

    python -m bench.adapter [--encoder e5-bge-small|FOLDER] [--write NAME]
                            [--rank R] [--steps N] [--rate A] [--temperature T] [--foreign W] [--keep K]

The questions and notes are those of `bench/data/pairs`. The loss is the cross-entropy of the right note among
the notes of its own world and of some sixty others (InfoNCE, van den Oord et al., "Representation Learning
with Contrastive Predictive Coding", 2018), where notes of another world weigh less. It is minimised with Adam
(Kingma and Ba, 2015), over all questions at once, so every run gives the same map; then the map is cut to its
rank.

The first table is cross-validated: the worlds are cut into five parts, and each part is asked with what was
learned from the other four. The second one has what was learned from all of them, asked of `bench/data/short`
and `bench/data/everyday`, of which nothing is learned. Both go by the cosines alone, without words, names and
the floor: `python -m bench.everyday` measures the service.

    first, in 3   how many questions have an answer first, or among the first three, of how many

`--write NAME` stores the map as `registry/adapters/NAME.npy`, for `adapter: NAME` in `registry/search.yaml`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.everyday import read
from bench.pairs import read_pairs
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.config.tables import AimTable, SearchTable, adapter_file
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.search.rules import aimed
from prefrontal.graph.text.encoder import Encoder
from prefrontal.graph.text.encoders import DEFAULT, encoder_of

MEASURED = ("short", "everyday")
PARTS = 5
FIRST = 3
COMPARED = 70
"""How many worlds are compared with each other at most: twice as many take four times as long."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class World:
    """The vectors of a world."""

    split: str
    notes: Array
    questions: Array
    """What is special about each question that has an answer, of unit length."""
    answers: Sequence[frozenset[int]]
    """The places of the notes that answer each."""


@dataclass(frozen=True, slots=True)
class Learning:
    """How the map is learned."""

    rank: int
    steps: int
    rate: float
    temperature: float
    foreign: float
    """How much a note of another world weighs."""
    keep: float
    """How strongly the map is drawn to zero."""


async def worlds_of(data: str, asking: Asking) -> list[World]:
    """Return the worlds of a set of `bench/data` that is measured, encoded."""
    notes, asked = read(data, "notes")["notes"], read(data, "questions")["questions"]
    asked = [question for question in asked if question["answers"]]
    texts = [passage_of(each["text"], each.get("speaker")) for each in notes]
    stored = np.array(await asking.encoder.passages(texts))
    special = await asking.special([each["text"] for each in asked])
    found = []
    for name in dict.fromkeys(note["world"] for note in notes):
        there = [k for k, note in enumerate(notes) if note["world"] == name]
        ids = {notes[k]["id"]: place for place, k in enumerate(there)}
        own = [k for k, question in enumerate(asked) if question["world"] == name]
        answers = [frozenset(ids[uid] for uid in asked[k]["answers"]) for k in own]
        found.append(World(notes[there[0]]["split"], stored[there], special[own], answers))
    return found


async def training_of(asking: Asking, progress: Progress) -> list[World]:
    """Return the worlds of which the map is learned, encoded."""
    worlds = read_pairs()
    found = []
    for world in progress.track(worlds, description="Encoding the worlds to learn from"):
        notes = np.array(await asking.encoder.passages([passage_of(text, None) for text in world.notes]))
        special = await asking.special([question.text for question in world.questions])
        answers = [frozenset({question.answer}) for question in world.questions]
        found.append(World("train", notes, special, answers))
    return found


@dataclass(frozen=True, slots=True)
class Asking:
    """Encodes questions as a search does, up to the adapter."""

    encoder: Encoder
    aim: AimTable
    usual: Sequence[float]

    @classmethod
    async def by(cls, encoder: Encoder, table: SearchTable) -> Asking:
        """Return what asks with an encoder."""
        usual = np.mean(await encoder.questions(table.usual_questions), axis=0)
        return cls(encoder, table.encoder(encoder.name).notes, usual.tolist())

    async def special(self, questions: Sequence[str]) -> Array:
        """Return what is special about each question."""
        vectors = await self.encoder.questions(questions)
        return np.array([aimed(vector, self.usual, self.aim)[0] for vector in vectors])


@dataclass(frozen=True, slots=True)
class Group:
    """Worlds whose questions are compared with the notes of all of them."""

    notes: Array
    questions: Array
    right: Array
    """Of each question and note, the share that the note has in the answer."""
    weights: Array
    """What is added to the logarithm of each note's score: nothing in the question's own world."""


def group_of(worlds: Sequence[World], foreign: float) -> Group:
    """Return worlds as a group."""
    notes = np.concatenate([world.notes for world in worlds]).astype(np.float32)
    questions = np.concatenate([world.questions for world in worlds]).astype(np.float32)
    right = np.zeros((len(questions), len(notes)), np.float32)
    weights = np.full(right.shape, np.log(foreign), np.float32)
    note = question = 0
    for world in worlds:
        weights[question : question + len(world.answers), note : note + len(world.notes)] = 0
        for place, answers in enumerate(world.answers, start=question):
            right[place, [note + each for each in answers]] = 1 / len(answers)
        note, question = note + len(world.notes), question + len(world.answers)
    return Group(notes, questions, right, weights)


def learned(worlds: Sequence[World], how: Learning) -> tuple[Array, Array]:
    """Return the map of these worlds as its two matrices of low rank, L and R."""
    number = -(-len(worlds) // COMPARED)
    groups = [group_of(worlds[k::number], how.foreign) for k in range(number)]
    asked = sum(len(group.questions) for group in groups)
    size = groups[0].notes.shape[1]
    moved, mean, square = (np.zeros((size, size), np.float32) for _ in range(3))
    for step in range(1, how.steps + 1):
        slope = how.keep * moved
        for group in groups:
            scores = (group.questions + group.questions @ moved.T) @ group.notes.T
            scores = scores / how.temperature + group.weights
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            wrong = scores / scores.sum(axis=1, keepdims=True) - group.right
            slope = slope + (wrong @ group.notes).T @ group.questions / (how.temperature * asked)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        moved -= how.rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    left, sizes, other = np.linalg.svd(moved)
    return left[:, : how.rank] * sizes[: how.rank], other[: how.rank]


def places(world: World, left: Array, right: Array) -> list[int]:
    """Return the place of the best answer to each question, 0 for the first."""
    scores = (world.questions + world.questions @ right.T @ left.T) @ world.notes.T
    order = np.argsort(-scores, axis=1)
    return [
        next(place for place, note in enumerate(row) if note in answers)
        for row, answers in zip(order.tolist(), world.answers, strict=True)
    ]


def row(name: str, found: Sequence[int]) -> tuple[str, ...]:
    """Return a row of a table."""
    return (
        name,
        str(sum(place == 0 for place in found)),
        str(sum(place < FIRST for place in found)),
        str(len(found)),
    )


def show(title: str, rows: Sequence[tuple[str, ...]], console: Console) -> None:
    """Print a table."""
    table = Table("questions", "first", "in 3", "of", title=title)
    for each in rows:
        table.add_row(*each)
    console.print(table)


async def run(encoder: Encoder, table: SearchTable, how: Learning, console: Console) -> tuple[Array, Array]:
    """Learn, print the tables and return the map."""
    asking = await Asking.by(encoder, table)
    with Progress(console=console, transient=True) as progress:
        training = await training_of(asking, progress)
    none = np.zeros((encoder.dimensions, 1)), np.zeros((1, encoder.dimensions))
    before, after = [], []
    for part in range(PARTS):
        left, right = learned([each for k, each in enumerate(training) if k % PARTS != part], how)
        for world in training[part::PARTS]:
            before += places(world, *none)
            after += places(world, left, right)
    show("Cross-validated", [row("without", before), row("with", after)], console)
    left, right = learned(training, how)
    rows = []
    for data in MEASURED:
        worlds = await worlds_of(data, asking)
        for split in sorted({world.split for world in worlds}):
            for name, maps in (("without", none), ("with", (left, right))):
                found = [place for each in worlds if each.split == split for place in places(each, *maps)]
                rows.append(row(f"{data}, {split}, {name}", found))
    show("Worlds of which nothing is learned", rows, console)
    return left, right


def store(file: Path, left: Array, right: Array) -> None:
    """Store a map as `read_adapter` takes it."""
    file.parent.mkdir(exist_ok=True)
    np.save(file, np.stack([left.T, right]).astype(np.float16))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.adapter", description=__doc__)
    parser.add_argument("--encoder", default=DEFAULT, help="as PREFRONTAL_ENCODER, but `none`")
    parser.add_argument("--write", metavar="NAME", help="store the map under this name")
    parser.add_argument("--rank", type=int, default=96, help="the rank of the map")
    parser.add_argument("--steps", type=int, default=60, help="how many steps of Adam")
    parser.add_argument("--rate", type=float, default=0.0002, help="the length of a step")
    parser.add_argument("--temperature", type=float, default=0.03, help="by which cosines are divided")
    parser.add_argument("--foreign", type=float, default=0.1, help="how much a note of another world weighs")
    parser.add_argument("--keep", type=float, default=0.0002, help="how strongly the map is drawn to zero")
    given, settings = parser.parse_args(), load_settings()
    encoder = encoder_of(given.encoder, settings.cache_dir, settings.encoder_threads)
    if encoder is None:
        parser.error("`none` encodes nothing")
    how = Learning(given.rank, given.steps, given.rate, given.temperature, given.foreign, given.keep)
    console = Console()
    found = asyncio.run(run(encoder, load_catalog(settings.registry_dir).search, how, console))
    if given.write:
        file = settings.registry_dir / adapter_file(given.write)
        store(file, *found)
        console.print(f"{file}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
