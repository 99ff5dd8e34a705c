"""Answers held against expectations: exact, but for what stands in; differences are named by path."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.api.fixtures.keys import Keys
from prefrontal.api.fixtures.match import compare

TEA = "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"
MILK = "obs_01JBXM3Z8K0QF3W4T9V2C7H5RE"


def keys() -> Keys:
    found = Keys()
    found.bind("tea", TEA)
    found.bind("milk", MILK)
    found.now = datetime(2025, 11, 5, 12, tzinfo=UTC)
    return found


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(alphabet="abc é1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc"), inner, max_size=3),
    max_leaves=10,
)


@given(json_values)
def test_everything_equals_itself(value):
    assert compare(value, value, Keys())


@given(json_values, json_values)
def test_different_values_differ_and_say_where(one, other):
    found = compare(one, other, Keys())
    assert bool(found) == (not found.differences)
    if one != other:
        assert found.differences
        assert found.report()


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 1.0),
        ("$tea", TEA),
        ("$any", 0),
        ("$$tea", "$tea"),
        ("$now", "2025-11-05T12:00:00+00:00"),
        ("$now + 1 day", "2025-11-06T13:00:00+01:00"),
        (datetime(2025, 11, 5, tzinfo=UTC), "2025-11-05T00:00:00Z"),
        ({"$approx": 0.333}, 1 / 3),
        ({"$approx": 0.3, "$within": 0.1}, 0.35),
        ({"$contains": "b"}, "abc"),
        ({"$contains": ["a", "c"]}, "abc"),
        ({"$unordered": ["$milk", "$tea"]}, [TEA, MILK]),
        ({"$unordered": [{"id": "$tea"}, "$any"]}, [1, {"id": TEA}]),
        ({"$as": "tea"}, TEA),
        ((1, (2,)), [1, [2]]),
    ],
)
def test_what_stands_in(expected, actual):
    assert compare(expected, actual, keys())


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        (1, True, "it: expected 1, got true"),
        ("1", 1, 'it: expected "1", got 1'),
        (None, 0, "it: expected null, got 0"),
        ("$any", None, 'it: expected "$any", got null'),
        ("$tea", MILK, 'it: expected "$tea", got "$milk"'),
        ("$cup", TEA, "it: nothing is called $cup yet"),
        ("$now", "2025-11-05T12:00:01Z", 'it: expected "2025-11-05T12:00:00Z", got "2025-11-05T12:00:01Z"'),
        ({"a": 1}, {"a": 1, "b": 2}, "b: expected nothing, got 2"),
        ({"a": 1, "b": 2}, {"a": 1}, "b: expected 2, got nothing"),
        ({"a": None}, {}, "a: expected null, got nothing"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "a[0].b: expected 1, got 2"),
        ([1, 2], [1], "it: expected 2 entries, got 1"),
        ([1], {"a": 1}, 'it: expected [1], got {"a": 1}'),
        ({"$approx": 0.3}, 0.35, 'it: expected {"$approx": 0.3}, got 0.35'),
        ({"$approx": 1}, True, 'it: expected {"$approx": 1}, got true'),
        ({"$contains": ["a", "d"]}, "abc", 'it: expected {"$contains": ["a", "d"]}, got "abc"'),
        ({"$unordered": [1, 1]}, [1, 2], "[]: expected 1, got nothing"),
        ({"$unordered": [1]}, [1, 2], "[]: expected nothing, got 2"),
        ({"$as": "tea"}, MILK, 'it: expected "$tea", got "$milk"'),
        ({"$as": "cup"}, None, 'it: expected {"$as": "cup"}, got null'),
    ],
)
def test_what_differs_is_said(expected, actual, said):
    assert said in compare(expected, actual, keys()).differences


def test_a_captured_id_is_known_from_there_on():
    known = keys()
    assert compare({"a": {"$as": "cup"}, "b": ["$cup"]}, {"a": "goal_1", "b": ["goal_1"]}, known)
    assert known.uids["cup"] == "goal_1"


def test_a_captured_id_may_be_named_before_the_place_that_captures_it():
    known = keys()
    expected = {"a": ["$cup"], "b": [{"id": {"$as": "cup"}}]}
    assert compare(expected, {"a": ["goal_1"], "b": [{"id": "goal_1"}]}, known)
    assert known.uids["cup"] == "goal_1"
    assert compare(expected, {"a": ["goal_2"], "b": [{"id": "goal_1"}]}, known).differences == [
        'a[0]: expected "goal_1", got "goal_2"'
    ]


def test_both_sides_are_shown_with_keys_and_without_what_stood_in():
    actual = {"id": TEA, "name": "green", "score": 0.5, "list": [MILK, 2]}
    expected = {"id": {"$as": "it"}, "name": "black", "score": "$any", "list": ["$milk", 3]}
    assert compare(expected, actual, keys()).report().splitlines() == [
        'name: expected "black", got "green"',
        "list[1]: expected 3, got 2",
        "--- expected",
        "+++ got",
        "@@ -1,9 +1,9 @@",
        " {",
        '   "id": "$tea",',
        '-  "name": "black",',
        '+  "name": "green",',
        '   "score": 0.5,',
        '   "list": [',
        '     "$milk",',
        "-    3",
        "+    2",
        "   ]",
        " }",
    ]
