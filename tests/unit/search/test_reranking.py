"""How the best notes are ranked again: worked values, bounds, and what is not read."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.tables import EncoderTable, QueryVectorTable, RerankerTable
from prefrontal.graph.search.reranking import reranked, text_of, to_read
from prefrontal.graph.search.rules import Hit, Part, Parts, RankedHit, in_order

TABLE = load_catalog(ROOT / "registry").search
BY = RerankerTable(best=2, weight=0.5, most=4.0)
SORTS = {
    "read": {"middle": 3.0, "slope": 2.0, "floor": 0.25},
    "notes": {"middle": 2.0, "slope": 1.0, "floor": 0.25},
    "speech": {"middle": 1.0, "slope": 1.0, "floor": 0.25},
}
E5 = EncoderTable.model_validate(
    {"notes": QueryVectorTable(common=0.0, unrelated=0.75, spread=0.03), "relevance": SORTS}
)
THEN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


def found(*sums: float, **kinds: str) -> list[RankedHit]:
    """Notes a, b, c … with these sums."""
    hits = [
        RankedHit(Hit(uid, uid, THEN, kind=kinds.get(uid, "")), Parts(meaning=total), alone=total)
        for uid, total in zip("abcdefgh", sums, strict=False)
    ]
    return in_order(hits, E5, TABLE)


def answers(ranked: list[RankedHit]) -> dict[str, float | None]:
    return {each.hit.uid: each.parts.answer for each in ranked}


def test_a_logit_is_added_with_its_weight_and_the_order_and_the_relevance_follow() -> None:
    ranked = reranked(found(4.0, 3.5, 3.0), {"a": -1.0, "b": 2.0}, BY, E5, TABLE)

    assert answers(ranked) == {"b": 1.0, "a": -0.5, "c": None}
    # The one that was not read stands as if it had the least answer of those that were.
    assert [(each.hit.uid, each.order) for each in ranked] == [("b", 4.5), ("a", 3.5), ("c", 2.5)]
    odds = [2.0 * (4.5 - 3.0), 2.0 * (3.5 - 3.0), 1.0 * (3.0 - 2.0)]
    assert [each.relevance for each in ranked] == [pytest.approx(1 / (1 + math.exp(-each))) for each in odds]
    close = TABLE.closeness
    assert ranked[1].closeness == pytest.approx(1 / (1 + math.exp(-close.slope * (3.5 - close.middle))))


def test_a_note_that_was_not_read_gains_nothing_from_those_that_answer() -> None:
    ranked = reranked(found(4.0, 3.5, 3.0), {"a": 1.0, "b": 2.0}, BY, E5, TABLE)

    assert {each.hit.uid: each.order for each in ranked} == {"a": 4.5, "b": 4.5, "c": 3.0}


def test_a_logit_counts_up_to_a_bound() -> None:
    assert answers(reranked(found(4.0, 3.5), {"a": 9.0, "b": -9.0}, BY, E5, TABLE)) == {"a": 2.0, "b": -2.0}


def test_only_the_best_notes_are_read() -> None:
    hits = [
        Hit("said", "said", THEN, spoken=True),
        Hit("goal", "goal", THEN, kind="goal"),
        *(Hit(uid, uid, THEN) for uid in "xyz"),
    ]
    ranked = in_order(
        [RankedHit(hit, Parts(meaning=9.0 - place)) for place, hit in enumerate(hits)], E5, TABLE
    )

    assert [each.hit.uid for each in to_read(ranked, BY)] == ["x", "y"]
    read = reranked(ranked, {"x": 1.0, "y": -1.0}, BY, E5, TABLE)
    assert answers(read) == {"said": None, "goal": None, "x": 0.5, "y": -0.5, "z": None}


def test_none_are_read_if_the_registry_says_so() -> None:
    assert to_read(found(4.0, 3.5), BY.model_copy(update={"best": 0})) == []


def test_of_a_long_note_its_best_passage_is_read_with_its_speaker() -> None:
    long = Hit("a", "one two", THEN, passages=(Part("one"), Part("two")))
    ((whole,), (passage,), (said,)) = (
        in_order([RankedHit(hit, Parts(), best)], E5, TABLE)
        for hit, best in ((long, None), (long, 1), (long._replace(speaker="Ann"), 0))
    )

    assert [text_of(each) for each in (whole, passage, said)] == ["one two", "two", "Ann: one"]


def test_a_note_knows_the_clause_that_it_was_read_with() -> None:
    read = reranked(found(4.0, 3.5, 3.0), {"a": 1.0, "b": 1.0}, BY, E5, TABLE, {"b": "when is the audit"})

    assert {each.hit.uid: each.clause for each in read} == {"a": "", "b": "when is the audit", "c": ""}


def test_what_says_the_same_stays_with_what_it_repeats() -> None:
    ranked = [each._replace(same=("x",)) if each.hit.uid == "b" else each for each in found(4.0, 3.5)]

    assert {each.hit.uid: each.same for each in reranked(ranked, {"b": 3.0}, BY, E5, TABLE)} == {
        "b": ("x",),
        "a": (),
    }


QUARTERS = st.integers(-80, 80).map(lambda number: number / 4)
"""Numbers whose sums are exact, so that no two are equal by rounding alone."""


@given(st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=8), st.integers(1, 8))
def test_what_was_not_read_passes_nothing_that_was(notes: list[tuple[float, float]], best: int) -> None:
    by = BY.model_copy(update={"best": best})
    ranked = found(*(total for total, _ in notes))
    read = {each.hit.uid: notes["abcdefgh".index(each.hit.uid)][1] for each in to_read(ranked, by)}
    again = reranked(ranked, read, by, E5, TABLE)

    assert sorted(each.hit.uid for each in again) == sorted(each.hit.uid for each in ranked)
    assert all(0 <= each.relevance <= 1 for each in again)
    totals = {each.hit.uid: each.order for each in again}
    unread = [each.hit.uid for each in again if each.hit.uid not in read]
    assert max((totals[uid] for uid in unread), default=-math.inf) <= min(totals[uid] for uid in read)
    # Those that were not read keep their order.
    assert unread == [each.hit.uid for each in ranked if each.hit.uid not in read]
