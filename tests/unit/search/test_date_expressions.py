"""The time that a question names: worked values, words that are no times, and bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.search.date_expressions import Span, span_of

NOW = datetime(2026, 6, 20, 10, 30, tzinfo=UTC)
"""A Saturday."""


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what happened today?", "2026-06-20", "2026-06-21"),
        ("Yesterday's standup", "2026-06-19", "2026-06-20"),
        ("what did Tayo write this morning", "2026-06-20", "2026-06-21"),
        ("where were we last night", "2026-06-19", "2026-06-21"),
        ("what did Marek say on Thursday", "2026-06-18", "2026-06-19"),
        ("who called last Saturday", "2026-06-13", "2026-06-14"),
        ("this week", "2026-06-15", "2026-06-22"),
        ("what did we plan last week", "2026-06-08", "2026-06-15"),
        ("this weekend", "2026-06-20", "2026-06-22"),
        ("last weekend", "2026-06-13", "2026-06-15"),
        ("last month", "2026-05-01", "2026-06-01"),
        ("What happened last March?", "2026-03-01", "2026-04-01"),
        ("the outage of last December", "2025-12-01", "2026-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("Where did she live in 2022?", "2022-01-01", "2023-01-01"),
        ("in may 2023", "2023-05-01", "2023-06-01"),
        ("the lunch on 8 May, 2023", "2023-05-08", "2023-05-09"),
        ("May 8th, 2023", "2023-05-08", "2023-05-09"),
        ("the note of 2023-05-08", "2023-05-08", "2023-05-09"),
        ("invoices of 2023-05", "2023-05-01", "2023-06-01"),
        ("3 days ago", "2026-06-17", "2026-06-18"),
        ("a couple of weeks ago", "2026-06-01", "2026-06-08"),
        ("two months ago", "2026-04-01", "2026-05-01"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("this summer", "2026-06-01", "2026-09-01"),
        ("in winter 2024", "2024-12-01", "2025-03-01"),
    ],
)
def test_a_named_time_is_a_span(text: str, start: str, end: str) -> None:
    assert span_of(text, NOW) == Span(day(start), day(end))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("in the last two months", "2026-04-20"),
        ("over the past 10 days", "2026-06-10"),
        ("since April", "2026-04-01"),
        ("since Monday", "2026-06-15"),
        ("since last year", "2025-01-01"),
    ],
)
def test_a_time_until_now(text: str, start: str) -> None:
    assert span_of(text, NOW) == Span(day(start), NOW)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("what did he do in May?", Span(month=5)),
        ("what happened in march", Span(month=3)),
        ("How did the March release go?", Span(month=3)),
        ("outage in dec", Span(month=12)),
        ("who was born on Feb 29", Span(month=2, day=29)),
    ],
)
def test_a_month_without_a_year_is_that_of_any_year(text: str, span: Span) -> None:
    assert span_of(text, NOW) == span


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May I come in?",
        "she may know",
        "They march every day",
        "which Jan do we know",
        "2023-02-31",
        "on call",
    ],
)
def test_other_words_name_no_time(text: str) -> None:
    assert span_of(text, NOW) is None


def test_a_span_begins_at_its_start_and_ends_before_its_end() -> None:
    span = Span(day("2026-06-01"), day("2026-07-01"))

    assert [span.holds(day(at)) for at in ("2026-05-31", "2026-06-01", "2026-06-30", "2026-07-01")] == [
        False,
        True,
        True,
        False,
    ]
    assert [Span(month=5, day=8).holds(day(at)) for at in ("2023-05-08", "1999-05-08", "2023-05-09")] == [
        True,
        True,
        False,
    ]


WORDS = "the last past few 3 999 day weeks months years ago since in on May march 31 2024 monday summer night"


@given(
    words=st.lists(st.sampled_from(WORDS.split()), max_size=6),
    now=st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9990, 1, 1)),  # noqa: DTZ001
)
def test_every_text_has_a_span_or_none(words: list[str], now: datetime) -> None:
    span = span_of(" ".join(words), now.replace(tzinfo=UTC))

    assert span is None or (span.start is None) == (span.end is None)
    if span is not None and span.start is not None and span.end is not None:
        assert timedelta(0) <= span.end - span.start
