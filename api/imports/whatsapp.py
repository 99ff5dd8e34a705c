"""Reading the text export of a WhatsApp chat.

    [12/31/23, 10:15:00] Ann: hello          as an iPhone writes it
    31/12/2023, 10:15 - Ann: hello           as an Android phone writes it

A line without such a beginning continues the message before it. Notices (who joined, what is encrypted) and
places of media that were left out are no messages. Whether the day or the month comes first is what the
whole file shows: dates that exist and never go back; else the day, unless the clock has AM and PM.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from prefrontal.api.imports.entry import MemoryLine, Source, message
from prefrontal.graph.scratch.json_lines import Line, lines_of

_HEAD = re.compile(
    r"[\u200e\u200f]?(?P<open>\[)?"
    r"(?P<a>\d{4}|\d{1,2})(?P<mark>[./-])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{4}|\d{1,2})\.?,?[ \u00a0\u202f]"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?:[ \u00a0\u202f]?(?P<half>[AaPp])\.?[ \u00a0\u202f]?[Mm]\.?)?"
    r"(?(open)\]|[ \u00a0\u202f]-)[ \u00a0\u202f](?P<rest>.*)",
    re.DOTALL,
)
_SPEAKER_AND_TEXT = re.compile(r"(?P<speaker>[^:]+):(?:[ \u00a0\u202f](?P<text>.*))?$", re.DOTALL)
_MEDIA = re.compile(r"<[^<>\n]+>$")
_NOTICE = "\u200e"
"""The sign that begins what WhatsApp itself has written."""
_CENTURY = 100
_YEAR_FIRST, _DAY_FIRST, _MONTH_FIRST = (0, 1, 2), (2, 1, 0), (2, 0, 1)
"""Where year, month and day stand in a date."""


class _Message(NamedTuple):
    number: int
    head: re.Match[str]
    lines: list[str]


def is_whatsapp(line: str) -> bool:
    """Return whether a file that begins with this line is the export of a chat."""
    return _HEAD.match(line) is not None


def read_whatsapp(text: str, source: Source) -> Iterator[MemoryLine]:
    """Yield the messages of a chat in order; the conversation is the name of the source."""
    every: list[_Message] = []
    for number, line in enumerate(lines_of(text), start=1):
        head = _HEAD.match(line)
        if head is not None:
            every.append(_Message(number, head, [head["rest"]]))
        elif every:
            every[-1].lines.append(line)
        elif line.strip():
            yield Line(number, None, "is before the first message")
    order = _order([said.head for said in every])
    for said in every:
        spoken = _SPEAKER_AND_TEXT.match("\n".join(said.lines).strip())
        content = (spoken["text"] or "") if spoken else ""
        if spoken is None or content.startswith(_NOTICE) or not content.strip() or _MEDIA.match(content):
            continue
        at = _time(said.head, order, source)
        if at is None:
            yield Line(said.number, None, "there is no such date or time")
            continue
        speaker = spoken["speaker"].strip(" \u200e\u200f\u202a\u202c\u00a0\u202f~")
        yield message(said.number, content.strip(), speaker=speaker or None, conversation=source.name, at=at)


def _order(heads: list[re.Match[str]]) -> tuple[int, int, int]:
    if any(len(head["a"]) == len("2023") for head in heads):
        return _YEAR_FIRST
    dates = {order: [_date(head, order) for head in heads] for order in (_DAY_FIRST, _MONTH_FIRST)}
    possible = [order for order, days in dates.items() if None not in days]
    rising = [order for order in possible if dates[order] == sorted(day for day in dates[order] if day)]
    clock_of_12 = any(head["half"] for head in heads)
    wanted = _MONTH_FIRST if clock_of_12 else _DAY_FIRST
    left = rising or possible or [wanted]
    return wanted if wanted in left else left[0]


def _date(head: re.Match[str], order: tuple[int, int, int]) -> date | None:
    numbers = [int(head[name]) for name in ("a", "b", "c")]
    year, month, day = (numbers[place] for place in order)
    try:
        return date(year if year >= _CENTURY else 2000 + year, month, day)
    except ValueError:
        return None


def _time(head: re.Match[str], order: tuple[int, int, int], source: Source) -> datetime | None:
    day = _date(head, order)
    hour = int(head["hour"])
    if head["half"]:
        hour = hour % 12 + (12 if head["half"] in "Pp" else 0)
    if day is None:
        return None
    try:
        clock = time(hour, int(head["minute"]), int(head["second"] or 0), tzinfo=source.zone)
        return datetime.combine(day, clock).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
