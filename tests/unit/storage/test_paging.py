"""Cursors: opaque, exact, and only for the list they came from."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.storage.paging import (
    Page,
    checked_first,
    decode_cursor,
    encode_cursor,
    page_of,
    start_of,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(min_value=-(2**63), max_value=2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def handmade(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@given(INTEGERS, TEXTS, FLOATS)
def test_a_cursor_gives_back_the_key_it_was_made_of(rank, uid, score):
    assert decode_cursor(encode_cursor(rank, uid, score), int, str, float) == (rank, uid, score)


@given(TEXTS)
def test_a_cursor_is_safe_in_an_address(uid):
    assert set(encode_cursor(uid)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(st.text())
def test_any_other_text_is_refused_or_was_made_by_us(text):
    try:
        key = decode_cursor(text, str)
    except InvalidInput:
        return
    assert encode_cursor(*key) == text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_a_cursor_of_anything_else_gives_a_key_that_the_database_takes_or_is_refused(value):
    try:
        rank, uid = decode_cursor(handmade(json.dumps(value)), int, str)
    except InvalidInput:
        return
    assert type(rank) is int
    assert -(2**63) <= rank < 2**63
    uid.encode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD",
        "é",
        handmade("{}"),
        handmade('"x"'),
        handmade("[]"),
        handmade('["a","b"]'),
        handmade("[1]"),
        handmade("[null]"),
        handmade('["a" ]'),
        handmade(r'["\ud800"]'),
        handmade("[" * 100_000),
        encode_cursor("a") + "=",
        encode_cursor("a") + "!",
        encode_cursor(3, "goal_x"),
    ],
)
def test_a_foreign_cursor_is_refused_with_its_field(cursor):
    with pytest.raises(InvalidInput, match="not a cursor of this list") as caught:
        decode_cursor(cursor, str, field="goals.after")

    assert caught.value.field == "goals.after"


@pytest.mark.parametrize(
    "text", ['[true,"g"]', f'[{2**63},"g"]', f'[{-(2**63) - 1},"g"]', '["1","g"]', "[1.0,1]"]
)
def test_a_number_that_the_database_could_not_take_is_refused(text):
    with pytest.raises(InvalidInput):
        decode_cursor(handmade(text), int, str)


@pytest.mark.parametrize("text", ["[NaN]", "[Infinity]", "[-Infinity]", "[1e999]"])
def test_a_score_that_is_no_number_is_refused(text):
    with pytest.raises(InvalidInput):
        decode_cursor(handmade(text), float)


def test_a_page_has_twenty_items_unless_asked_otherwise():
    assert [checked_first(first) for first in (None, 1, 20, 100)] == [20, 1, 20, 100]


@pytest.mark.parametrize("first", [-1, 0, 101, 2**40])
def test_a_page_size_out_of_range_is_refused(first):
    with pytest.raises(InvalidInput, match=f"between 1 and 100, not {first}") as caught:
        checked_first(first)

    assert caught.value.field == "first"


def test_a_page_knows_by_one_item_more_whether_there_is_a_next_one():
    def key(item):
        return (item,)

    assert page_of(["a", "b", "c"], 2, key) == Page(
        ("a", "b"), (encode_cursor("a"), encode_cursor("b")), True
    )
    assert page_of(["a", "b"], 2, key) == Page(("a", "b"), (encode_cursor("a"), encode_cursor("b")), False)
    assert page_of([], 2, key) == Page((), (), False)


def test_a_page_starts_after_its_cursor_or_at_the_beginning_and_the_cursor_fits_the_beginning():
    assert start_of(None, 7, "~") == (7, "~")
    assert start_of(encode_cursor(3, "goal_x"), 7, "~") == (3, "goal_x")
    for cursor in (encode_cursor("goal_x"), encode_cursor("3", "goal_x"), "x"):
        with pytest.raises(InvalidInput):
            start_of(cursor, 7, "~")
