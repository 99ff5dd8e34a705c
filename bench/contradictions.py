"""Precision and recall of the contradiction detector on the labelled pairs of `bench/data`.

python -m bench.contradictions [--misses]
python -m bench.contradictions --everyday [--split tune|test] [--misses]

The first measures what the rules on wording were written for, the second everyday notes. `--misses` shows the
pairs that were judged wrongly; nobody looks at those of `test` to change a rule.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ruamel.yaml import YAML

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.scratch.contradiction import ContradictionDetector, WordingDetector

PAIRS = Path(__file__).parent / "data" / "contradictions.yaml"
EVERYDAY = Path(__file__).parent / "data" / "contradiction_pairs.yaml"
COMPATIBLE = "compatible"
KINDS = {
    "amount": ("number", "unit"),
    "day": ("date",),
    "place": ("place",),
    "like": ("opposite",),
    "negation": ("negation",),
    "person": ("name",),
    "state": ("opposite",),
}
"""By the label of an everyday pair, the kinds of the detector that say the same."""


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

    def of(self, label: str) -> tuple[int, int, float | None, float]:
        """The number of pairs with a label, of those found, and the precision and recall of the label.

        The precision is None where nothing was detected. A false alarm counts against the labels whose kind
        was detected.
        """
        found = self.found[label]
        number = found + sum(pair.kind == label for pair in self.missed)
        alarms = sum(
            pair.kind == COMPATIBLE and kind in KINDS.get(label, (label,)) for pair, kind in self.wrong
        )
        return number, found, found / (found + alarms) if found + alarms else None, found / number


def read_pairs(path: Path = PAIRS, *, held_out: bool = False) -> list[Pair]:
    """Return the labelled pairs: those used to develop the rules, or the held-out ones."""
    lists = YAML(typ="safe").load(path)
    lists = lists["held_out"] if held_out else lists
    labelled = [*lists["contradictions"].items(), (COMPATIBLE, lists[COMPATIBLE])]
    return [Pair(one, other, kind) for kind, pairs in labelled for one, other in pairs]


def read_everyday(split: str, path: Path = EVERYDAY) -> list[Pair]:
    """Return the labelled everyday pairs of a split."""
    pairs = YAML(typ="safe").load(path)["pairs"]
    return [
        Pair(pair["one"], pair["other"], pair["kind"] if pair["contradicts"] else COMPATIBLE)
        for pair in pairs
        if pair["split"] == split
    ]


def score(detector: ContradictionDetector, pairs: list[Pair]) -> Score:
    """Return the results of a detector on the pairs."""
    result = Score()
    for pair in pairs:
        kind = detector.compare(pair.one, pair.other) if _comes_together(detector, pair) else None
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


def _comes_together(detector: ContradictionDetector, pair: Pair) -> bool:
    """Whether the service compares the two texts."""
    claims = {detector.claim(pair.one), detector.claim(pair.other)}
    return detector.frame(pair.one) == detector.frame(pair.other) or (len(claims) == 1 and None not in claims)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.contradictions")
    parser.add_argument("--everyday", action="store_true", help="measure the everyday pairs")
    parser.add_argument("--split", choices=("tune", "test"), default="tune", help="the half of the pairs")
    parser.add_argument("--misses", action="store_true", help="print the pairs that were judged wrongly")
    options = parser.parse_args()
    detector = WordingDetector(load_catalog(load_settings().registry_dir).contradiction)
    if options.everyday:
        show_everyday(detector, read_everyday(options.split), misses=options.misses)
        return
    for held_out in (False, True):
        print("held out" if held_out else "seen")
        show(detector, read_pairs(held_out=held_out), misses=options.misses)


def show_everyday(detector: ContradictionDetector, pairs: list[Pair], *, misses: bool) -> None:
    """Print precision and recall for each label of the everyday pairs."""
    result = score(detector, pairs)
    print(f"{'label':12} {'pairs':>5} {'found':>5} {'precision':>9} {'recall':>6}")
    for label in KINDS:
        number, found, precision, recall = result.of(label)
        print(f"{label:12} {number:5} {found:5} {_shown(precision):>9} {recall:6.2f}")
    number = result.true + len(result.missed)
    print(f"{'all':12} {number:5} {result.true:5} {result.precision:9.2f} {result.recall:6.2f}")
    print(f"{COMPATIBLE:12} {result.false + result.silent:5} {result.false:5}")
    if misses:
        show_misses(result, KINDS)


def _shown(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"


def show(detector: ContradictionDetector, pairs: list[Pair], *, misses: bool) -> None:
    """Print the results of a detector on the pairs."""
    result = score(detector, pairs)
    labels = Counter(pair.kind for pair in pairs)
    print(f"{'label':12} {'pairs':>5} {'found':>5}")
    for kind, number in labels.items():
        print(f"{kind:12} {number:5} {result.false if kind == COMPATIBLE else result.found[kind]:5}")
    print(f"precision {result.precision:.3f}  recall {result.recall:.3f}")
    if misses:
        show_misses(result, {})


def show_misses(result: Score, kinds: Mapping[str, Sequence[str]]) -> None:
    """Print the pairs that were judged wrongly; `kinds` are further kinds that are right for a label."""
    for pair in result.missed:
        print(f"missed  {pair.kind}: {pair.one} | {pair.other}")
    for pair, detected in result.wrong:
        if detected not in kinds.get(pair.kind, ()):
            print(f"wrong   {pair.kind}, detected {detected}: {pair.one} | {pair.other}")


if __name__ == "__main__":
    main()
