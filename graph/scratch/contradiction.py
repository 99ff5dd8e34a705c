"""The detection of contradictions between two texts about one subject, by their wording.

The default detector compares the readings of the two texts (see `text_frame`). Two texts contradict each
other if both make a claim, their frames are equal, and they differ in exactly one of these:

    negation  one text denies what the other claims, and all values are equal
    date      two dates or times that cannot be the same: Monday and 2025-11-05, which is a Wednesday
    unit      the same number with different units: $50 and 50 EUR, 180 °C and 180 °F
    number    different amounts of the same dimension: 1 hour and 90 minutes, but not 1 hour and 60 minutes

The detector reports nothing for equal texts and for texts that both contain a negation. It also reports
nothing if several values differ, because the texts may be about two occasions, or for different amounts in
two currencies, because these may be the same price.
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
    """An observation that may contradict or repeat another observation, because both have the same frame."""

    uid: str
    content: str


class ContradictionDetector(Protocol):
    """A detector of contradictions. It decides which texts to compare and compares them, without I/O."""

    def frame(self, text: str) -> str:
        """Return the frame of a text.

        Texts that may contradict each other have equal frames, and so do equal texts. Only observations of
        the same space, subject and frame are compared.
        """
        ...

    def compare(self, one: str, other: str) -> ConflictKind | None:
        """Return how two texts with the same frame contradict each other, or None if they do not."""
        ...


class WordingDetector:
    """The default detector: finds texts that are equal except for a number, a date, a unit or a negation."""

    def __init__(self, table: ContradictionTable) -> None:
        """Store the language tables of `registry/language/contradiction.yaml`."""
        self._table = table
        # A text is read once for its frame and again for each comparison, so readings are cached.
        self._read = lru_cache(_REMEMBERED)(Framing(table).read)

    def frame(self, text: str) -> str:
        """Return the text without its numbers, dates, units and negations."""
        return self._read(text).frame

    def compare(self, one: str, other: str) -> ConflictKind | None:
        """Return the kind of the one difference that makes the texts contradict each other, or None."""
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
        """Return the kind of difference if two values cannot both be true, or None if they can."""
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
        """Tell whether it cannot be decided if two values are equal: $50 and 43 EUR."""
        if one.dates or other.dates or self._comparable(one, other):
            return False
        return one.amount != other.amount

    def _comparable(self, one: Value, other: Value) -> bool:
        """Tell whether two amounts have the same dimension.

        A number without a unit may be an amount of money.
        """
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
    """Return the contradictions of new observations with stored ones and with earlier new ones.

    Args:
        detector: The detector that compares two texts.
        new: The active new observations in order, each with its frame key.
        known: By frame key, the stored observations, newest first.
        most: The maximum number of observations to compare a new one with.
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
    """Tell whether two dates or times can be the same: whether one reading fits a reading of the other."""
    return any(_fit(a, b) or _fit(b, a) for a in one.dates for b in other.dates)


def _fit(part: str, whole: str) -> bool:
    """Tell whether a date or time is compatible with a more precise one, or cannot be compared with it."""
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
