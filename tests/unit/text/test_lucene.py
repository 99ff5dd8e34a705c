"""User text as a search: words only, and the spaces always required."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.text.lucene import longest_words, ordering_query, search_query, telling_words

QUERY = re.compile(
    r'\+searchable_in:\((?:"spc_\d+"(?: OR )?)+\)\^0 \+content:\("[^"\\]+"(?: OR "[^"\\]+")*\)\^0'
    r'(?: content:\["([^"\\]+)" TO "\1"\]\^\d+)+',
    re.DOTALL,
)


@given(
    text=st.text(max_size=200) | st.text('"\\+-&|!(){}[]^~*?:/ aOR', max_size=60),
    spaces=st.lists(st.integers(0, 9).map(lambda n: f"spc_{n}"), max_size=4),
)
def test_nothing_of_the_text_is_syntax_and_the_spaces_are_required(text: str, spaces: list[str]) -> None:
    query = search_query(text, spaces, 16)

    if not spaces or not any(character.isalnum() for character in text):
        assert query == ""
        return
    assert QUERY.fullmatch(query)
    where = query.split(")^0 +content:(", 1)[0]
    assert re.findall(r'"([^"]+)"', where) == sorted(set(spaces))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("— ! ?", []),
        ("Burgundy wine wine", ["Burgundy", "wine"]),
        ("deploy_prod", ["deploy_prod", "deploy", "prod"]),
        ("example.com, now", ["example.com,", "example", "com,", "now"]),
        ('say "hi"\\x', ["say", "hi", "x"]),
        ("हिन्दी", ["हिन्दी"]),
        ("What is the plan, and the plan's cost?", ["plan's", "plan,", "cost?"]),
        ("THE (the) “the” plan", ["plan"]),
        ("What is the", ["What", "the", "is"]),
    ],
)
def test_the_words_that_tell_something(text: str, words: list[str]) -> None:
    assert telling_words(text, 16, {"what", "is", "the", "and"}) == words


def test_of_a_long_prompt_the_longest_words_are_searched_wherever_they_stand() -> None:
    text = " ".join([*(f"w{n}" for n in range(500)), "Burgundy"])
    assert telling_words(text, 3, {"w499"}) == ["Burgundy", "w100", "w101"]


def test_a_worked_query() -> None:
    assert search_query("Red wine and tea", ["spc_2", "spc_1"], 2, {"and"}) == (
        '+searchable_in:("spc_1" OR "spc_2")^0 +content:("wine" OR "Red")^0'
        ' content:["wine" TO "wine"]^4 content:["Red" TO "Red"]^3 content:["red" TO "red"]^3'
    )


@given(text=st.text(max_size=300), most=st.integers(1, 10))
def test_few_words_order_and_none_of_them_is_syntax(text: str, most: int) -> None:
    words = longest_words(text, most)
    query = ordering_query(text, ["spc_1"], most)

    assert len(words) <= most
    assert all(len(word) <= 64 for word in words)
    assert [len(word) for word in words] == sorted((len(word) for word in words), reverse=True)
    assert query == "" if not words else QUERY.fullmatch(query)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a red Burgundy", ["Burgundy", "red", "a"]),
        ("我想喝红酒", ["我想", "想喝", "喝红", "红酒"]),
        ("喝 tea茶", ["tea", "喝", "茶"]),
        ("x" * 100, ["x" * 64]),
        ("— ! ?", []),
    ],
)
def test_the_longest_words(text: str, words: list[str]) -> None:
    assert longest_words(text, 8) == words
