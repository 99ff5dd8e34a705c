"""Which words of a text may be a known name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.entities.extraction import likely_names, name_candidates
from prefrontal.graph.text.folding import fold

TABLE = load_catalog(ROOT / "registry").memory.extraction


def keys(text: str) -> list[str]:
    return [each.key for each in name_candidates(text, TABLE)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("she called Will about it", ["will"]),
        # At the beginning of a sentence every word has a capital.
        ("Will it be? It will.", []),
        # `kubernetes` is rare enough to be a name without a capital.
        ("so kubernetes is down", ["kubernetes"]),
        ("we saw Lake Garda", ["lake", "lake garda", "garda"]),
        # Words in between may be any.
        ("in the House of Cards", ["house", "house of cards", "cards"]),
        # A name goes over no end of a sentence.
        ("this is for Ann. Bob left it", ["ann", "bob"]),
        ("that is Mom\u2019s (and Dad's) car", ["mom", "mom and dad", "dad"]),
        ("about R2 and them", ["r2"]),
        ("it was on and off", []),
        ("", []),
    ],
)
def test_candidates_are_words_that_look_like_a_name_or_are_rare(text: str, found: list[str]) -> None:
    assert keys(text) == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Dinner with Jonas on Saturday in May", {"jonas"}),
        ("Dinner at Anna's, and ask Kessmann GmbH", {"anna", "kessmann", "gmbh"}),
        # The first word has a capital anyway; a rare one may be a name.
        ("Plan the trip. Lindqvist comes too.", {"lindqvist"}),
        ("What does it cost? I need it in English", {"english"}),
        ("all in lower case, kubernetes too", set()),
        ("", set()),
    ],
)
def test_names_are_words_with_a_capital_that_name_no_day(text: str, names: set[str]) -> None:
    assert likely_names(text, 0.95) == names


def test_how_sure_a_name_is_depends_on_how_it_is_written() -> None:
    plain, rare = name_candidates("we use Redis and kubernetes", TABLE)[:3:2]

    assert (plain.text, plain.alike, plain.otherwise) == ("Redis", 0.9, 0.6)
    assert (rare.text, rare.alike, rare.otherwise) == ("kubernetes", 0.6, 0.6)


def test_a_long_text_has_a_bounded_number_of_candidates() -> None:
    few = TABLE.model_copy(update={"most": 5})
    assert len(name_candidates("we met Ann Bob Cleo Dora Emil", few)) == 5
    assert len(name_candidates("and Ann " * 10_000, TABLE)) == TABLE.most


@given(st.text(max_size=200))
def test_every_candidate_stands_in_the_text_within_the_bounds(text: str) -> None:
    for each in name_candidates(text, TABLE):
        assert 0 <= each.first <= each.last < each.first + TABLE.longest
        assert each.key == fold(each.text) != ""
        assert each.alike in (TABLE.spelled_alike, TABLE.otherwise)
