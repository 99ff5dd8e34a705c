"""The time that a question asks about, from its English words: `last week`, `in May 2023`, `3 days ago`.

    day       today, yesterday, tonight, this morning, last night; `2023-05-08`, `8 May 2023`, `May 8`
    weekday   `on Monday`, `last Monday`: the last such day, today excepted
    week      this week, last week; Monday to Sunday. A weekend is Saturday and Sunday
    month     this month, last month; `May 2023`; `last May`; `May` alone is the month of any year
    year      this year, last year, `in 2023`
    season    `last summer`, `summer 2023`: three months from March, June, September or December on
    ago       `3 weeks ago`: the day, week, month or year that was then
    past      `in the past 3 weeks`: from then until now
    since     `since May`: from the beginning of that time until now

Days are those of the zone of `now`. `may` and `march` are months only where they cannot be verbs.
"""

from __future__ import annotations

import calendar
import re
from datetime import datetime, timedelta
from typing import NamedTuple

from prefrontal.graph.text.dates import MONTH_NAMES, MONTHS, SHORT_MONTHS

_DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS = {
    name: number
    for number, name in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)  # noqa: SIM905
} | {"a": 1, "an": 1, "couple": 2, "few": 3}

_NUMBER = r"(?P<n>\d{1,3}|a couple(?: of)?|a few|couple(?: of)?|few|an?|" + "|".join(_NUMBERS) + ")"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_ISO = re.compile(r"\b(?P<y>[12]\d{3})-(?P<m>\d\d)(?:-(?P<d>\d\d))?\b")
_DATE = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<name>{MONTH_NAMES})\b\.?"
    r"(?: (?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)?\b(?!:|\d))?(?:,? (?:of )?(?P<y>[12]\d{3})\b)?"
)
_CUE = re.compile(
    r"\b(?:in|of|since|last|this|early|late|mid|until|till|during|by|from|before|after|on)[ -]$"
)
_AGO = re.compile(rf"\b{_NUMBER} {_UNIT} ago\b")
_PAST = re.compile(rf"\b(?:last|past|previous) {_NUMBER} {_UNIT}\b")
_NEAR = re.compile(r"\b(?P<which>this|last|past|previous) (?P<what>week|month|year|weekend|night)\b")
_DAY = re.compile(r"\b(?P<what>today|yesterday|tonight|this (?:morning|afternoon|evening))\b")
_WEEKDAY = re.compile(rf"\b(?:on|last|this|since) (?P<name>{'|'.join(_DAYS)})\b")
_SEASON = re.compile(
    rf"\b(?P<which>last |this |in |in the |since )?(?P<name>{'|'.join(_SEASONS)})"
    r"(?: (?:of )?(?P<y>[12]\d{3}))?\b"
)
_YEAR = re.compile(r"\b(?:in|during|of|since|year) (?P<y>(?:19|20)\d\d)\b")
_SINCE = re.compile(r"\bsince\b")


class Span(NamedTuple):
    """A time: from `start` to before `end`, or, without them, the month (and day) of any year."""

    start: datetime | None = None
    end: datetime | None = None
    month: int | None = None
    day: int | None = None

    def holds(self, at: datetime) -> bool:
        """Return whether a moment is in this time."""
        if self.start is not None and self.end is not None:
            return self.start <= at < self.end
        return at.month == self.month and self.day in (None, at.day)


def span_of(text: str, now: datetime) -> Span | None:
    """Return the time that a question asks about, or None if it names none."""
    phrase = " ".join(text.split())
    lower = phrase.lower()
    span = (
        _iso(lower, now)
        or _relative(lower, now)
        or _date(phrase, lower, now)
        or _season(lower, now)
        or _year(lower, now)
    )
    if span and _SINCE.search(lower) and span.start is not None and span.start < now:
        return Span(span.start, now)
    return span


def _iso(text: str, now: datetime) -> Span | None:
    found = _ISO.search(text)
    return found and _calendar(now, int(found["y"]), int(found["m"]), int(found["d"] or 0))


def _calendar(now: datetime, year: int, month: int = 0, day: int = 0) -> Span | None:
    """Return a year, a month or a day; None if there is no such day."""
    try:
        start = _midnight(now).replace(year=year, month=month or 1, day=day or 1)
    except ValueError:
        return None
    if day:
        return Span(start, start + timedelta(days=1))
    return Span(start, _months_later(start, 1 if month else 12))


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _months_later(start: datetime, months: int) -> datetime:
    """Return the first day of a month that comes after (or before) that of `start`."""
    count = start.year * 12 + start.month - 1 + months
    return start.replace(year=min(9999, max(1, count // 12)), month=count % 12 + 1, day=1)


def _relative(text: str, now: datetime) -> Span | None:
    today = _midnight(now)
    if found := _AGO.search(text):
        return _unit(found["unit"], _back(today, found["unit"], _count(found["n"])))
    if found := _PAST.search(text):
        return Span(_back(today, found["unit"], _count(found["n"])), now)
    if found := _DAY.search(text):
        return _unit("day", today - timedelta(days=found["what"] == "yesterday"))
    if found := _NEAR.search(text):
        return _near(today, found["what"], last=found["which"] != "this")
    if found := _WEEKDAY.search(text):
        days = (today.weekday() - _DAYS[found["name"]] - 1) % 7 + 1
        return _unit("day", today - timedelta(days=days))
    return None


def _near(today: datetime, what: str, *, last: bool) -> Span:
    """Return this or the last night, weekend, week, month or year."""
    if what == "night":
        return Span(today - timedelta(days=last), today + timedelta(days=1))
    if what == "weekend":
        # The last weekend is the newest one that is over; this one is that of this week.
        start = today - timedelta(days=today.weekday() + 2 if last else today.weekday() - 5)
        return Span(start, start + timedelta(days=2))
    return _unit(what, _back(today, what, int(last)))


def _count(phrase: str) -> int:
    first = phrase.removeprefix("a ").split()[0]
    return int(first) if first.isdigit() else _NUMBERS[first]


def _back(today: datetime, unit: str, number: int) -> datetime:
    """Return the day that was a number of units ago."""
    if unit in {"day", "week"}:
        return today - timedelta(days=number * (7 if unit == "week" else 1))
    months = number * (12 if unit == "year" else 1)
    first = _months_later(today, -months)
    return first.replace(day=min(today.day, calendar.monthrange(first.year, first.month)[1]))


def _unit(unit: str, day: datetime) -> Span:
    """Return the day, week, month or year in which a day is."""
    if unit == "day":
        return Span(day, day + timedelta(days=1))
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return Span(start, start + timedelta(days=7))
    start = day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)
    return Span(start, _months_later(start, 1 if unit == "month" else 12))


def _date(phrase: str, lower: str, now: datetime) -> Span | None:
    for found in _DATE.finditer(lower):
        name, before = found["name"], lower[: found.start()]
        day, year = int(found["d1"] or found["d2"] or 0), int(found["y"] or 0)
        sure = bool(day or year or _CUE.search(before))
        if not sure and (name in {"may", "march"} or name not in MONTHS):
            # Inside a sentence a verb has no capital: `the May report`, but not `May I come?`.
            at = found.start("name")
            if name not in MONTHS or not before or not phrase[at].isupper():
                continue
        month = MONTHS.get(name) or SHORT_MONTHS[name]
        if year:
            return _calendar(now, year, month, day)
        if before.endswith(("last ", "since ")):
            year = now.year - (month >= now.month)
            return _calendar(now, year, month, day)
        return Span(month=month, day=day or None)
    return None


def _season(text: str, now: datetime) -> Span | None:
    found = _SEASON.search(text)
    if not found or not (found["which"] or found["y"]):
        return None
    start = _midnight(now).replace(month=_SEASONS[found["name"]], day=1)
    if found["y"]:
        start = start.replace(year=int(found["y"]))
    elif start > now or (found["which"] == "last " and _months_later(start, 3) > now):
        start = start.replace(year=start.year - 1)
    return Span(start, _months_later(start, 3))


def _year(text: str, now: datetime) -> Span | None:
    found = _YEAR.search(text)
    return found and _calendar(now, int(found["y"]))
