"""Precision and recall of the contradiction detector on the labelled pairs of `bench/data`.

    python -m bench.contradictions [--misses]

    wording     `contradictions.yaml`: texts that are equal except for one thing, by their frames alone
    everyday    `contradiction_pairs.yaml`: everyday notes in different words, by frames and statements;
                nobody looks at what is missed of `test`, so `--misses` does not show it
    reworded    `contradictions_reworded.yaml`: pairs that the rules for different words were written with

A pair of everyday or reworded notes counts as found whatever kind of difference was found.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.scratch.contradiction import ContradictionDetector, RewordedDetector, WordingDetector
from prefrontal.graph.scratch.record import ConflictKind

DATA = Path(__file__).parent / "data"
PAIRS = DATA / "contradictions.yaml"
EVERYDAY = DATA / "contradiction_pairs.yaml"
REWORDED = DATA / "contradictions_reworded.yaml"
COMPATIBLE = "compatible"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts with their label: the kind of contradiction, or `compatible`."""

    one: str
    other: str
    kind: str


@dataclass(slots=True)
class Score:
    """The results of a detector on the pairs.

    found    contradictions that were detected, by label
    missed   contradictions that were not detected
    wrong    detections with another kind than the label, including all of compatible pairs
    false    compatible pairs detected as contradictions
    silent   compatible pairs without a detection
    """

    found: Counter[str] = field(default_factory=Counter)
    missed: list[Pair] = field(default_factory=list)
    wrong: list[tuple[Pair, str]] = field(default_factory=list)
    false: int = 0
    silent: int = 0

    @property
    def true(self) -> int:
        return self.found.total()

    @property
    def precision(self) -> float:
        return self.true / (self.true + self.false) if self.true + self.false else 1.0

    @property
    def recall(self) -> float:
        return self.true / (self.true + len(self.missed))


def read_pairs(path: Path = PAIRS, *, held_out: bool = False) -> list[Pair]:
    """Return the labelled pairs: those used to develop the rules, or the held-out ones."""
    lists = _loaded(path)
    lists = lists["held_out"] if held_out else lists
    labelled = [*lists["contradictions"].items(), (COMPATIBLE, lists[COMPATIBLE])]
    return [Pair(one, other, kind) for kind, pairs in labelled for one, other in pairs]


def read_everyday(split: str) -> list[Pair]:
    """Return the everyday pairs of a split, `tune` or `test`."""
    return [
        Pair(pair["one"], pair["other"], pair["kind"] if pair["contradicts"] else COMPATIBLE)
        for pair in _loaded(EVERYDAY)["pairs"]
        if pair["split"] == split
    ]


def _loaded(path: Path) -> Any:
    return YAML(typ="safe").load(path)


def compared(detector: ContradictionDetector, one: str, other: str) -> ConflictKind | None:
    """Return what a detector finds between two texts, by their frames or, if these differ, inferred."""
    if detector.frame(one) == detector.frame(other):
        return detector.compare(one, other)
    return detector.infer(one, other) if isinstance(detector, RewordedDetector) else None


def score(detector: ContradictionDetector, pairs: list[Pair], *, reworded: bool = False) -> Score:
    """Return the results of a detector on the pairs; with `reworded` also of texts of different frames."""
    result = Score()
    for pair in pairs:
        same_frame = detector.frame(pair.one) == detector.frame(pair.other)
        kind = compared(detector, pair.one, pair.other) if same_frame or reworded else None
        if kind is None:
            if pair.kind == COMPATIBLE:
                result.silent += 1
            else:
                result.missed.append(pair)
            continue
        if pair.kind == COMPATIBLE:
            result.false += 1
        else:
            result.found[pair.kind] += 1
        if kind.value != pair.kind:
            result.wrong.append((pair, kind.value))
    return result


def main() -> None:
    """Print the tables."""
    detector = WordingDetector(load_catalog(load_settings().registry_dir).contradiction)
    misses = "--misses" in sys.argv
    show("wording, seen", score(detector, read_pairs()), read_pairs(), misses=misses)
    held_out = read_pairs(held_out=True)
    show("wording, held out", score(detector, held_out), held_out, misses=misses)
    for title, pairs in (
        ("everyday, tune", read_everyday("tune")),
        ("everyday, test", read_everyday("test")),
        ("reworded, seen", read_pairs(REWORDED)),
        ("wording by statements too, seen", read_pairs()),
        ("wording by statements too, held out", held_out),
    ):
        result = score(detector, pairs, reworded=True)
        show(title, result, pairs, misses=misses and title != "everyday, test", kinds=False)


def show(title: str, result: Score, pairs: list[Pair], *, misses: bool, kinds: bool = True) -> None:
    """Print the results of a detector on the pairs; with `kinds` also which were found as another kind."""
    labels = Counter(pair.kind for pair in pairs)
    print(title)
    print(f"{'label':12} {'pairs':>5} {'found':>5}")
    for kind, number in labels.items():
        print(f"{kind:12} {number:5} {result.false if kind == COMPATIBLE else result.found[kind]:5}")
    print(f"precision {result.precision:.3f}  recall {result.recall:.3f}\n")
    if not misses:
        return
    for pair in result.missed:
        print(f"missed  {pair.kind}: {pair.one} | {pair.other}")
    for pair, detected in result.wrong:
        if kinds or pair.kind == COMPATIBLE:
            print(f"wrong   {pair.kind}, detected {detected}: {pair.one} | {pair.other}")


if __name__ == "__main__":
    main()
