"""The detection of contradictions between two texts about one subject, by their wording.

Texts with one frame are compared with each other, and a text with those of other frames that are near it in
meaning (see `alignment`). Of the latter a contradiction is only inferred: it is shown, and decides nothing.

For texts with one frame, the default detector compares the readings of the two texts (see `text_frame`). Two
texts contradict each other if both make a claim, and they differ in exactly one of these:

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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, runtime_checkable

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.alignment import Alignment
from prefrontal.graph.scratch.quantities import Value, same_time
from prefrontal.graph.scratch.record import ConflictKind, ConflictSource, Contradiction
from prefrontal.graph.scratch.statement import Statements
from prefrontal.graph.scratch.text_frame import TextAnalyser, folded

_REMEMBERED = 1000
_PER_KEY = 50


@dataclass(frozen=True, slots=True)
class Candidate:
    """An observation that may contradict or repeat another one."""

    uid: str
    content: str
    user_id: str | None = None
    """The person that it is about."""
    entities: frozenset[str] = frozenset()
    """The ids of the entities that it was declared to mention."""

    def may_share_subject(self, other: Candidate) -> bool:
        """Tell whether both may be about one subject: the same person, and not other entities."""
        if self.user_id != other.user_id:
            return False
        return not (self.entities and other.entities and self.entities.isdisjoint(other.entities))


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


@runtime_checkable
class RewordedDetector(ContradictionDetector, Protocol):
    """A detector that also compares texts with different frames."""

    def keys(self, text: str) -> frozenset[str]:
        """Return keys of what a text is about; none if it is compared only with texts of its frame.

        Two texts without a common key are not compared.
        """
        ...

    def infer(self, one: str, other: str) -> ConflictKind | None:
        """Return how two texts with different frames contradict each other, or None if they do not."""
        ...


class WordingDetector:
    """The default detector: compares texts of one frame, and short texts that say the same of one thing."""

    def __init__(self, table: ContradictionTable) -> None:
        self._table = table
        # A text is read once for its frame and again for each comparison, so readings are cached.
        self._read = lru_cache(_REMEMBERED)(TextAnalyser(table).read)
        self._state = lru_cache(_REMEMBERED)(Statements(table).read)
        self._alignment = Alignment(table)

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
        if kinds[0] is ConflictKind.DATE and self._holds_on_days(one):
            return None
        return kinds[0]

    def _holds_on_days(self, text: str) -> bool:
        """Tell whether a text says on which days something is so, and perhaps on others too."""
        statement = self._state(text)
        return statement is not None and bool(statement.sides) and "day" in {v.kind for v in statement.values}

    def keys(self, text: str) -> frozenset[str]:
        """Return the keys of the words of a short text that states something."""
        statement = self._state(text)
        return frozenset() if statement is None else statement.keys

    def infer(self, one: str, other: str) -> ConflictKind | None:
        """Return what the statements of two texts differ in, if both cannot be true."""
        first, second = self._state(one), self._state(other)
        if first is None or second is None or self.frame(one) == self.frame(other):
            return None
        return self._alignment.differ(first, second)

    def _difference(self, one: Value, other: Value) -> ConflictKind | None:
        """Return the kind of difference if two values cannot both be true, or None if they can."""
        if one.dates or other.dates:
            return None if same_time(one, other) else ConflictKind.DATE
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
                found.append(_contradiction(candidate, other, ConflictSource.DETECTED, kind))
        others.insert(0, candidate)
    return found


def inferred(
    detector: RewordedDetector,
    new: Sequence[Candidate],
    near: Mapping[str, Sequence[Candidate]],
    most: int,
) -> list[Contradiction]:
    """Return the contradictions of new observations with others of different frames.

    Args:
        detector: The detector that compares two texts.
        new: The active new observations in order.
        near: By id of a new observation, the stored ones that are near it in meaning.
        most: The maximum number of earlier new observations to compare a new one with: those that have most
            keys in common, newest first.
    """
    found: list[Contradiction] = []
    by_key: dict[str, list[int]] = {}
    for place, candidate in enumerate(new):
        keys = detector.keys(candidate.content)
        if not keys:
            continue
        # Of a key that many have, the newest are enough.
        shared = Counter(at for key in keys for at in by_key.get(key, ())[-_PER_KEY:])
        here = sorted(shared, key=lambda at: (-shared[at], -at))[:most]
        for other in (*near.get(candidate.uid, ()), *(new[at] for at in here)):
            if not candidate.may_share_subject(other):
                continue
            kind = detector.infer(candidate.content, other.content)
            if kind is not None:
                found.append(_contradiction(candidate, other, ConflictSource.INFERRED, kind))
        for key in keys:
            by_key.setdefault(key, []).append(place)
    return found


def _contradiction(
    one: Candidate, other: Candidate, how: ConflictSource, kind: ConflictKind
) -> Contradiction:
    return Contradiction(source_id=one.uid, target_id=other.uid, how=how, kind=kind)
