"""Generalising: what is special to one turn leaves the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.lessons.generalising import (
    general,
    named_values,
    plural,
    purpose_names,
    shortened,
    varying,
    without_one_off,
    words_of_name,
)
from prefrontal.graph.lessons.record import Call
from tests.unit.lessons.given import TABLE, call, statements

CITIES = [call("weather_api", location=city) for city in ("Paris", "London", "New York")]


@pytest.mark.covers("OUT-23")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("obs_01JBXM3Z8K0QF3W4T9V2C7H5RD was slow", "an id was slow"),
        ("3f2b8c1e-9a4d-4c77-8f00-1234567890ab was slow", "an id was slow"),
        ("deadbeef01 was slow", "an id was slow"),
        ("turn-17 was slow", "an id was slow"),
        ("Ticket #17 was slow", "Ticket an id was slow"),
        ("Slow at 10:30", "Slow at a time"),
        ("Slow at 10:30:15.5 pm", "Slow at a time"),
        ("Slow on 2026-11-27T03:55:48Z", "Slow on a date"),
        ("Slow on 2026-11-27", "Slow on a date"),
        ("Slow on 5 May 2026", "Slow on a date"),
        ("Slow on May 5th", "Slow on a date"),
        ("See https://example.org/a?b=1.", "See an address."),
        ("Ask ann@example.org", "Ask an address"),
        ("Order 1234567", "Order a number"),
        ("It may take 3 calls of API v2", "It may take 3 calls of API v2"),
        ("Add a decade of effaced facades", "Add a decade of effaced facades"),
    ],
)
def test_what_is_one_off_is_replaced(text: str, said: str) -> None:
    assert without_one_off(text) == said


@pytest.mark.covers("OUT-23")
def test_the_ids_of_the_turn_are_replaced_whatever_they_look_like() -> None:
    assert general("In monday the cache helped", [], TABLE, ["monday", ""]) == "In an id the cache helped"
    assert general("In mondays", [], TABLE, ["monday"]) == "In mondays"


@pytest.mark.covers("OUT-23")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Weather API is reliable for Paris queries", "Weather API is reliable for location queries"),
        ("It worked for Paris, London and New York", "It worked for several locations"),
        ("It worked for Paris, London, and New York today", "It worked for several locations today"),
        ("Paris or London", "several locations"),
        ("Parisian food", "Parisian food"),
        ("paris", "paris"),
    ],
)
def test_values_are_replaced_by_their_kind(text: str, said: str) -> None:
    assert general(text, CITIES, TABLE) == said


@pytest.mark.covers("OUT-23")
def test_the_lesson_of_the_example_is_general() -> None:
    (lesson, _) = statements(
        call("weather_api", location="Paris"), what_worked=("Weather API is reliable for Paris queries",)
    )
    assert lesson == "What worked: Weather API is reliable for location queries"


def test_the_words_of_a_tool_and_ordinary_words_stay() -> None:
    calls = [call("weather_api", query="Weather", mode="fast")]
    assert general("Weather API is fast", calls, TABLE) == "Weather API is fast"


def test_the_value_of_a_parameter_without_a_telling_name() -> None:
    assert general("Found Paris", [call("web_search", query="Paris")], TABLE) == "Found value"


def test_named_values() -> None:
    calls = [
        call("a", city="Paris", more=["Oslo", "oslo", 3]),
        call("a", city="PARIS", when="2026-11-27", note="x" * 100, code="A7"),
    ]
    assert named_values(calls, TABLE) == ("Paris", "Oslo")


def test_parameters_that_vary() -> None:
    calls = [call("a", city="Paris", unit="C"), call("a", city="Oslo", unit="C", day="Monday")]
    assert varying(calls) == ("city", "day")
    assert varying(calls[:1]) == ()


def test_names_of_parameters_that_tell_something() -> None:
    assert purpose_names(["userLocation", "query", "user_id", "_"], TABLE) == ("user id", "user location")


@pytest.mark.parametrize(
    ("noun", "many"), [("location", "locations"), ("city", "cities"), ("day", "days"), ("box", "boxes")]
)
def test_plurals(noun: str, many: str) -> None:
    assert plural(noun) == many


def test_spoken_names() -> None:
    assert [words_of_name(name) for name in ("weather_api", "webSearch", "a-b.c")] == [
        "weather api",
        "web search",
        "a b c",
    ]


@given(st.text(), st.integers(1, 60))
def test_a_text_is_cut_to_its_length(text: str, longest: int) -> None:
    short = shortened(text, longest)
    assert len(short) <= longest
    assert short == text if len(text) <= longest else short.endswith("…")


def test_a_text_is_cut_between_words() -> None:
    assert shortened("one two three", 10) == "one two…"


@pytest.mark.covers("OUT-23")
@given(st.text(max_size=60), st.uuids(), st.datetimes())
def test_no_id_and_no_time_is_left(text: str, uid: object, at: object) -> None:
    said = general(f"{text} {uid} at {at}", [], TABLE)
    assert str(uid) not in said
    assert str(at) not in said


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=4))
def test_any_value_can_be_replaced(text: str, values: list[str]) -> None:
    calls = [Call(invocation_uid="i", tool="t", parameters={"city": value}) for value in values]
    assert len(general(text, calls, TABLE)) <= TABLE.longest
