"""Dates in a text: in figures in both orders, with months, and what is none."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.text.dates import Day, dates_in


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 2027-03-14", [{(2027, 3, 14)}]),
        ("in 2027-03", [{(2027, 3, 0)}]),
        ("14.3.2027 and 14. 3. 27", [{(2027, 3, 14)}, {(2027, 3, 14)}]),
        ("3/2/2027", [{(2027, 2, 3), (2027, 3, 2)}]),
        ("14/3/2027", [{(2027, 3, 14)}]),
        ("the 14th of March, 2027", [{(2027, 3, 14)}]),
        ("March 14", [{(0, 3, 14)}]),
        ("Sept. 2026", [{(2026, 9, 0)}]),
        ("31 February 2027", []),
        ("March on, may 2 of us sit?", []),
        ("version 2.10.1, 192.168.20.1 and 14:30", []),
        ("in May", []),
        ("1245.5 euros", []),
    ],
)
def test_worked_dates(text: str, days: list[set[tuple[int, int, int]]]) -> None:
    assert [set(each.readings) for each in dates_in(text)] == [{Day(*day) for day in each} for each in days]


@given(st.dates(date(1500, 1, 1), date(2199, 12, 31)))
def test_a_day_is_read_in_every_form(day: date) -> None:
    months = f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b} {day.year}"
    for text in (day.isoformat(), f"{day.day}.{day.month}.{day.year}", *months):
        (found,) = dates_in(f"It is due on {text}, or so.")
        assert Day(day.year, day.month, day.day) in found.readings


@given(st.text(max_size=100))
def test_any_text_may_have_dates(text: str) -> None:
    for each in dates_in(text):
        assert each.readings
        assert 0 <= each.start < each.end <= len(text)


def test_dates_agree_as_far_as_they_say_anything() -> None:
    day = Day(2027, 3, 14)

    assert day.agrees(Day(0, 3, 14))
    assert day.agrees(Day(2027, 3, 0))
    assert not day.agrees(Day(2026, 3, 14))
    assert not day.agrees(Day(0, 3, 15))
