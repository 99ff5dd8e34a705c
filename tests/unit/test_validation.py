"""Checks of input: texts, lists, maps, and the paths that problems name."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core.core_schema import ErrorType

from prefrontal.graph.errors import InvalidInput, SeveralProblems, TooLarge
from prefrontal.graph.shape import message_of
from prefrontal.graph.validation import (
    MOST_LEVELS,
    MOST_NAMED,
    camel,
    json_problems,
    list_problems,
    raise_all,
    shape_problems,
    short_name,
    text_problems,
)


def summaries(problems):
    return [(type(problem), problem.field, problem.message) for problem in problems]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u2003"])
def test_a_text_that_says_nothing_is_refused_unless_it_is_optional(text):
    assert summaries(text_problems(text, "content", 9)) == [(InvalidInput, "content", "must not be empty")]
    assert text_problems(text, "content", 9, required=False) == []


def test_a_text_may_be_as_long_as_its_limit_in_characters():
    assert text_problems("é" * 9, "content", 9) == []
    assert summaries(text_problems("é" * 10, "content", 9)) == [
        (TooLarge, "content", "at most 9 characters, not 10")
    ]


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800"])
def test_half_of_a_surrogate_pair_is_refused(text):
    (problem,) = text_problems(text, "content", 9)

    assert (problem.code, problem.field) == ("invalid", "content")
    assert "surrogate" in problem.message


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_any_unicode_text_is_taken_as_it_came(text):
    assert text_problems(text, "content", 50, required=False) == []


def test_a_list_may_be_as_long_as_its_limit():
    assert list_problems([1, 2], "tags", 2) == []
    assert summaries(list_problems([1, 2, 3], "tags", 2)) == [(TooLarge, "tags", "at most 2 entries, not 3")]


@pytest.mark.parametrize("value", [None, {}, {"a": [1, None, {"b": "é"}]}])
def test_a_map_that_is_json_is_taken(value):
    assert json_problems(value, "metadata", 100) == []


@pytest.mark.parametrize(
    "value", [{"a": float("nan")}, {"a": float("inf")}, {"a": object()}, {"a": {1, 2}}, {"a": "\ud800"}]
)
def test_a_map_that_is_not_json_is_refused(value):
    (problem,) = json_problems(value, "metadata", 100)

    assert problem.field == "metadata"
    assert problem.message.startswith("is not JSON: ")


def test_a_map_that_contains_itself_or_is_too_deep_is_refused():
    loop: dict = {}
    loop["a"] = loop
    deep: dict = {}
    for _ in range(100_000):
        deep = {"a": deep}

    for value in (loop, deep):
        assert summaries(json_problems(value, "metadata", 100)) == [
            (TooLarge, "metadata", f"at most {MOST_LEVELS} levels deep")
        ]


def test_a_map_that_is_too_long_is_too_large():
    (problem,) = json_problems({"a": "x" * 100}, "metadata", 100)

    assert (problem.code, problem.message) == ("too_large", "at most 100 characters of JSON, not 109")


def test_one_problem_is_raised_as_it_is_and_several_together():
    raise_all([])
    one, two = InvalidInput("first", field="a"), TooLarge("second", field="b")

    with pytest.raises(TooLarge) as single:
        raise_all([two])
    with pytest.raises(SeveralProblems) as several:
        raise_all([one, two])

    assert single.value is two
    assert several.value.problems == (one, two)
    assert several.value.message == "first (and 1 more)"
    assert several.value.field == "a"


def test_a_flood_of_problems_is_cut():
    with pytest.raises(SeveralProblems) as caught:
        raise_all(InvalidInput("x", field=f"a[{number}]") for number in range(1000))

    assert len(caught.value.problems) == MOST_NAMED


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    due_at: int


class Outer(BaseModel):
    pending_actions: list[Inner]
    title: str


def test_problems_of_shape_have_the_paths_that_clients_spell():
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"pending_actions": [{"due_at": 1}, {"due_at": "x", "odd_one": 2}]})

    assert [problem.field for problem in shape_problems(caught.value, "input")] == [
        "input.pendingActions[1].dueAt",
        "input.pendingActions[1].oddOne",
        "input.title",
    ]
    assert shape_problems(caught.value)[-1].field == "title"


def test_a_problem_of_shape_does_not_repeat_the_input():
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"pending_actions": [{"due_at": "secret"}], "title": "x"})

    assert "secret" not in shape_problems(caught.value)[0].message


@pytest.mark.covers("REG-31")
def test_no_kind_of_error_is_told_in_the_words_of_the_library():
    """Also those that no model has yet: a new field brings new ones."""
    words = "Input should be a valid string, unable to parse raw data"
    limits = dict.fromkeys(("min_length", "max_length", "gt", "ge", "lt", "le"), 2)
    context = {**limits, "expected": "'a' or 'b'", "discriminator": "'kind'", "expected_tags": "'a', 'b'"}
    said = {
        kind: message_of({"type": kind, "msg": words, "ctx": {**context, "error": ValueError("ours")}})
        for kind in get_args(ErrorType)
    }

    assert len(said) > 100
    assert [kind for kind, message in said.items() if words in message or "'" in message] == []
    assert said["string_unicode"] == "contains an unpaired surrogate, which is not valid Unicode"


@pytest.mark.parametrize(
    ("name", "spelt"), [("min_confidence", "minConfidence"), ("uid", "uid"), ("a_b_c", "aBC"), ("", "")]
)
def test_names_are_spelt_as_clients_do(name, spelt):
    assert camel(name) == spelt


@given(st.text())
def test_a_caption_is_one_short_line(text):
    name = short_name(text)

    assert len(name) <= 60
    assert "\n" not in name
    assert name == " ".join(name.split())


def test_a_caption_that_was_cut_says_so():
    assert short_name("x" * 60) == "x" * 60
    assert short_name("x" * 61) == "x" * 59 + "…"
    assert short_name(" two\n lines ") == "two lines"
