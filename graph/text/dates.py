"""The dates that a text names in figures or with the English name of a month: `2027-03-14`, `14 March`.

A date has a year, a month and a day, each 0 where the text does not say. Figures such as `3/2/2027` may be
read in two ways, so what stands at one place of a text is a set of dates.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
SHORT_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
MONTH_NAMES = "|".join([*MONTHS, *sorted(SHORT_MONTHS, key=len, reverse=True)])
_YEAR = r"(?:1[5-9]|2[01])\d\d"
_PATTERN = re.compile(
    r"(?<![\w.,/-])(?:"
    rf"(?P<y1>{_YEAR})(?:[-/](?P<m0>\d{{1,2}})|[-/.](?P<m1>\d{{1,2}})[-/.](?P<d1>\d{{1,2}}))"
    rf"|(?P<a>\d{{1,2}})(?P<sign>[./-])\s?(?P<b>\d{{1,2}})(?P=sign)\s?(?P<y2>{_YEAR}|\d\d)"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\.?(?: of)? ?(?P<n3>{MONTH_NAMES})\b\.?"
    rf"(?:,? (?:of )?(?P<y3>{_YEAR}))?"
    rf"|(?P<n4>{MONTH_NAMES})\b\.?(?: (?:the )?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:.]\d|\d))?"
    rf"(?:,? (?:of )?(?P<y4>{_YEAR}))?"
    r")(?![\w/]|[-.,]\d)",
    re.IGNORECASE,
)
_CENTURY, _LEAP = 2000, 2024
_VERBS = ("may", "march", "mar", "sun", "sat")


class Day(NamedTuple):
    """A date; 0 stands for what is not said."""

    year: int
    month: int
    day: int

    def agrees(self, other: Day) -> bool:
        """Return whether both say the same, as far as both say anything."""
        return all(one == two or not (one and two) for one, two in zip(self, other, strict=True))


class Dated(NamedTuple):
    """A place in a text that names a date."""

    readings: frozenset[Day]
    start: int
    end: int


def day_of(at: datetime) -> Day:
    """Return the day of a moment, in its own time zone."""
    return Day(at.year, at.month, at.day)


@lru_cache(maxsize=4_000)
def dates_in(text: str) -> tuple[Dated, ...]:
    """Return the dates of a text that have a month and besides a day or a year, in its order."""
    return tuple(_found(text))


def _found(text: str) -> Iterator[Dated]:
    for found in _PATTERN.finditer(text):
        days = frozenset(day for day in _readings(found) if _is_valid(day))
        if days:
            yield Dated(days, found.start(), found.end())


def _readings(found: re.Match[str]) -> Iterator[Day]:
    if found["y1"]:
        yield Day(int(found["y1"]), int(found["m0"] or found["m1"]), int(found["d1"] or 0))
    elif found["a"]:
        one, other = int(found["a"]), int(found["b"])
        of_year = int(found["y2"]) + (_CENTURY if len(found["y2"]) == len("27") else 0)
        yield Day(of_year, other, one)
        if found["sign"] != ".":
            yield Day(of_year, one, other)
    else:
        name, day, year = (found[key + ("3" if found["n3"] else "4")] for key in "ndy")
        # A verb has no capital: `you may 2 times`.
        if (day or year) and not (name in _VERBS and not year):
            month = MONTHS.get(name.lower()) or SHORT_MONTHS[name.lower()]
            yield Day(int(year or 0), month, int(day or 0))


def _is_valid(day: Day) -> bool:
    if not 1 <= day.month <= len(MONTHS):
        return False
    return day.day <= calendar.monthrange(day.year or _LEAP, day.month)[1] if day.day else bool(day.year)
