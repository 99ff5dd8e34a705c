"""What a text says without its numbers, dates, units and negations."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.scratch.text_frame import TextAnalyser, folded, key_of, same_text

FRAMING = TextAnalyser(load_catalog(ROOT / "registry").contradiction)
ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes  tea.", "user likes tea"),
        ("Ｕｓｅｒ likes tea!", "User likes tea"),
        ("(The user) likes “tea”", "the user likes tea"),
        ("The user doesn’t like tea", "The user doesn't like tea"),
        ("Call at 3 p.m.", "call at 3 pm"),
        ("third-party tool", "third party tool"),
    ],
)
def test_spelling_makes_no_other_text(one: str, other: str) -> None:
    assert same_text(one, other)
    assert FRAMING.frame_of(one) == FRAMING.frame_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it is 5", "it is -5"),
        ("it is 3.5", "it is 35"),
        ("it is 5%", "it is 5"),
        ("it is $5", "it is €5"),
        ("it is 10:30", "it is 1030"),
        ("is it 5?", "is it 5"),
        ("the user likes tea", "the user likes coffee"),
    ],
)
def test_what_makes_another_text(one: str, other: str) -> None:
    assert not same_text(one, other)


@pytest.mark.parametrize(
    ("text", "frame", "values"),
    [
        ("The budget is $50", "budget is <n>", ["50usd"]),
        ("The budget is 50 EUR.", "budget is <n>", ["50eur"]),
        ("Budget: 1,000", "budget : <n>", ["1000"]),
        ("User has 3 options", "user hav <n> option", ["3"]),
        ("User has three options", "user hav <n> option", ["3"]),
        ("It costs 2.5 million dollars", "it cost <n>", ["2500000usd"]),
        ("It takes 1,5 hours", "it tak <n>", ["5400time"]),
        ("Twenty-five apples are left", "<n> appl are leav+", ["25"]),
        ("The meeting is on 5 Nov 2025 at 3 pm", "meeting is on <d> at <d>", ["@2025-11-05", "@T15:00"]),
        (
            "The meeting is on November 5th, 2025 at 15:00",
            "meeting is on <d> at <d>",
            ["@2025-11-05", "@T15:00"],
        ),
        ("The meeting is on 2025-11-05T15:00Z", "meeting is on <d>", ["@2025-11-05T15:00"]),
        ("The meeting is on the 5th of November", "meeting is on <d>", ["@--11-05"]),
        ("The meeting is on Friday", "meeting is on <d>", ["@weekday 5"]),
        ("It is due 11/05/2025", "it is due <d>", ["@2025-05-11|2025-11-05"]),
        ("It is due 25.12.2025", "it is due <d>", ["@2025-12-25"]),
    ],
)
def test_values_leave_their_place(text: str, frame: str, values: list[str]) -> None:
    reading = FRAMING.read(text)
    assert (reading.frame, [value.literal for value in reading.values]) == (frame, values)
    assert reading.negations == 0
    assert reading.claims


@pytest.mark.parametrize(
    "text",
    [
        "note 1",
        "Room 12 is free",
        "A 5 km run is healthy",
        "The price is at least $5",
        "User drank 3 coffees yesterday",
        "The response took 20 ms",
        "Is the budget 50?",
        "The budget might be 50",
        "Version 1.2.3 is out",
        "gpt-4 is slow",
        "Lunch with Ann on Monday",
    ],
)
def test_a_number_that_tells_things_apart_stays(text: str) -> None:
    assert FRAMING.read(text).values == ()


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("User likes wine", "The user does not like wine"),
        ("User eats meat", "User doesn't eat meat anymore"),
        ("User still eats meat", "The user no longer eats meat"),
        ("User eats meat", "User never eats meat"),
        ("The build finished", "The build didn't finish"),
        ("The user went home", "The user did not go home"),
        ("User has children", "User has no children"),
        ("The user can drive", "The user cannot drive"),
        ("It's open", "It isn't open"),
        ("The trip is with breakfast", "The trip is without breakfast"),
    ],
)
def test_a_denied_text_has_the_same_frame(text: str, denied: str) -> None:
    plain, other = FRAMING.read(text), FRAMING.read(denied)
    assert plain.frame == other.frame
    assert (plain.negations, other.negations) == (0, 1)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("User likes wine", "User likes not only wine"),
        ("User likes wine", "User liked wine"),
        ("All tests pass", "Not all tests pass"),
        ("User has children", "User has 3 children"),
    ],
)
def test_what_says_something_else_has_another_frame(text: str, other: str) -> None:
    assert FRAMING.frame_of(text) != FRAMING.frame_of(other)


def test_a_long_text_is_its_own_frame() -> None:
    text = "The budget is 50. " * 60
    assert FRAMING.read(text).frame == folded(text)
    assert not FRAMING.read(text).claims


def test_the_key_is_of_the_frame_and_the_subject() -> None:
    keys = {key_of("a", None), key_of("a", "ann"), key_of("b", "ann"), key_of("aann", None)}
    assert len(keys) == 4
    assert key_of("a", None) == key_of("a", "")
    assert all(len(key) == 32 and set(key) <= set("0123456789abcdef") for key in keys)


@given(ANYTHING)
@example("İ")
@example("1,2.3:4-5/6 am")
@example("5th of may 2025 of may")
def test_any_text_can_be_read_and_folding_keeps_its_frame(text: str) -> None:
    reading = FRAMING.read(text)
    assert FRAMING.frame_of(folded(text)) == reading.frame
    assert FRAMING.frame_of(f"  {text} ") == reading.frame
