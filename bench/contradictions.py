"""Precision and recall of the contradiction detector on the labelled pairs of `bench/data`.

python -m bench.contradictions [--misses]
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from ruamel.yaml import YAML

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.scratch.contradiction import ContradictionDetector, WordingDetector

PAIRS = Path(__file__).parent / "data" / "contradictions.yaml"
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
        return self.true / (self.true + self.false)

    @property
    def recall(self) -> float:
        return self.true / (self.true + len(self.missed))


def read_pairs(path: Path = PAIRS, *, held_out: bool = False) -> list[Pair]:
    """Return the labelled pairs: those used to develop the rules, or the held-out ones."""
    lists = YAML(typ="safe").load(path)
    lists = lists["held_out"] if held_out else lists
    labelled = [*lists["contradictions"].items(), (COMPATIBLE, lists[COMPATIBLE])]
    return [Pair(one, other, kind) for kind, pairs in labelled for one, other in pairs]


def score(detector: ContradictionDetector, pairs: list[Pair]) -> Score:
    """Return the results of a detector on the pairs."""
    result = Score()
    for pair in pairs:
        same_frame = detector.frame(pair.one) == detector.frame(pair.other)
        kind = detector.compare(pair.one, pair.other) if same_frame else None
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
    """Print the table."""
    table = load_catalog(load_settings().registry_dir).contradiction
    for held_out in (False, True):
        print("held out" if held_out else "seen")
        show(WordingDetector(table), read_pairs(held_out=held_out))


def show(detector: ContradictionDetector, pairs: list[Pair]) -> None:
    """Print the results of a detector on the pairs."""
    result = score(detector, pairs)
    labels = Counter(pair.kind for pair in pairs)
    print(f"{'label':12} {'pairs':>5} {'found':>5}")
    for kind, number in labels.items():
        print(f"{kind:12} {number:5} {result.false if kind == COMPATIBLE else result.found[kind]:5}")
    print(f"precision {result.precision:.3f}  recall {result.recall:.3f}")
    if "--misses" in sys.argv:
        for pair in result.missed:
            print(f"missed  {pair.kind}: {pair.one} | {pair.other}")
        for pair, detected in result.wrong:
            print(f"wrong   {pair.kind}, detected {detected}: {pair.one} | {pair.other}")


if __name__ == "__main__":
    main()
