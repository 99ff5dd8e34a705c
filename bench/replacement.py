"""Whether a note changes an older one: the second head of the reranker (`graph/search/replacement.py`).

    python -m bench.replacement [--write]

The reranker reads two notes together, in both orders, and gives a vector for each. The head is the logistic
regression on both: whether the second note changes the first. It learns from `bench/data/pairs`: a newer note
and the one that it changes (yes), a note that is like another one where both hold (no), and either beside the
notes that are nearest to it (no).

The table is of every fifth world, of which nothing is learned for it: how many of the pairs of each kind have
a logit above 0. `--write` learns from all worlds, and stores the head for the service. It takes five minutes
on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.pairs import PairsWorld, read_pairs
from bench.truth import interval
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.text.encoder import Encoder
from prefrontal.graph.text.encoders import DEFAULT, encoder_of, reranker_files
from prefrontal.graph.text.low_rank import BIAS, CHANGES, WEIGHT
from prefrontal.graph.text.model_files import RERANKER
from prefrontal.graph.text.onnx_reranker import CrossModel

KINDS = ("newer", "alike", "near")
NEAR = 2
"""How many of the nearest notes each note is read with."""
RIDGE = 100.0
"""How little single numbers of the vectors count."""
STEPS = 12
HELD_OUT = 5


class Pair(NamedTuple):
    """A note and an older one."""

    world: int
    kind: str
    newer: str
    older: str


async def pairs(worlds: Sequence[PairsWorld], encoder: Encoder) -> list[Pair]:
    """Return the pairs of all worlds that have newer notes."""
    return [
        pair
        for number, world in enumerate(worlds)
        if world.newer
        for pair in await _pairs_of(number, world, encoder)
    ]


async def _pairs_of(number: int, world: PairsWorld, encoder: Encoder) -> list[Pair]:
    own = [("newer", each.text, each.changes) for each in world.newer]
    own += [("alike", each.text, each.note) for each in world.alike]
    notes = np.array(await encoder.passages(world.notes))
    near = np.array(await encoder.passages([text for _, text, _ in own])) @ notes.T
    made = []
    for (kind, text, place), cosines in zip(own, near, strict=True):
        made.append(Pair(number, kind, text, world.notes[place]))
        others = [int(other) for other in np.argsort(-cosines) if other != place][:NEAR]
        made += [Pair(number, "near", text, world.notes[other]) for other in others]
    return made


def read(found: Sequence[Pair]) -> np.ndarray:
    """Return the vectors of the pairs."""
    files = reranker_files(load_settings().cache_dir)
    model = CrossModel(files.provide(), files.options, files.tuning)
    with ThreadPoolExecutor(os.cpu_count()) as readers:
        vectors: Iterator[np.ndarray] = readers.map(lambda pair: model.both(pair.newer, pair.older), found)
        return np.array(list(track(vectors, "Reading", total=len(found))))


def fitted(vectors: np.ndarray, found: Sequence[Pair]) -> tuple[np.ndarray, float]:
    """Return the weights and the constant of the most likely logits (Newton, with a penalty)."""
    changes = np.array([pair.kind == "newer" for pair in found], dtype=float)
    middle, spread = vectors.mean(axis=0), vectors.std(axis=0)
    design = np.column_stack([(vectors - middle) / spread, np.ones(len(vectors))])
    penalty = np.full(design.shape[1], RIDGE)
    penalty[-1] = 0.0
    learned = np.zeros(design.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-design @ learned))
        curve = (design.T * (likely * (1 - likely))) @ design + np.diag(penalty)
        learned += np.linalg.solve(curve, design.T @ (changes - likely) - penalty * learned)
    head = learned[:-1] / spread
    return head, float(learned[-1] - head @ middle)


def store(head: np.ndarray, constant: float) -> None:
    """Store the head beside what the reranker has learned."""
    with np.load(RERANKER, allow_pickle=False) as stored:
        whole = dict(stored)
    whole |= {CHANGES + WEIGHT: head.astype(np.float32), CHANGES + BIAS: np.array([constant], np.float32)}
    np.savez(RERANKER, allow_pickle=False, **whole)


def main() -> None:
    """Print how many pairs are read as a change, and store the head if asked to."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.replacement",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="store what is learned, for the service")
    given = parser.parse_args()
    encoder = encoder_of(DEFAULT, load_settings().cache_dir, os.cpu_count() or 1)
    if encoder is None:
        parser.error("there is no encoder")
    found = asyncio.run(pairs(read_pairs(), encoder))
    vectors = read(found)
    held = np.array([pair.world % HELD_OUT == 0 for pair in found])
    learned = [pair for pair, out in zip(found, held, strict=True) if not out]
    tested = [pair for pair, out in zip(found, held, strict=True) if out]
    head, constant = fitted(vectors[~held], learned)
    logits = vectors @ head + constant
    table = Table("pairs", "number", "read as a change", "%", "95 %", title=f"every {HELD_OUT}th world")
    for kind in KINDS:
        own = [logit > 0 for logit, pair in zip(logits[held], tested, strict=True) if pair.kind == kind]
        least, most = interval(sum(own), len(own))
        share = f"{100 * sum(own) / len(own):.0f}"
        table.add_row(kind, str(len(own)), str(sum(own)), share, f"{100 * least:.0f}–{100 * most:.0f}")
    console = Console()
    console.print(table)
    if given.write:
        store(*fitted(vectors, found))
        console.print(f"stored in {RERANKER}")


if __name__ == "__main__":
    main()
