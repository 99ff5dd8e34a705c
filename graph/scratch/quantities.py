"""Recognises numbers, quantities, dates and times in a text, in different notations.

    numbers      3, three, 1,000, 1000, 2.5, 2,5
    quantities   60 minutes, 1 hour, $50, 50 EUR, 20 °C; a number with a unit, converted to the base unit
    dates        2025-11-05, 5 Nov 2025, 11/5/2025, Monday; an ambiguous date has both meanings
    times        3 pm, 15:00

The text is first folded by `text_frame.folded` and then read in one pass. No locale is needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from prefrontal.graph.config.tables import ContradictionTable


@dataclass(frozen=True, slots=True)
class Value:
    """A number, a quantity, a date or a time."""

    dates: frozenset[str] = frozenset()
    """The possible meanings of a date or time: `2025-11-05`, `--11-05`, `weekday 1`, `T15:00`. Else empty."""
    amount: float = 0.0
    """The number as written."""
    dimension: str | None = None
    """The measured dimension, e.g. a length; None for a number without a unit."""
    unit: str | None = None
    base: float = 0.0
    """The amount converted to the base unit of the dimension."""
    ordinal: bool = False
    """Whether the number is an ordinal, such as `3rd`."""

    @property
    def literal(self) -> str:
        """The value in a normal notation, for values that stay in a text's frame."""
        if self.dates:
            return "@" + "|".join(sorted(self.dates))
        return f"{self.base:.9g}{self.dimension or ''}{'th' if self.ordinal else ''}"


Part = str | Value
"""A part of a text: a word, or a recognised value."""

_TOKEN = re.compile(
    r"""
    (?P<iso>\d{4}-\d{1,2}-\d{1,2}(?:[t\ ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})?)?(?![\d-]))
  | (?P<dotted>\d{1,2}\.\d{1,2}\.\d{4}(?![\d.]))
  | (?P<slashed>\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})(?![\d/]))
  | (?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m\b)?(?![\d:]) | \d{1,2}\s?[ap]m\b)
  | (?P<name>\d+(?:\.\d+){2,} | [^\W\d_]+-\d[^\W_]* | [^\W\d_][^\W_]*\d[^\W_]*)
  | (?P<number>(?<![\w)])-?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:,\d{1,2}(?![\d,]))?)(?:\.\d+)?)
  | (?P<word>km/h | °[cf]\b | [^\W\d_]+(?:'[^\W\d_]+)?)
  | (?P<mark>[$€£¥₹%:=?\#])
  | (?P<digits>\d+)
    """,
    re.VERBOSE,
)
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ](.*))?$")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?([ap]m)?")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_MONTHS, _DAYS, _HOURS, _NOON = 12, 31, 24, 12
_CENTURY = 100


class Values:
    """Recognises the values in texts, with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        self._table = table
        self._units = {
            unit: (name, factor) for name, units in table.units.items() for unit, factor in units.items()
        }

    def parts(self, text: str) -> list[Part]:
        """Return a folded text as its words and values, in order."""
        parts: list[Part] = []
        for match in _TOKEN.finditer(text):
            self._add(parts, match)
        return self._joined(parts)

    def _add(self, parts: list[Part], match: re.Match[str]) -> None:
        kind, text = match.lastgroup, match.group()
        value: Value | None = None
        if kind == "number":
            value = _number(text)
        elif kind == "iso":
            value = _iso(text)
        elif kind == "time":
            value = _clock(text)
        elif kind in ("dotted", "slashed"):
            value = _day(text, american=kind == "slashed")
        elif kind == "word" and text in self._table.numbers:
            value = _unitless(float(self._table.numbers[text]))
        parts.append(value or text)

    def _joined(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts, with parts that form one value combined, such as a number and its unit."""
        joined: list[Part] = []
        at = 0
        while at < len(parts):
            value, used = self._date(parts, at)
            if value is None:
                value, used = self._quantity(parts, at)
            joined.append(parts[at] if value is None else value)
            at += used
        return joined

    def _date(self, parts: Sequence[Part], at: int) -> tuple[Value | None, int]:
        """Return the date that begins at a part, or None, and the number of parts used."""
        part = parts[at]
        if not isinstance(part, str):
            return self._day_first(parts, at)
        if part in self._table.weekdays:
            return Value(dates=frozenset({f"weekday {self._table.weekdays[part]}"})), 1
        if part in self._table.months:
            return self._month_first(parts, at, self._table.months[part])
        return None, 1

    def _month_first(self, parts: Sequence[Part], at: int, month: int) -> tuple[Value | None, int]:
        day, used = _whole(parts, at + 1, _DAYS), 1
        if day is not None:
            used += 1 + _is_ordinal(parts, at + used + 1)
        year = _year(parts, at + used)
        if day is None and year is None:
            # Some names of months are also words ("may", "march"). Only a day or a year makes them a date.
            return None, 1
        return _calendar(year, month, day), used + (year is not None)

    def _day_first(self, parts: Sequence[Part], at: int) -> tuple[Value | None, int]:
        day, used = _whole(parts, at, _DAYS), 1
        used += _is_ordinal(parts, at + used)
        used += at + used < len(parts) and parts[at + used] == "of"
        name = parts[at + used] if at + used < len(parts) else None
        if day is None or not isinstance(name, str) or name not in self._table.months:
            return None, 1
        year = _year(parts, at + used + 1)
        return _calendar(year, self._table.months[name], day), used + 1 + (year is not None)

    def _quantity(self, parts: Sequence[Part], at: int) -> tuple[Value | None, int]:
        """Return the number with its unit that begins at a part, or None, and the number of parts used."""
        used, unit = 0, None
        part = parts[at]
        if isinstance(part, str) and self._units.get(part, ("", 0))[0] in self._table.currencies:
            unit, used = part, 1
        number = parts[at + used] if at + used < len(parts) else None
        if not isinstance(number, Value) or number.dates:
            return None, 1
        amount, used = number.amount, used + 1
        amount, used = self._magnified(parts, at, amount, used)
        follows = parts[at + used] if at + used < len(parts) else None
        if isinstance(follows, str) and follows in _ORDINAL:
            return Value(amount=amount, base=amount, ordinal=True), used + 1
        if isinstance(follows, str) and unit is None:
            unit = self._unit(follows)
            used += unit is not None
        if unit is None:
            return _unitless(amount), used
        dimension, factor = self._units[unit]
        base = amount * factor + self._table.offsets.get(unit, 0.0)
        return Value(amount=amount, dimension=dimension, unit=unit, base=round(base, 9)), used

    def _magnified(self, parts: Sequence[Part], at: int, amount: float, used: int) -> tuple[float, int]:
        """Return a number combined with the number words after it: `twenty` `five`, `2` `million`."""
        while at + used < len(parts):
            follows = parts[at + used]
            if isinstance(follows, str) and follows in self._table.magnitudes:
                amount *= self._table.magnitudes[follows]
            elif (
                isinstance(follows, Value)
                and follows.unit is None
                and not follows.dates
                and _goes_on(amount, follows.amount)
            ):
                amount += follows.amount
            else:
                break
            used += 1
        return amount, used

    def _unit(self, word: str) -> str | None:
        if word in self._units:
            return word
        for ending in ("s", "es"):
            if word.endswith(ending) and word.removesuffix(ending) in self._units:
                return word.removesuffix(ending)
        return None


def _goes_on(amount: float, more: float) -> bool:
    """Tell whether two numbers in words form one number: twenty five, two hundred five."""
    tens, ten = 100, 10
    if amount % tens == 0 and amount >= tens and 0 < more < tens:
        return amount <= 10 * tens * tens and more == int(more)
    return 2 * ten <= amount < tens and amount % ten == 0 and 0 < more < ten and more == int(more)


def _unitless(amount: float) -> Value:
    return Value(amount=amount, base=amount)


def _number(text: str) -> Value:
    whole, dot, fraction = text.partition(".")
    head, _, tail = whole.rpartition(",")
    if head and not dot and len(tail) < len("000"):
        return _unitless(float(f"{head}.{tail}"))
    return _unitless(float(whole.replace(",", "") + dot + fraction))


def _iso(text: str) -> Value | None:
    match = _ISO.match(text)
    if match is None:
        return None
    year, month, day = (int(match[number]) for number in (1, 2, 3))
    value = _calendar(year, month, day)
    if value is None or match[4] is None:
        return value
    clock = _clock(match[4])
    if clock is None:
        return value
    return Value(dates=frozenset(f"{date}{time}" for date in value.dates for time in clock.dates))


def _clock(text: str) -> Value | None:
    match = _CLOCK.match(text)
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[4]
    if half is not None:
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    if hour >= _HOURS:
        return None
    return Value(dates=frozenset({f"T{hour:02}:{minute:02}"}))


def _day(text: str, *, american: bool) -> Value | None:
    first, second, year = (int(part) for part in re.split(r"[./]", text))
    if year < _CENTURY:
        year += 2000
    ways = [_calendar(year, second, first)]
    if american:
        ways.append(_calendar(year, first, second))
    dates = frozenset().union(*(way.dates for way in ways if way is not None))
    return Value(dates=dates) if dates else None


def _calendar(year: int | None, month: int, day: int | None) -> Value | None:
    if not (1 <= month <= _MONTHS and (day is None or 1 <= day <= _DAYS)):
        return None
    shown = "" if day is None else f"-{day:02}"
    return Value(dates=frozenset({f"{'-' if year is None else year}-{month:02}{shown}"}))


def _whole(parts: Sequence[Part], at: int, most: int) -> int | None:
    if at >= len(parts):
        return None
    part = parts[at]
    if not isinstance(part, Value) or part.dates or not 1 <= part.amount <= most or part.amount % 1:
        return None
    return int(part.amount)


def _is_ordinal(parts: Sequence[Part], at: int) -> bool:
    return at < len(parts) and parts[at] in _ORDINAL


def _year(parts: Sequence[Part], at: int) -> int | None:
    first, last = 1900, 2100
    year = _whole(parts, at, last)
    return year if year is not None and year >= first else None


def same_time(one: Value, other: Value) -> bool:
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
