"""User text as a search: words only, and the spaces always required."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.text.lucene import longest_words, ordering_query, terms_query
from prefrontal.graph.text.terms import index_form, weighted_terms

TERMS = re.compile(
    r'\+searchable_in:\((?:"spc_\d+"(?: OR )?)+\)\^0 '
    r'\+\(terms:"[^"\\]+"(?: OR terms:"[^"\\]+")*\)\^0'
    r'(?: terms:\["([^"\\]+)" TO "\1"\]\^\d\.\d\d)*',
    re.DOTALL,
)
QUERY = re.compile(
    r'\+searchable_in:\((?:"spc_\d+"(?: OR )?)+\)\^0 \+content:\("[^"\\]+"(?: OR "[^"\\]+")*\)\^0'
    r'(?: content:\["([^"\\]+)" TO "\1"\]\^\d+)+',
    re.DOTALL,
)


@given(
    text=st.text(max_size=200) | st.text('"\\+-&|!(){}[]^~*?:/ aOR', max_size=60),
    spaces=st.lists(st.integers(0, 9).map(lambda n: f"spc_{n}"), max_size=4),
)
def test_nothing_of_a_question_is_syntax_and_the_spaces_are_required(text: str, spaces: list[str]) -> None:
    terms = {index_form(term): weight for term, weight in weighted_terms(text, ()).items()}
    query = terms_query(terms, spaces)

    if not spaces or not terms:
        assert query == ""
        return
    assert TERMS.fullmatch(query)
    where = query.split(")^0 +(", 1)[0]
    assert re.findall(r'"([^"]+)"', where) == sorted(set(spaces))


def test_a_worked_query() -> None:
    assert terms_query({"wine": 0.5, "red": 0.25}, ["spc_2", "spc_1"]) == (
        '+searchable_in:("spc_1" OR "spc_2")^0 +(terms:"wine" OR terms:"red")^0'
        ' terms:["wine" TO "wine"]^0.50 terms:["red" TO "red"]^0.25'
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
