"""How well the service answers questions about everyday notes, and how often it is silent where none answers.

    python -m bench.everyday [--data everyday|short] [--split tune|test] [--misses] [--set FILE.KEY=VALUE]

The notes and questions are those of `bench/data/everyday`, or of `bench/data/short`. Each world of notes
is remembered by an agent of its own. Questions go through `searchMemory` of the GraphQL API, at the time that
the questions file says.

    first, in 3   the share of the answerable questions with an answer first, or among the first three
    precision     the share of the first three results that answer, over all questions that have results
    recall        the share of the answers that are among all results
    silent        the share of the unanswerable questions that find nothing
    mute          the share of the answerable questions that find nothing

The second table has for each world how many of its answerable questions have an answer among the first three,
how many find something else than an answer, and how many find something that is not to the point: neither an
answer nor a note that is `related`. Its last lines count the worlds that hold: at least 11 of 12 questions
have an answer among the first three, and at most one of 12 finds something else, or what is not to the point.

The third one is of contexts of 2,000 tokens for the same questions: how many notes one includes because they
are close to the prompt (found), and because they are new (recent); the share of the answers among all of them
(recall); where there is an answer, the share of those found that answer (precision); how often nothing is
found where there is no answer (silent); and the tokens of a context.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from ruamel.yaml import YAML

from bench import tuning
from bench.agent import Included, agents_at

DATA = Path(__file__).parent / "data"
BUDGET = 2000
"""Tokens of a context."""
FIRST = 3
DOZEN = 12


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question found: the notes' ids with their relevances, best first."""

    question: dict[str, Any]
    found: tuple[tuple[str, float], ...]
    ms: float
    context: Included

    @property
    def ranks(self) -> list[int]:
        right = self.question["answers"]
        return [place for place, (uid, _) in enumerate(self.found) if uid in right]

    @property
    def beside_the_point(self) -> bool:
        """Whether something is found that neither answers nor is related."""
        meant = {*self.question["answers"], *self.question.get("related", ())}
        return any(uid not in meant for uid, _ in self.found)


@dataclass(slots=True)
class Score:
    """The figures of some answers."""

    answers: list[Answer] = field(default_factory=list)

    def row(self) -> list[str]:
        able = [each for each in self.answers if each.question["answers"]]
        unable = [each for each in self.answers if not each.question["answers"]]
        shown = [uid in each.question["answers"] for each in self.answers for uid, _ in each.found[:FIRST]]
        recalled = [len(each.ranks) / len(each.question["answers"]) for each in able]
        shares = (
            [0 in each.ranks for each in able],
            [any(rank < FIRST for rank in each.ranks) for each in able],
            shown,
            recalled,
            [not each.found for each in unable],
            [not each.found for each in able],
        )
        return [str(len(self.answers)), *(_percent(share) for share in shares)]


def contexts_row(answers: Sequence[Answer]) -> list[str]:
    """Return the figures of the contexts of some questions."""
    able = [each for each in answers if each.question["answers"]]
    held = [key in each.question["answers"] for each in able for key in each.context.found]
    had = [key in each.context.keys for each in able for key in each.question["answers"]]
    empty = [not each.context.found for each in answers if not each.question["answers"]]
    found = sum(len(each.context.found) for each in answers)
    recent = sum(len(each.context.keys) for each in answers) - found
    tokens = sorted(each.context.tokens for each in answers)[len(answers) // 2]
    shares = (_percent(share) for share in (had, held, empty))
    return [
        str(len(answers)), f"{found / len(answers):.1f}", *shares, f"{recent / len(answers):.1f}", str(tokens)
    ]  # fmt: skip


def _percent(values: Sequence[float]) -> str:
    return "–" if not values else f"{100 * sum(values) / len(values):.1f}"


@dataclass(frozen=True, slots=True)
class OfWorld:
    """How many of the answerable questions of a world were answered, and how many found something else."""

    questions: int
    answered: int
    found_else: int
    beside_the_point: int

    @property
    def right(self) -> bool:
        """Whether 11 of 12 questions are answered, and one of 12 at most found something else."""
        return self._mostly_answered and self.found_else * DOZEN <= self.questions

    @property
    def to_the_point(self) -> bool:
        """Whether 11 of 12 questions are answered, and one of 12 at most found what is not to the point."""
        return self._mostly_answered and self.beside_the_point * DOZEN <= self.questions

    @property
    def _mostly_answered(self) -> bool:
        return self.answered * DOZEN >= self.questions * (DOZEN - 1)


def of_world(answers: Sequence[Answer]) -> OfWorld:
    """Return the figures of the answers to the questions of a world."""
    able = [each for each in answers if each.question["answers"]]
    return OfWorld(
        questions=len(able),
        answered=sum(any(rank < FIRST for rank in each.ranks) for each in able),
        found_else=sum(len(each.ranks) < len(each.found) for each in able),
        beside_the_point=sum(each.beside_the_point for each in able),
    )


def read(data: str, name: str) -> dict[str, Any]:
    """Return a file of a set of notes and questions."""
    found: dict[str, Any] = YAML(typ="safe").load((DATA / data / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def draft(note: dict[str, Any]) -> dict[str, Any]:
    """Return a note as what `remember` takes."""
    given = {
        "kind": note["kind"].upper(),
        "content": note["text"],
        "happenedAt": note.get("at"),
        "speaker": note.get("speaker"),
        "conversation": note.get("conversation"),
        "entities": [{"name": name} for name in note.get("entities", ())],
        "clientKey": note["id"],
    }
    return {name: value for name, value in given.items() if value is not None}


async def ask_all(data: str, split: str | None, least: float | None) -> list[Answer]:
    """Remember the notes and ask the questions; return the answers."""
    asked = read(data, "questions")
    notes = read(data, "notes")["notes"]
    answers = []
    async with agents_at(datetime.fromisoformat(asked["now"])) as agents:
        for world in sorted({note["world"] for note in notes}):
            agent = agents.make(world)
            await agent.remember([draft(note) for note in notes if note["world"] == world])
            await agent.settle()
            for question in asked["questions"]:
                if question["world"] != world or split not in (None, question["split"]):
                    continue
                text = question["text"]
                started = time.perf_counter()
                found = await agent.search(text, first=10, least=least)
                spent = (time.perf_counter() - started) * 1000
                answers.append(Answer(question, tuple(found), spent, await agent.context(text, BUDGET)))
    return answers


def worlds_table(answers: Sequence[Answer]) -> Table:
    """Return the figures of each world, and how many worlds are right and to the point."""
    table = Table("world", "split", "questions", "in the first three", "something else", "not to the point")
    made: dict[str, list[OfWorld]] = {}
    for world in sorted({each.question["world"] for each in answers}):
        there = [each for each in answers if each.question["world"] == world]
        split, found = there[0].question["split"], of_world(there)
        made.setdefault(split, []).append(found)
        numbers = (found.questions, found.answered, found.found_else, found.beside_the_point)
        table.add_row(world, split, *map(str, numbers))
    for split, worlds in sorted(made.items()):
        right, meant = sum(each.right for each in worlds), sum(each.to_the_point for each in worlds)
        table.add_row(f"{len(worlds)} worlds", split, "", "", f"{right} hold", f"{meant} hold")
    return table


def show(answers: Sequence[Answer], *, misses: bool) -> None:
    """Print the figures, by split and category."""
    console = Console()
    table = Table("split", "category", "questions", "first", "in 3", "precision", "recall", "silent", "mute")
    groups: dict[tuple[str, str], Score] = {}
    for each in answers:
        for category in ("all", each.question["category"]):
            groups.setdefault((each.question["split"], category), Score()).answers.append(each)
    for (split, category), score in sorted(groups.items()):
        table.add_row(split, category, *score.row())
    console.print(table)
    console.print(worlds_table(answers))
    heads = ("split", "contexts", "found", "recall", "precision", "silent", "recent", "tokens (p50)")
    contexts = Table(*heads, title="Contexts")
    for split in sorted({each.question["split"] for each in answers}):
        contexts.add_row(split, *contexts_row([each for each in answers if each.question["split"] == split]))
    console.print(contexts)
    times = sorted(each.ms for each in answers)
    p50, p95 = times[len(times) // 2], times[-len(times) // 20]
    console.print(f"a request: {p50:.1f} ms (p50), {p95:.1f} ms (p95)")
    if misses:
        for each in answers:
            right = any(rank < FIRST for rank in each.ranks) if each.question["answers"] else not each.found
            if not right:
                wanted = ", ".join(each.question["answers"]) or "nothing"
                found = ", ".join(f"{uid} {score:.2f}" for uid, score in each.found[:3])
                console.print(f"{each.question['text']!r}: wanted {wanted}; found {found or 'nothing'}")


def main() -> None:
    """Print how well the questions are answered."""
    parser = argparse.ArgumentParser(prog="python -m bench.everyday", description=__doc__)
    parser.add_argument("--data", choices=("everyday", "short"), default="everyday", help="the notes")
    parser.add_argument("--split", choices=("tune", "test"), help="only the questions of this half")
    parser.add_argument("--least", type=float, help="the lowest relevance, in the place of the floor")
    parser.add_argument("--misses", action="store_true", help="list the questions that went wrong")
    tuning.add_option(parser)
    given = parser.parse_args()
    with tuning.registry_of(parser, given.changes):
        answers = asyncio.run(ask_all(given.data, given.split, given.least))
    show(answers, misses=given.misses)


if __name__ == "__main__":
    main()
