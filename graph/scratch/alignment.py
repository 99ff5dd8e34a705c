"""The comparison of two statements about the same thing in different words.

Two statements contradict each other if they are about the same and differ in exactly one thing that cannot be
both:

    number    two amounts of one kind, or an amount beyond a bound
    date      two days or times of what happens once
    place     two places of what is in one place, and neither lies in the other
    person    two names of the one who has a role
    liking    like and dislike, or A rather than B and B rather than A
    state     two sides of a line of opposites: open and closed
    negation  what one says and the other denies

About the same are statements whose words have equal keys. A word that only one of them has may tell that they
are about two things, so nothing is found then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.quantities import same_time
from prefrontal.graph.scratch.record import ConflictKind
from prefrontal.graph.scratch.slots import Location, Order
from prefrontal.graph.scratch.statement import Side, StatedValue, Statement
from prefrontal.graph.text.words import stem

_LIKE = "like"


class Alignment:
    """Compares statements with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        words = table.reworded
        self._tolerance = table.tolerance
        self._strong = frozenset(words.strong)
        self._facing = frozenset(frozenset(pair) for pair in words.facing)
        self._dayparts = frozenset(words.dayparts)
        self._regions = frozenset(stem(word) for word in words.regions)

    def differ(self, one: Statement, other: Statement) -> ConflictKind | None:
        """Return what two statements contradict each other in, or None if they do not."""
        if one.order is not None or other.order is not None:
            first, second = one.order, other.order
            turned = second and Order(second.about, second.second, second.first)
            return ConflictKind.LIKING if first == turned else None
        if one.who is not None and other.who is not None and one.who.role == other.who.role:
            return ConflictKind.PERSON if not one.who.name & other.who.name else None
        if (
            one.location is not None
            and other.location is not None
            and self._apart(one.location, other.location)
        ):
            return ConflictKind.PLACE
        if _has_none(one, other) or _has_none(other, one):
            return ConflictKind.NEGATION
        kind = self._difference(one, other)
        about, others = one.about, other.about
        if kind is ConflictKind.DATE:
            # "On Thursday morning" is not on Friday.
            about, others = about - self._dayparts, others - self._dayparts
        elif kind is ConflictKind.STATE and bool(one.aside) != bool(other.aside):
            about, others = about - one.aside, others - other.aside
        return kind if about == others and self._tells(about) else None

    def _difference(self, one: Statement, other: Statement) -> ConflictKind | None:
        """Return the kind of the one difference of two statements about the same."""
        found: list[ConflictKind] = []
        values = self._values(one, other)
        sides, others = one.sides, other.sides
        if (one.prefers or other.prefers) and _LIKE in sides and _LIKE in others:
            sides, others = {**sides, **one.traits}, {**others, **other.traits}
        elif _numbers(one.traits) != _numbers(other.traits):
            return None
        if values is None or sides.keys() != others.keys():
            return None
        found += values
        opposed = [name for name, side in sides.items() if side.number != others[name].number]
        clocked = any(stated.kind == "clock" for stated in one.values)
        if len(opposed) > 1 or (opposed and (one.denied or other.denied or clocked)):
            # What opens at six may close at nine.
            return None
        found += [ConflictKind.LIKING if name == _LIKE else ConflictKind.STATE for name in opposed]
        if one.denied != other.denied:
            if not self._denies(one, other):
                return None
            found.append(ConflictKind.LIKING if _LIKE in one.sides else ConflictKind.NEGATION)
        return found[0] if len(found) == 1 else None

    def _denies(self, one: Statement, other: Statement) -> bool:
        """Tell whether a denial contradicts: who does not love something may like it."""
        denying, claiming = (one, other) if one.denied else (other, one)
        return all(
            side.raw not in self._strong or side.raw == claiming.sides[name].raw
            for name, side in denying.sides.items()
        )

    def _values(self, one: Statement, other: Statement) -> list[ConflictKind] | None:
        """Return the kinds of the values that differ; None if they cannot be compared."""
        first = {stated.kind: stated for stated in one.values}
        second = {stated.kind: stated for stated in other.values}
        if len(first) != len(one.values) or len(second) != len(other.values):
            return None
        found: list[ConflictKind] = []
        for kind in sorted(first.keys() & second.keys()):
            apart = self._apart_values(first[kind], second[kind])
            if apart is None:
                return None
            found += [ConflictKind.NUMBER if kind == "amount" else ConflictKind.DATE] if apart else []
            sure = kind == "amount" or (one.dated and other.dated and (kind == "clock" or not one.sides))
            if apart and not sure:
                return None
        if found and (one.marked or other.marked or one.denied or other.denied):
            return None
        alone = first.keys() ^ second.keys()
        # What is on another day is so at whatever time.
        return None if alone and not (alone == {"clock"} and found) else found

    def _apart_values(self, one: StatedValue, other: StatedValue) -> bool | None:
        """Tell whether two values cannot both be true; None if it is not clear."""
        if one.value.dates:
            return not same_time(one.value, other.value)
        if one.noun is not None and other.noun is not None and one.noun != other.noun:
            return None
        if one.value.dimension != other.value.dimension or one.value.ordinal != other.value.ordinal:
            return None
        equal = math.isclose(one.value.base, other.value.base, rel_tol=self._tolerance)
        if one.bound is None and other.bound is None:
            return not equal
        if equal or (one.bound is not None and other.bound is not None):
            return False if equal and one.bound == other.bound else None
        bounded, exact = (one, other) if one.bound is not None else (other, one)
        above = exact.value.base > bounded.value.base
        return True if above == (bounded.bound == "most") else None

    def _apart(self, one: Location, other: Location) -> bool:
        """Tell whether two places of the same are different, and neither can lie in the other."""
        if one.about != other.about or not self._tells(one.about):
            return False
        if one.words == other.words:
            return frozenset((one.preposition, other.preposition)) in self._facing
        if one.near or other.near:
            return False
        first, second = one.words - other.words, other.words - one.words
        if not first or not second or _numbered(first) != _numbered(second):
            # Page 12 may be in the book.
            return False
        named = bool(first & one.names), bool(second & other.names)
        if all(named):
            return bool(first & self._regions) == bool(second & self._regions)
        return not any(named) and one.wide == other.wide

    def _tells(self, about: frozenset[str]) -> bool:
        """Tell whether words say enough about what they are about."""
        return any(key[0] != "~" for key in about)


def _has_none(one: Statement, other: Statement) -> bool:
    """Tell whether one statement denies what the other one counts: no children and two children."""
    if not one.denied or other.denied or one.values or len(other.values) != 1 or one.sides or other.sides:
        return False
    counted = other.values[0]
    return counted.noun is not None and counted.value.amount > 0 and one.about == other.about | {counted.noun}


def _numbered(words: frozenset[str]) -> bool:
    return any(word[-1].isdigit() for word in words)


def _numbers(sides: Mapping[str, Side]) -> dict[str, int]:
    return {name: side.number for name, side in sides.items()}
