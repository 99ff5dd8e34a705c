"""Correlation of sessions: worked values, extremes, symmetry, and what raises it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.correlation import (
    Digest,
    correlation_of,
    in_order,
    relationship_of,
    shared_names,
)
from prefrontal.graph.sessions.correlation_record import Relationship
from tests.unit.sessions.given import CATALOG, NOW, names

TABLE = CATALOG.correlation
EVERY = TABLE.model_copy(update={"threshold": 0.0})
NAMES = names.map(tuple)


def later(entities: tuple[str, ...] = (), themes: tuple[str, ...] = (), hours: float = 0) -> Digest:
    return Digest("ses_2", entities, themes, NOW + timedelta(hours=hours))


def earlier(entities: tuple[str, ...] = (), themes: tuple[str, ...] = (), uid: str = "ses_1") -> Digest:
    """A session of one hour that has just ended."""
    return Digest(uid, entities, themes, NOW - timedelta(hours=1), NOW)


@pytest.mark.covers("COR-06", "COR-14")
def test_the_worked_values_of_correlation() -> None:
    found = correlation_of(
        later(("Mom", "Vacation", "dad"), ("vacations", "family"), hours=6),
        earlier(("vacation", "mom", "boat"), ("vacation", "tax")),
        0.6,
        TABLE,
        encoder="hash",
    )
    assert found is not None
    # Two of three entities, one of two themes, half of the way from floor to ceiling, six of 24 hours.
    parts = (found.entity_overlap, found.theme_similarity, found.content_similarity, found.temporal_proximity)
    assert parts == pytest.approx((2 / 3, 0.5, 0.5, 0.75))
    assert found.correlation_score == pytest.approx(0.3 * 2 / 3 + 0.3 * 0.5 + 0.2 * 0.5 + 0.2 * 0.75)
    assert (found.session_id, found.relationship_type) == ("ses_1", Relationship.RELATED)
    assert (found.shared_entities, found.shared_themes) == (("Mom", "Vacation"), ("vacations",))


@pytest.mark.covers("COR-08", "COR-09")
def test_what_has_nothing_in_common_is_0_and_what_is_equal_is_1() -> None:
    same = correlation_of(later(("a", "b"), ("x",)), earlier(("b", "a"), ("x",)), None, EVERY)
    none = correlation_of(later(("a", "b"), ("x",)), earlier(("c",), ("y",)), None, EVERY)
    assert same is not None
    assert none is not None
    assert (same.entity_overlap, same.theme_similarity) == (1, 1)
    assert (none.entity_overlap, none.theme_similarity) == (0, 0)


@pytest.mark.covers("COR-02", "COR-04", "COR-05", "COR-10")
def test_the_gap_counts_from_the_end_of_the_earlier_to_the_start_of_the_later_within_the_lookback() -> None:
    def proximity(hours: float, lookback: float = 24) -> float | None:
        table = EVERY.model_copy(update={"max_lookback_hours": lookback})
        found = correlation_of(later(("a",), ("x",), hours), earlier(("a",), ("x",)), None, table)
        return None if found is None else found.temporal_proximity

    assert [proximity(hours) for hours in (-1, 0, 6, 12, 24)] == [1, 1, 0.75, 0.5, 0]
    assert proximity(24 + 1 / 3600) is None
    assert (proximity(36, lookback=48), proximity(3, lookback=2)) == (0.25, None)


@pytest.mark.covers("COR-18")
def test_a_session_that_goes_on_has_no_gap() -> None:
    running = earlier(("a",), ("x",))._replace(ended_at=None)
    found = correlation_of(later(("a",), ("x",), hours=5), running, None, TABLE)
    assert found is not None
    assert found.temporal_proximity == 1


@pytest.mark.covers("COR-12")
def test_only_what_is_above_the_threshold_is_related() -> None:
    # 0.3 of entities alone: as old as the look-back, no theme, no vector.
    old = later(("a",), (), hours=24)
    assert correlation_of(old, earlier(("a",)), None, TABLE) is None
    assert correlation_of(old._replace(started_at=NOW + timedelta(hours=23)), earlier(("a",)), None, TABLE)


@pytest.mark.covers("COR-17")
def test_a_session_is_not_related_to_itself() -> None:
    one = earlier(("a",), ("x",))
    assert correlation_of(one, one, 1.0, EVERY) is None


@pytest.mark.covers("COR-11")
def test_without_vectors_the_content_has_nothing_in_common() -> None:
    found = correlation_of(later(("a",), ("x",)), earlier(("a",), ("x",)), None, TABLE)
    assert found is not None
    assert found.content_similarity == 0


@pytest.mark.covers("COR-15")
@pytest.mark.parametrize(
    ("entities", "themes", "time", "is_"),
    [
        (0.5, 0.5, 0.9, Relationship.CONTINUATION),
        (1.0, 1.0, 0.89, Relationship.RELATED),
        (0.5, 0.5, 0.0, Relationship.RELATED),
        (0.49, 1.0, 0.9, Relationship.ADJACENT),
        (1.0, 0.49, 1.0, Relationship.ADJACENT),
        (0.49, 1.0, 0.89, Relationship.WEAK),
        (0.0, 0.0, 0.0, Relationship.WEAK),
    ],
)
def test_the_relationship_is_named_by_a_table(
    entities: float, themes: float, time: float, is_: Relationship
) -> None:
    assert relationship_of(entities, themes, time, TABLE) is is_


@pytest.mark.covers("COR-13")
def test_the_highest_score_comes_first() -> None:
    one = correlation_of(later(("a", "b"), ("x",)), earlier(("a", "b"), ("x",), "ses_0"), None, TABLE)
    two = correlation_of(later(("a", "b"), ("x",)), earlier(("a",), ("x",), "ses_1"), None, TABLE)
    three = correlation_of(later(("a", "b"), ("x",)), earlier(("a", "b"), ("x",), "ses_2x"), None, TABLE)
    found = [each for each in (two, one, three) if each is not None]
    assert [each.session_id for each in in_order(found)] == ["ses_2x", "ses_0", "ses_1"]


def test_shared_names_are_spelled_as_in_the_first_and_stand_once() -> None:
    assert shared_names(("Wines", "wine", "tax"), ("wine", "Boat")) == ("Wines",)


@pytest.mark.covers("COR-07")
@given(NAMES, NAMES, NAMES, NAMES, st.none() | st.floats(-1, 1), st.floats(-40, 40))
def test_the_parts_are_between_0_and_1_and_all_but_time_are_symmetric(
    entities: tuple[str, ...],
    themes: tuple[str, ...],
    others: tuple[str, ...],
    more: tuple[str, ...],
    cosine: float | None,
    hours: float,
) -> None:
    one, two = later(entities, themes, hours), earlier(others, more)
    found = correlation_of(one, two, cosine, EVERY)
    back = correlation_of(
        two._replace(started_at=NOW, ended_at=None), one._replace(started_at=NOW), cosine, EVERY
    )
    if found is None or back is None:
        return
    parts = (found.entity_overlap, found.theme_similarity, found.content_similarity)
    assert all(0 <= part <= 1 for part in (*parts, found.temporal_proximity, found.correlation_score))
    assert parts == (back.entity_overlap, back.theme_similarity, back.content_similarity)


@given(NAMES, NAMES, st.sampled_from(["zebra", "quartz"]))
def test_another_name_in_common_never_lowers_the_score(
    entities: tuple[str, ...], others: tuple[str, ...], name: str
) -> None:
    before = correlation_of(later(entities), earlier(others), None, EVERY)
    after = correlation_of(later((*entities, name)), earlier((*others, name)), None, EVERY)
    assert before is not None
    assert after is not None
    assert after.entity_overlap >= before.entity_overlap
