"""The scores of memories and goals: worked values, bounds, and which way each part turns them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.tables import GoalScoreTable
from prefrontal.graph.context.record import ScoreParts
from prefrontal.graph.context.scoring import (
    Match,
    is_about,
    lifted,
    match,
    relevance_in_session,
    score_of,
)
from prefrontal.graph.recency import recency
from prefrontal.graph.search.rules import Hit

TABLE = load_catalog(ROOT / "registry").context.observation_score
HALF_LIFE = TABLE.recency_half_life_hours
NOW = datetime(2025, 11, 5, 10, 30, tzinfo=UTC)
part = st.floats(0, 1)
hours = st.floats(0, 1e5)


@pytest.mark.parametrize(
    ("age", "expected"), [(0, 1.0), (12, 0.5), (24, 0.25), (36, 0.125), (6, 0.5**0.5), (-5, 1.0)]
)
def test_recency_halves_with_every_half_life(age: float, expected: float) -> None:
    assert recency(NOW - timedelta(hours=age), NOW, 12) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("relevance", "age", "confidence", "expected"),
    [
        (1, 0, 1, 1.0),
        (0, 1e6, 0, 0.0),
        (1, 1e6, 0, 0.6),
        (0, 0, 0, 0.2),
        (0, 12, 0, 0.1),
        (0, 1e6, 1, 0.2),
        (0.5, 12, 0.95, 0.3 + 0.1 + 0.19),
    ],
)
def test_worked_scores(relevance: float, age: float, confidence: float, expected: float) -> None:
    new = recency(NOW - timedelta(hours=age), NOW, HALF_LIFE)
    score = score_of(ScoreParts(relevance=relevance, recency=new, confidence=confidence), TABLE)

    assert score == pytest.approx(expected, abs=1e-12)


@given(relevance=part, age=hours, confidence=part, more=part, later=hours)
def test_a_score_is_in_bounds_and_monotone(
    relevance: float, age: float, confidence: float, more: float, later: float
) -> None:
    def score(r: float, h: float, c: float) -> float:
        new = recency(NOW - timedelta(hours=h), NOW, HALF_LIFE)
        return score_of(ScoreParts(relevance=r, recency=new, confidence=c), TABLE)

    here = score(relevance, age, confidence)

    assert 0 <= here <= 1 + 1e-12
    assert score(max(relevance, more), age, confidence) >= here
    assert score(relevance, age, max(confidence, more)) >= here
    assert score(relevance, age + later, confidence) <= here


CONTEXT = load_catalog(ROOT / "registry").context


@pytest.mark.parametrize(
    ("closeness", "salience", "weight", "expected"),
    [(0, 0.9, 1, 0.9), (1, 0.9, 1, 1), (0.3, 0.5, 0.5, 0.3), (0.2, 0.5, 0.5, 0.25), (0.2, 1, 0, 0.2)],
)
def test_what_is_held_is_as_relevant_as_it_is_salient_or_close(
    closeness: float, salience: float, weight: float, expected: float
) -> None:
    table = CONTEXT.model_copy(update={"held_relevance": weight})
    assert relevance_in_session(closeness, salience, table) == pytest.approx(expected)


@given(closeness=part, salience=part, more=part)
def test_the_relevance_of_what_is_held_is_in_bounds_and_monotone(
    closeness: float, salience: float, more: float
) -> None:
    here = relevance_in_session(closeness, salience, CONTEXT)
    assert closeness <= here <= 1
    assert relevance_in_session(max(closeness, more), salience, CONTEXT) >= here
    assert relevance_in_session(closeness, max(salience, more), CONTEXT) >= here


@pytest.mark.parametrize(
    ("closeness", "correlation", "weight", "expected"),
    [(0, 0.5, 1, 0.4), (0.6, 0.5, 1, 0.6), (0.1, 0.5, 0.5, 0.2), (0, 1, 1, 0.8), (0.3, 1, 0, 0.3)],
)
def test_what_an_earlier_session_left_is_as_relevant_as_both_have_in_common(
    closeness: float, correlation: float, weight: float, expected: float
) -> None:
    table = CONTEXT.model_copy(update={"related_relevance": weight})
    assert relevance_in_session(closeness, 0.8, table, correlation) == pytest.approx(expected)


@given(salience=part, correlation=part, more=part)
def test_what_an_earlier_session_left_is_no_more_relevant_than_what_is_held(
    salience: float, correlation: float, more: float
) -> None:
    here = relevance_in_session(0, salience, CONTEXT, correlation)
    assert 0 <= here <= relevance_in_session(0, salience, CONTEXT)
    assert relevance_in_session(0, salience, CONTEXT, max(correlation, more)) >= here


TEXT = "Order the wines for Saturday's dinner"
GOALS = GoalScoreTable(urgency_weight=0.5, relevance_weight=0.5, full_relevance=0.5)


def test_a_goal_is_as_relevant_as_its_words() -> None:
    assert match(TEXT, {}, {"wine": 0.6, "train": 0.2}, GOALS) == Match(1.0)
    assert match(TEXT, {}, {"wine": 0.2, "train": 0.6}, GOALS) == Match(pytest.approx(0.5))
    assert match("Order the wines", {}, {"dinner": 0.5}, GOALS) == Match(0.0)
    assert match(TEXT, {}, {}, GOALS) == Match(0.0)


def test_or_as_what_it_belongs_to() -> None:
    evidence = {"obs_1": 0.4, "obs_2": 0.9}
    assert match(TEXT, evidence, {"train": 0.2}, GOALS) == Match(0.9, "obs_2")
    # Its own words count if they say more.
    assert match(TEXT, evidence, {"wine": 0.2}, GOALS) == Match(1.0)


@given(urgency=st.floats(0, 1), relevance=st.floats(0, 1), more=st.floats(0, 1))
def test_a_more_relevant_or_more_urgent_goal_never_scores_less(
    urgency: float, relevance: float, more: float
) -> None:
    score = score_of(ScoreParts(urgency=urgency, relevance=relevance), GOALS)
    assert 0.0 <= score <= 1.0
    assert score_of(ScoreParts(urgency=max(urgency, more), relevance=relevance), GOALS) >= score
    assert score_of(ScoreParts(urgency=urgency, relevance=max(relevance, more)), GOALS) >= score


def test_the_weights_of_goals_sum_to_one() -> None:
    with pytest.raises(ValidationError):
        GoalScoreTable(urgency_weight=0.5, relevance_weight=0.6, full_relevance=0.4)


def test_a_note_is_about_whom_a_prompt_names_if_it_declares_them_or_has_the_name() -> None:
    def about(content: str, **given: object) -> bool:
        return is_about(Hit(**{"uid": "a", "content": content, "at": NOW, **given}), frozenset({"jonas"}))

    assert about("Jonas does not tolerate sulphites")
    assert about("JONAS' allergy")
    assert about("Jonas's allergy")
    assert about("He does not tolerate sulphites", about=["ent_1"])
    assert not about("Jonathan drinks anything")
    # What people say to each other is all that somebody said.
    assert not about("Jonas, are you there?", spoken=True)
    assert not about("Cook for Jonas", kind="goal")


@given(st.floats(0, 1), st.floats(0, 1))
def test_such_a_note_is_never_less_close_and_keeps_its_order_among_its_like(one: float, other: float) -> None:
    table = load_catalog(ROOT / "registry").context.model_copy(update={"named": 0.7})
    best = max(one, other)

    # A sum of two products may end one unit in the last place beside the number itself.
    assert lifted(one, best, table) >= max(one, 0.7 * best) - 1e-12
    assert lifted(one, best, table) <= best + 1e-12
    assert (lifted(one, best, table) <= lifted(other, best, table)) or one >= other


def test_a_worked_closeness_of_such_a_note() -> None:
    table = load_catalog(ROOT / "registry").context.model_copy(update={"named": 0.7})

    assert lifted(0.2, 0.8, table) == pytest.approx(0.8 * (0.7 + 0.3 * 0.25))
