"""How likely what a search finds helps to answer: the constants of a relevance, and how well they fit.

    python -m bench.calibration [--pairs FILE] [--set FILE.KEY=VALUE]

Asked is every question of `bench/data/short` and `bench/data/everyday`, and of the sets `nothing` and
`updates` of `bench/data/truth`. Each of the best ten either answers or does not. For each sort of memory
(`graph/search/rules.py`) the logistic regression of that on the sum `alone` gives the constants
`search.encoders.NAME.relevance` of the encoder, from the `tune` halves alone.

The second table is of the `test` halves, with the constants of the registry: of what is given a relevance
within some bounds, how many answer, with the 95 % interval (Wilson, 1927). It is well calibrated if that is
within the bounds.

The third table says what a search would show of these ten with other bounds, of the notes of `short` and
`nothing`: how many of the questions with an answer have it in the first three, and how many of the others
find nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import everyday, truth, tuning
from bench.agent import Agent, agents_at
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.config.tables import SearchTable
from prefrontal.graph.search.rules import sort_of

BEST = 10
BOUNDS = (0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0)
SPLITS = ("tune", "test")
FLOORS = (0.04, 0.06, 0.08, 0.1)
LEAST = (-math.inf, -2.0, -1.5, -1.0)
ANSWERED = frozenset({"answerable", "several"})
"""Categories of questions that something answers, though it is not among the best."""


class Question(NamedTuple):
    """A question and the texts that answer it."""

    data: str
    split: str
    category: str
    text: str
    answers: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and something that it finds, best first."""

    data: str
    split: str
    category: str
    question: str
    text: str
    at: str
    sort: str
    alone: float
    answer: float | None
    order: float
    relevance: float
    is_answer: bool


async def pairs() -> list[Pair]:
    """Ask every question; return the best that each finds."""
    made: list[Pair] = []
    async with agents_at(truth.NOW) as agents:
        for name, drafts, questions in _worlds():
            agent = agents.make(name)
            await agent.remember(drafts)
            await agent.settle()
            for question in questions:
                made += await _found(agent, question)
    return made


def _worlds() -> Iterator[tuple[str, list[dict[str, object]], list[Question]]]:
    for data in ("short", "everyday"):
        notes, asked = everyday.read(data, "notes")["notes"], everyday.read(data, "questions")["questions"]
        texts = {note["id"]: note["text"] for note in notes}
        for world in dict.fromkeys(note["world"] for note in notes):
            questions = [
                Question(
                    data,
                    each["split"],
                    each["category"],
                    each["text"],
                    [texts[uid] for uid in each["answers"]],
                )
                for each in asked
                if each["world"] == world
            ]
            yield (
                f"{data}-{world}",
                [everyday.draft(note) for note in notes if note["world"] == world],
                questions,
            )
    for world in truth.read("nothing")["worlds"]:
        questions = [
            Question(
                "nothing",
                world["split"],
                case["kind"],
                case["question"],
                case.get("answers") or [case["answer"]],
            )
            for case in world["cases"]
        ]
        yield world["world"], truth.drafts(world["notes"]), questions
    updates = truth.read("updates")
    for case in updates["cases"]:
        own = case.get("both") or [case["before"], case["now"]]
        notes = [*own, *truth.unrelated("updates", case, updates["unrelated"])]
        asked = {case["kind"]: case["question"], "past": case.get("past_question")}
        questions = [
            Question("updates", case["split"], kind, text, own) for kind, text in asked.items() if text
        ]
        yield case["id"], truth.drafts(notes, n0=400, n1=40), questions


async def _found(agent: Agent, question: Question) -> list[Pair]:
    """Return the best that a question finds, also what is not shown."""
    found = await agent.ranked(question.text)
    return [
        Pair(
            *question[:4],
            text=each.hit.content,
            at=each.hit.at.isoformat(),
            sort=sort_of(each),
            alone=each.alone,
            answer=each.parts.answer,
            order=each.order,
            relevance=each.relevance,
            is_answer=each.hit.content in question.answers,
        )
        for each in found[:BEST]
    ]


def fitted(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return the middle and the slope with which the relevance of some pairs is most likely (Newton)."""
    sums = np.array([each.alone + (each.answer or 0.0) for each in pairs])
    design = np.column_stack([sums, np.ones(len(sums))])
    answers = np.array([each.is_answer for each in pairs], dtype=float)
    weights = np.zeros(2)
    for _ in range(50):
        likely = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        # A small penalty keeps the slope finite where a sum tells answers from the rest without a fault.
        curve = design.T @ (design * (likely * (1 - likely))[:, None]) + 1e-3 * np.eye(2)
        weights += np.linalg.solve(curve, design.T @ (answers - likely) - 1e-3 * weights)
    slope, constant = weights
    return float(-constant / slope), float(slope)


def kept(
    pairs: Sequence[Pair], split: str, floor: float, least: float, table: SearchTable
) -> tuple[float, float]:
    """Return the shares of questions with an answer that have it in the first three, and of rightly nothing.

    Args:
        pairs: What was found.
        split: Of which half.
        floor: From which relevance on a note is shown that is not sure.
        least: From which part `answer` on it is.
        table: What else decides.
    """
    questions: dict[tuple[str, str], list[Pair]] = {}
    for each in pairs:
        if each.split == split and each.data in {"short", "nothing"} and each.answer is not None:
            questions.setdefault((each.data, each.question), []).append(each)
    found, nothing = [], []
    for all_ in questions.values():
        best = max(_sum(each) for each in all_)
        shown = [
            each
            for each in all_
            if each.relevance >= table.sure
            or (each.relevance >= floor and (each.answer or 0.0) >= least and _sum(each) >= best - table.gap)
        ]
        if any(each.is_answer for each in all_):
            found.append(any(each.is_answer for each in shown[:3]))
        elif all_[0].category not in ANSWERED:
            nothing.append(not shown)
    return sum(found) / len(found), sum(nothing) / len(nothing)


def _sum(pair: Pair) -> float:
    return pair.alone + (pair.answer or 0.0)


def main() -> None:
    """Print the constants, the calibration curve, and what other bounds would show."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=__doc__)
    parser.add_argument(
        "--pairs", type=Path, metavar="FILE", help="keep what was found, a JSON line for each"
    )
    tuning.add_option(parser)
    given = parser.parse_args()
    with tuning.registry_of(parser, given.changes):
        made = asyncio.run(pairs())
    if given.pairs:
        given.pairs.write_text("".join(f"{json.dumps(asdict(each))}\n" for each in made), encoding="utf-8")
    console = Console()
    constants = Table("sort", "pairs", "answers", "middle", "slope", title="constants, from the tune halves")
    for sort in sorted({each.sort for each in made}):
        own = [each for each in made if each.sort == sort and each.split == "tune"]
        answers = sum(each.is_answer for each in own)
        if 0 < answers < len(own):
            middle, slope = fitted(own)
            constants.add_row(sort, str(len(own)), str(answers), f"{middle:.2f}", f"{slope:.2f}")
    console.print(constants)
    curve = Table("relevance", "pairs", "answers", "%", "95 %", title="of the test halves")
    for low, high in pairwise(BOUNDS):
        within = [each for each in made if each.split == "test" and low <= each.relevance < high]
        if within:
            answers = sum(each.is_answer for each in within)
            least, most = truth.interval(answers, len(within))
            shares = f"{100 * answers / len(within):.0f}", f"{100 * least:.0f}–{100 * most:.0f}"
            curve.add_row(f"{low:g}–{high:g}", str(len(within)), str(answers), *shares)
    console.print(curve)
    table = load_catalog(load_settings().registry_dir).search
    bounds = Table(
        "floor",
        "least answer",
        *(f"{split}: {what}" for split in SPLITS for what in ("first three", "nothing")),
    )
    for floor in FLOORS:
        for least in LEAST:
            held = [share for split in SPLITS for share in kept(made, split, floor, least, table)]
            bounds.add_row(f"{floor:g}", f"{least:g}", *(f"{100 * share:.1f}" for share in held))
    console.print(bounds)


if __name__ == "__main__":
    main()
