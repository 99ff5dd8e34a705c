"""Admission: the formula's worked values, its bounds, and what its decision says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.admission import Components, Decision, decide, salience_of
from tests.unit.sessions.given import CATALOG, shares

TABLE = CATALOG.admission
EXAMPLE = Components(relevance=0.78, urgency=0.6, recency=0.9, attention=0.8)
components = st.builds(Components, shares, shares, shares, shares)


def decided(parts: Components = EXAMPLE, **how: Any) -> Decision:
    how = {"task_relevance": 0, "coherence_boost": 0, "held": 0, "capacity": 12, **how}
    return decide(parts, table=TABLE, **how)


@pytest.mark.covers("WMS-47")
def test_the_worked_values_of_salience() -> None:
    assert salience_of(EXAMPLE, TABLE) == 0.772
    each = [Components(*(float(place == part) for place in range(4))) for part in range(4)]
    assert [salience_of(parts, TABLE) for parts in each] == [0.4, 0.2, 0.2, 0.2]


@pytest.mark.covers("WMS-49", "WMS-50")
def test_the_worked_values_of_a_decision() -> None:
    assert decided(task_relevance=0.5, coherence_boost=0.25, held=7) == Decision(
        admitted=True,
        # 0.772 · (1 + 0.3·0.5 + 0.2·0.25)
        score=0.9264,
        # 0.425 · (1 + 0.5·7/12)
        threshold=0.548958333,
        salience=0.772,
        task_relevance=0.5,
        coherence_boost=0.25,
        reasons=("high_relevance", "recent_access", "user_attention"),
    )
    assert decided(task_relevance=1).score == pytest.approx(0.772 * 1.3)
    assert decided(coherence_boost=1).score == pytest.approx(0.772 * 1.2)


@pytest.mark.covers("WMS-54", "WMS-55")
def test_the_threshold_rises_with_what_is_held_before_the_item() -> None:
    assert [decided(held=held).threshold for held in (0, 6, 12)] == [0.425, 0.53125, 0.6375]
    assert round(decided(held=7).threshold, 3) == 0.549
    # More than the capacity is full.
    assert decided(held=20).threshold == 0.6375


@pytest.mark.covers("WMS-51")
def test_the_score_is_not_capped_at_one() -> None:
    assert decided(Components(1, 1, 1, 1), task_relevance=1, coherence_boost=1).score == 1.5


@pytest.mark.covers("WMS-56")
def test_a_score_that_equals_the_threshold_is_not_enough() -> None:
    # 0.4·0.5 + 0.2·(0.125 + 0.5 + 0.5) is 0.425, and so is the threshold.
    equal = decided(Components(0.5, 0.125, 0.5, 0.5))
    assert (equal.score, equal.threshold, equal.admitted) == (0.425, 0.425, False)
    assert decided(Components(0.5, 0.126, 0.5, 0.5)).admitted


@pytest.mark.covers("WMS-58")
def test_what_an_empty_session_admits_a_full_one_may_refuse() -> None:
    parts = Components(0.6, 0.5, 0.5, 0.5)
    assert [decided(parts, held=held).admitted for held in (0, 12)] == [True, False]


@pytest.mark.covers("WMS-42", "WMS-43")
def test_the_reasons_are_the_parts_from_seven_tenths_up() -> None:
    assert decided().reasons == ("high_relevance", "recent_access", "user_attention")
    assert decided(Components(0.7, 0.7, 0.7, 0.7)).reasons == (
        "high_relevance",
        "high_urgency",
        "recent_access",
        "user_attention",
    )
    assert decided(Components(0.69, 0.69, 0.69, 0.69)).reasons == ()


@pytest.mark.covers("WMS-51")
@given(components, shares, shares, st.integers(0, 12))
def test_the_numbers_stay_in_their_ranges(parts: Components, task: float, boost: float, held: int) -> None:
    found = decided(parts, task_relevance=task, coherence_boost=boost, held=held)
    assert 0 <= found.salience <= 1
    assert found.salience <= found.score <= 1.5
    assert 0.425 <= found.threshold <= 0.6375
    assert found.admitted is (found.score > found.threshold)


@pytest.mark.covers("WMS-59")
@given(components, st.sampled_from(Components._fields), shares, shares, shares, st.integers(0, 12))
def test_more_of_a_part_never_refuses_what_less_admits(
    parts: Components, name: str, more: float, task: float, boost: float, held: int
) -> None:
    higher = parts._replace(**{name: max(more, getattr(parts, name))})
    one, other = (
        decided(each, task_relevance=task, coherence_boost=boost, held=held) for each in (parts, higher)
    )
    assert other.salience >= one.salience
    assert other.score >= one.score
    assert other.admitted >= one.admitted


@given(st.builds(Components, *[st.floats(-5, 5)] * 4))
def test_parts_outside_of_their_range_are_clamped(parts: Components) -> None:
    assert 0 <= salience_of(parts, TABLE) <= 1
