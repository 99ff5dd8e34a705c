"""Whether two texts about one subject contradict each other, as far as their wording shows it.

The default compares readings of `framing`. Two texts contradict each other when both claim
something, their frames are equal, and they differ in exactly one of these:

    negation  one denies what the other says, all values being equal
    date      one date or time cannot be the other: Monday and 2025-11-05, which is a Wednesday
    unit      the same number of something else: $50 and 50 EUR, 180 °C and 180 °F
    number    another amount in the same unit: 1 hour and 90 minutes, but not 60 minutes

Equal texts contradict nothing, nor do texts that both deny. Where more than one value differs they may speak
of two occasions. Amounts in two currencies may be one price. In all these cases it says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Protocol

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.quantities import Value
from prefrontal.graph.scratch.record import ConflictKind, ConflictSource, Contradiction
from prefrontal.graph.scratch.text_frame import Framing, folded

_REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class Candidate:
    """An observation that may contradict another, or repeat it: they have one frame."""

    uid: str
    content: str


class ContradictionDetector(Protocol):
    """Says which texts can contradict each other at all, and which do. Both answers need no I/O."""

    def frame(self, text: str) -> str:
        """Return what a text shares with all that may contradict it; equal texts have equal frames.

        Only observations of one space, one subject and one frame are compared.
        """
        ...

    def compare(self, one: str, other: str) -> ConflictKind | None:
        """Return by what two texts of one frame contradict each other, None when they do not."""
        ...


class WordingDetector:
    """Finds contradictions in texts that are equal but for a number, a date, a unit or a negation."""

    def __init__(self, table: ContradictionTable) -> None:
        """Take what `registry/contradiction.yaml` knows of language."""
        self._table = table
        # A text is read for its frame and then once for each text it is compared with.
        self._read = lru_cache(_REMEMBERED)(Framing(table).read)

    def frame(self, text: str) -> str:
        """Return the text without its numbers, dates, units and negations."""
        return self._read(text).frame

    def compare(self, one: str, other: str) -> ConflictKind | None:
        """Return in what the texts differ, when it is one thing of which both cannot be so."""
        if folded(one) == folded(other):
            return None
        first, second = self._read(one), self._read(other)
        if first.frame != second.frame or not (first.claims and second.claims):
            return None
        pairs = list(zip(first.values, second.values, strict=True))
        kinds = [kind for kind in (self._difference(a, b) for a, b in pairs) if kind is not None]
        apart = abs(first.negations - second.negations)
        if apart == 1 and not kinds and not any(self._unclear(a, b) for a, b in pairs):
            return ConflictKind.NEGATION
        if apart or first.negations % 2 or len(kinds) != 1 or any(self._unclear(a, b) for a, b in pairs):
            return None
        return kinds[0]

    def _difference(self, one: Value, other: Value) -> ConflictKind | None:
        """Return why two values cannot both be so, None when they can."""
        if one.dates or other.dates:
            return None if _same_time(one, other) else ConflictKind.DATE
        if self._comparable(one, other):
            if self._equal(one, other):
                return None
            same_number = one.amount == other.amount and one.unit != other.unit
            return ConflictKind.UNIT if same_number else ConflictKind.NUMBER
        named = one.dimension is not None and other.dimension is not None
        return ConflictKind.UNIT if named and one.amount == other.amount else None

    def _unclear(self, one: Value, other: Value) -> bool:
        """Tell whether nobody can say if two values are one: $50 and 43 EUR."""
        if one.dates or other.dates or self._comparable(one, other):
            return False
        return one.amount != other.amount

    def _comparable(self, one: Value, other: Value) -> bool:
        """Tell whether two amounts are of one kind; a bare number may be an amount of money."""
        if one.ordinal != other.ordinal:
            return False
        if one.dimension == other.dimension:
            return True
        money = self._table.currencies
        return (one.dimension is None and other.dimension in money) or (
            other.dimension is None and one.dimension in money
        )

    def _equal(self, one: Value, other: Value) -> bool:
        if one.unit == other.unit:
            return math.isclose(one.base, other.base)
        return math.isclose(one.base, other.base, rel_tol=self._table.tolerance)


def contradictions(
    detector: ContradictionDetector,
    new: Sequence[tuple[str, Candidate]],
    known: Mapping[str, Sequence[Candidate]],
    most: int,
) -> list[Contradiction]:
    """Return what new observations contradict: those known, newest first, and new ones before them.

    Args:
        detector: What compares two texts.
        new: The new ones in their order, each with its frame key; only those that are active.
        known: What is stored under each frame key, newest first.
        most: With how many a new one is compared.
    """
    earlier = {key: list(found) for key, found in known.items()}
    found: list[Contradiction] = []
    for key, candidate in new:
        others = earlier.setdefault(key, [])
        for other in others[:most]:
            kind = detector.compare(candidate.content, other.content)
            if kind is not None:
                found.append(
                    Contradiction(
                        source_id=candidate.uid, target_id=other.uid, how=ConflictSource.DETECTED, kind=kind
                    )
                )
        others.insert(0, candidate)
    return found


def _same_time(one: Value, other: Value) -> bool:
    """Tell whether some way to read the first is some way to read the second, or a part of it."""
    return any(_fit(a, b) or _fit(b, a) for a in one.dates for b in other.dates)


def _fit(part: str, whole: str) -> bool:
    """Tell whether a date or time leaves open what another says, or cannot be compared with it."""
    if part.startswith("weekday "):
        day = _calendar_day(whole)
        return part == whole or (not whole.startswith("weekday ") and (day is None or day == part))
    if part.startswith("T") != whole.startswith("T"):
        return "T" not in whole or whole.endswith(part)
    if part.startswith("--"):
        return part.removeprefix("-") in whole
    return whole == part or whole.startswith((f"{part}-", f"{part}T"))


def _calendar_day(text: str) -> str | None:
    try:
        return f"weekday {date.fromisoformat(text.partition('T')[0]).isoweekday()}"
    except ValueError:
        return None
