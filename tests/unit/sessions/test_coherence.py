"""Coherence: worked values, extremes, and what raises it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.coherence import (
    coherence_boost,
    coherence_contribution,
    coherence_of,
    contributions,
    dominant_themes_of,
    theme_alignment,
)
from prefrontal.graph.sessions.names import shared
from prefrontal.graph.sessions.slot import Slot
from tests.unit.sessions.given import CATALOG, NOW, names, sessions, slot

TABLE = CATALOG.coherence


@pytest.mark.covers("WMS-81")
def test_a_session_without_items_is_coherent() -> None:
    found = coherence_of([], TABLE)
    assert (found.score, found.dominant_themes, found.entity_graph) == (1.0, (), {})


@pytest.mark.covers("WMS-82")
def test_the_worked_values_of_coherence() -> None:
    held = [
        slot("a", themes=["wine", "cellar"], entities=["ann", "bob"], at=NOW),
        slot("b", themes=["wines", "tax"], entities=["ann"], at=NOW - timedelta(hours=48)),
    ]
    found = coherence_of(held, TABLE)
    # One of two themes is shared, one of one entity; both are 24 hours, one half-life, from the middle.
    assert (found.thematic, found.entity, found.temporal) == (0.5, 1.0, 0.5)
    assert found.score == pytest.approx(0.4 * 0.5 + 0.3 * 1 + 0.3 * 0.5)


@pytest.mark.covers("WMS-83")
@given(sessions(least=1))
def test_the_parts_and_the_score_are_between_0_and_1(held: list[Slot]) -> None:
    found = coherence_of(held, TABLE)
    parts = (found.thematic, found.entity, found.temporal)
    assert all(0 <= part <= 1 for part in (*parts, found.score))
    assert found.score == pytest.approx(0.4 * parts[0] + 0.3 * parts[1] + 0.3 * parts[2], abs=1e-8)
    assert coherence_of(held[:1], TABLE).score == 1


@pytest.mark.covers("WMS-84")
def test_the_five_most_frequent_themes_are_dominant() -> None:
    held = [
        slot("a", themes=["vacation", "family", "wine", "wine"], salience=0.2),
        slot("b", themes=["vacations", "family", "tax", "boat"], salience=0.9),
        slot("c", themes=["vacation", "harbour", "apple"], salience=0.9),
    ]
    # Of the themes of one item those of the more salient ones, then in the order of the alphabet.
    assert dominant_themes_of(held, TABLE) == ("vacation", "family", "apple", "boat", "harbour")


@given(sessions(), st.randoms())
def test_the_order_of_the_items_makes_no_difference(held: list[Slot], chance) -> None:
    mixed = list(held)
    chance.shuffle(mixed)
    one, other = coherence_of(held, TABLE), coherence_of(mixed, TABLE)
    assert one._replace(temporal=0, score=0) == other._replace(temporal=0, score=0)
    assert one.score == pytest.approx(other.score)


@pytest.mark.covers("WMS-85")
def test_the_entity_graph_counts_in_how_many_items_two_are() -> None:
    held = [
        slot("a", entities=["mom", "family", "vacation"]),
        slot("b", entities=["family", "mom"]),
        slot("c", entities=["bob"]),
    ]
    assert coherence_of(held, TABLE).entity_graph == {
        ("family", "mom"): 2,
        ("family", "vacation"): 1,
        ("mom", "vacation"): 1,
    }


@pytest.mark.covers("WMS-87")
@given(st.integers(2, 6), names.filter(bool))
def test_items_on_one_theme_are_more_coherent_than_others(count: int, themes: list[str]) -> None:
    alike = [slot(f"{number}", themes=themes) for number in range(count)]
    unlike = [slot(f"{number}", themes=[f"topic{number}"]) for number in range(count)]
    one, other = coherence_of(alike, TABLE), coherence_of(unlike, TABLE)
    assert (one.thematic, other.thematic) == (1, 0)
    assert one.score > other.score


@pytest.mark.covers("WMS-88")
@given(st.integers(2, 6), names.filter(bool))
def test_items_that_share_entities_are_more_coherent_than_others(count: int, entities: list[str]) -> None:
    alike = [slot(f"{number}", entities=entities) for number in range(count)]
    unlike = [slot(f"{number}", entities=[f"name{number}"]) for number in range(count)]
    assert (coherence_of(alike, TABLE).entity, coherence_of(unlike, TABLE).entity) == (1, 0)
    some = [*alike, slot("last", entities=["somebody"])]
    assert 0 < coherence_of(some, TABLE).entity < 1


@pytest.mark.covers("WMS-89")
@given(st.lists(st.floats(0, 100), min_size=2, max_size=8), st.floats(1.01, 10))
def test_items_close_in_time_are_more_coherent_than_those_far_apart(hours: list[float], wider: float) -> None:
    def temporal(factor: float) -> float:
        held = [slot(f"{n}", at=NOW + timedelta(hours=h * factor)) for n, h in enumerate(hours)]
        return coherence_of(held, TABLE).temporal

    assert temporal(0) == 1
    assert temporal(wider) <= temporal(1) <= 1


@given(st.lists(names.map(frozenset), min_size=2, max_size=7))
def test_what_sets_share_is_counted_over_all_pairs(sets: list[frozenset[str]]) -> None:
    pairs = [(one, other) for place, one in enumerate(sets) for other in sets[place + 1 :]]
    most = sum(min(len(one), len(other)) for one, other in pairs)
    expected = sum(len(one & other) for one, other in pairs) / most if most else 0
    assert shared(sets) == pytest.approx(expected)


@pytest.mark.covers("WMS-53")
def test_a_new_item_fits_by_what_the_session_holds() -> None:
    held = [slot("a", entities=["ann"], themes=["wine"]), slot("b", themes=["cellars"])]
    assert coherence_boost(["ann"], ["wine"], [], TABLE) == 0
    assert coherence_boost([], [], held, TABLE) == 0
    assert coherence_boost(["ann"], ["wine", "cellar"], held, TABLE) == 1
    # Half of the themes; without entities the themes count alone.
    assert coherence_boost([], ["wine", "tax"], held, TABLE) == 0.5
    # (0.4·0.5 + 0.3·0) / 0.7
    assert coherence_boost(["bob"], ["wine", "tax"], held, TABLE) == pytest.approx(0.2 / 0.7)


@pytest.mark.covers("WMS-53")
@given(names, names, sessions())
def test_the_boost_is_between_0_and_1(entities: list[str], themes: list[str], held: list[Slot]) -> None:
    assert 0 <= coherence_boost(entities, themes, held, TABLE) <= 1


def test_the_alignment_with_the_dominant_themes() -> None:
    one = slot(themes=["wine", "tax"])
    assert theme_alignment(one, ("wine", "cellar", "boat")) == 0.5
    assert theme_alignment(one, ("taxes", "wines", "boat")) == 1
    assert theme_alignment(one, ("boat",)) == 0
    assert (theme_alignment(one, ()), theme_alignment(slot(), ("wine",))) == (0, 0)


@given(sessions(least=1))
def test_a_contribution_is_the_share_of_names_that_others_have(held: list[Slot]) -> None:
    found = contributions(held)
    assert found == {one.item_uid: coherence_contribution(one, held) for one in held}
    assert all(0 <= share <= 1 for share in found.values())
    assert coherence_contribution(held[0], held[:1]) == 0
