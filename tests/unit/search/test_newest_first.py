"""What holds now comes before what held earlier: which notes are compared, and in which order they stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.tables import AlikeTable
from prefrontal.graph.search.newest_first import Placed, newest_first, to_compare
from prefrontal.graph.search.rules import Hit, Parts, RankedHit, parse_search_query

TABLE = load_catalog(ROOT / "registry").search
ALIKE = AlikeTable(relevance=0.3, cosine=0.5)
NOW = datetime(2026, 6, 20, 10, 30, tzinfo=UTC)
QUESTION = "Which port has the server?"


def found(uid: str, order: float, days: int, relevance: float = 0.8, **given: object) -> RankedHit:
    """Something that happened some days ago."""
    hit = Hit(**{"uid": uid, "content": uid, "at": NOW - timedelta(days=days), **given})
    return RankedHit(hit, Parts(), order=order, relevance=relevance)


def order(*shown: RankedHit, alike: str) -> str:
    return "".join(each.found.hit.uid for each in placed(*shown, alike=alike))


def placed(*shown: RankedHit, alike: str) -> list[Placed]:
    found_ = newest_first(shown, set(alike))
    assert [each.place for each in found_] == sorted(each.place for each in found_)
    return found_


def compared(*ranked: RankedHit, text: str = QUESTION, alike: AlikeTable | None = ALIKE) -> str:
    return "".join(to_compare(ranked, parse_search_query(text, (), NOW), text, alike, TABLE))


def test_of_notes_that_are_alike_the_newest_comes_first() -> None:
    assert order(found("a", 5, 400), found("b", 4, 40), found("c", 3.5, 100), alike="abc") == "bca"


def test_they_stand_where_the_best_of_them_stood_and_the_rest_stays() -> None:
    assert order(found("a", 5, 400), found("b", 4, 300), found("c", 3, 10), alike="ac") == "cab"
    assert order(found("a", 5, 400), found("b", 4, 300), found("c", 3, 10), alike="bc") == "acb"


def test_of_two_at_the_same_time_the_surer_one_comes_first_and_then_the_better_one() -> None:
    assert order(found("a", 5, 1, confidence=0.5), found("b", 4, 1), alike="ab") == "ba"
    assert order(found("b", 5, 1), found("a", 4, 1), alike="ab") == "ba"


def test_what_stands_behind_a_newer_one_says_so() -> None:
    shown = found("a", 5, 400), found("b", 4, 40), found("c", 4, 40), found("d", 3, 400)

    assert [(each.found.hit.uid, each.newer) for each in placed(*shown, alike="abc")] == [
        ("b", None),
        ("c", None),
        ("a", "b"),
        ("d", None),
    ]


def test_compared_are_notes_that_are_relevant_enough_the_best_first() -> None:
    ranked = (
        found("m", 9, 3, spoken=True),
        found("g", 8, 3, kind="goal"),
        found("a", 5, 400),
        found("b", 4, 40),
        found("c", 3, 40, relevance=0.29),
    )

    assert compared(*ranked) == "ab"
    assert compared(*ranked, alike=None) == ""


def test_nothing_is_compared_where_no_order_depends_on_it() -> None:
    assert compared(found("a", 5, 40), found("b", 4, 40)) == ""
    assert compared(found("a", 5, 40)) == ""
    assert compared() == order(alike="") == ""


@pytest.mark.parametrize(
    "text", ["Which port had the server before?", "The old port", "Which port in May 2025?"]
)
def test_a_question_about_the_past_changes_no_order(text: str) -> None:
    assert compared(found("a", 5, 400), found("b", 4, 40), text=text) == ""
