"""Recognises values in words: half past ten, at nine, in May, half a litre, three and a half hours.

A time without am or pm has both meanings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.quantities import Part, Value, Values

_NOON, _SIXTY, _HALF, _QUARTER = 12, 60, 30, 15
_ENDS = frozenset({"in", "on", "every", "sharp", "now", "instead", "and"})
_NO_MEASURES = frozenset({"day", "week", "month", "year", "quarter", "foot", "pound"})
"""After "a" these say how often, or are things."""
_EVERY = frozenset({"a", "an", "per", "every", "each"})
_CLOCK = ("o'clock", "oclock")


class SpokenValues:
    """Recognises values in words, and all others, with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        self._table = table
        self._values = Values(table)
        self._months_after = frozenset(table.reworded.months_after)
        self._clock_after = frozenset(table.reworded.clock_after)

    def parts(self, text: str) -> list[Part]:
        """Return a folded text as its words and values, in order."""
        parts = _counts(self._values.parts(text), self._table.magnitudes)
        return self._months(self._fractions(_clocks(parts, self._clock_after)))

    def _fractions(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts with `half a litre` and `an hour` as values."""
        done: list[Part] = []
        at = 0
        while at < len(parts):
            part, unit, used = parts[at], None, 0
            run = parts[at : at + 3]
            amount = 0.0
            often = any(isinstance(each, Value) for each in done[-2:])
            if part == "quarter" and run[1:2] == ["of"] and parts[at + 2 : at + 3] in (["a"], ["an"]):
                amount, unit, used = 0.25, next(iter(parts[at + 3 : at + 4]), None), 4
            elif part == "half" and run[1:2] in (["a"], ["an"]) and run[2:]:
                amount, unit, used = 0.5, run[2], 3
            elif part in ("a", "an", "one") and run[1:2] in (["whole"], ["full"], ["single"]) and run[2:]:
                amount, unit, used = 1.0, run[2], 3
            elif part in ("a", "an") and run[1:] and not often:
                amount, unit, used = 1.0, run[1], 2
            elif isinstance(part, Value) and parts[at + 1 : at + 4] == ["and", "a", "half"]:
                # "Three and a half hours", and "an hour and a half".
                own = part.unit is not None
                unit = part.unit if own else next(iter(parts[at + 4 : at + 5]), None)
                amount, used = part.amount + 0.5, 4 if own else 5
            value = self._measure(amount, unit) if isinstance(unit, str) else None
            done.append(part if value is None else value)
            at += 1 if value is None else used
        return done

    def _measure(self, amount: float, unit: str) -> Value | None:
        if unit in _NO_MEASURES:
            return None
        found = self._values.parts(f"1 {unit}")
        value = found[0] if len(found) == 1 else None
        if not isinstance(value, Value):
            return None
        return Value(amount=amount, dimension=value.dimension, unit=value.unit, base=value.base * amount)

    def _months(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts with the months of "in May" as dates."""
        return [
            Value(dates=frozenset({f"--{self._table.months[part]:02}"}))
            if isinstance(part, str)
            and part in self._table.months
            and at
            and parts[at - 1] in self._months_after
            else part
            for at, part in enumerate(parts)
        ]


def _counts(parts: Sequence[Part], magnitudes: Mapping[str, int]) -> list[Part]:
    """Return the parts with "twice" as 2 times and "a hundred" as 100."""
    done: list[Part] = []
    for at, part in enumerate(parts):
        follows = parts[at + 1] if at + 1 < len(parts) else None
        if part == "twice" or (part == "once" and follows in _EVERY):
            amount = 2.0 if part == "twice" else 1.0
            done += [Value(amount=amount, base=amount), "times"]
        elif isinstance(part, str) and part in magnitudes and done and done[-1] == "a":
            amount = float(magnitudes[part])
            done[-1] = Value(amount=amount, base=amount)
        else:
            done.append(part)
    return done


def _clocks(parts: Sequence[Part], after: frozenset[str]) -> list[Part]:
    """Return the parts with times in words as values; one without am or pm has both meanings."""
    done: list[Part] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        run = parts[at + 1 : at + 3]
        hour = _hour(run[1]) if len(run) > 1 else None
        if part in ("half", "quarter") and run and run[0] in ("past", "to") and hour is not None:
            minute = _HALF if part == "half" else _QUARTER
            done.append(_time(hour * _SIXTY + (minute if run[0] == "past" else -minute)))
            at += 3
            continue
        hour = _hour(part)
        follows = parts[at + 1] if at + 1 < len(parts) else None
        said = follows in _CLOCK or (
            bool(done) and done[-1] in after and (follows is None or follows in after or follows in _ENDS)
        )
        if hour is not None and said:
            done.append(_time(hour * _SIXTY))
            at += 1 + (follows in _CLOCK)
            continue
        if part in ("noon", "midday", "midnight"):
            done.append(Value(dates=frozenset({"T00:00" if part == "midnight" else "T12:00"})))
        else:
            done.append(part)
        at += 1
    return done


def _hour(part: Part) -> int | None:
    if not isinstance(part, Value) or part.dates or part.dimension is not None or part.ordinal:
        return None
    return int(part.amount) if 1 <= part.amount <= _NOON and not part.amount % 1 else None


def _time(minutes: int) -> Value:
    half = _NOON * _SIXTY
    both = {minutes % half, minutes % half + half}
    return Value(dates=frozenset(f"T{each // _SIXTY:02}:{each % _SIXTY:02}" for each in both))
