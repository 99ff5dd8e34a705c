"""What of a turn is remembered: worked values of each rule, and what holds for all candidates."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.importance import Importance
from prefrontal.graph.turns.commit_record import Candidate, RetentionClass, Rule
from prefrontal.graph.turns.export_record import StateType
from prefrontal.graph.turns.selection import selected

TABLE = load_catalog(Settings().registry_dir).retention
PARTS = ("relevance_to_goals", "relevance_to_user", "confidence", "novelty", "actionability")


def candidate(kind: StateType, value: float, **given: Any) -> Candidate:
    parts = {name: given.pop(name, 1.0) for name in PARTS}
    return Candidate(type=kind, origin="x", content="c", importance=Importance(value=value, **parts), **given)


def rule(*given: Any, **more: Any) -> Rule | None:
    (decided,) = selected([candidate(*given, **more)], TABLE, None)
    return decided.rule


@pytest.mark.covers(
    "TURN-22", "TURN-29", "TURN-38", "TURN-39", "TURN-53..58", "TURN-59", "TURN-62", "TURN-37"
)
@pytest.mark.parametrize(
    ("kind", "threshold", "days"),
    [
        (StateType.EVENT, 0.3, 30),
        (StateType.TOOL_EXECUTION, 0.5, 30),
        (StateType.OBSERVATION, 0.6, 7),
        (StateType.ERROR, 0.7, 7),
    ],
)
def test_what_is_not_above_the_threshold_of_its_type_is_left_out(
    kind: StateType, threshold: float, days: int
) -> None:
    assert rule(kind, threshold) is Rule.IMPORTANCE
    assert rule(kind, threshold + 0.001) is None
    assert rule(kind, 0.29) is Rule.IMPORTANCE
    kept = candidate(kind, threshold + 0.001)
    assert getattr(TABLE.classes, kept.retention.value).days == days


@pytest.mark.covers("TURN-50", "TURN-52")
@pytest.mark.parametrize("kind", list(StateType))
def test_user_data_is_always_kept_and_for_ever(kind: StateType) -> None:
    nothing = dict.fromkeys(PARTS, 0.0)
    assert rule(kind, 0.0, user_data=True, **nothing) is None
    assert TABLE.classes.user_data.days is None
    (decided,) = selected([candidate(kind, 0.0, user_data=True, **nothing)], TABLE, 0)
    assert (decided.rule, decided.candidate.retention) == (None, RetentionClass.USER_DATA)


@pytest.mark.covers("TURN-23", "TURN-24", "TURN-30..33")
def test_the_further_rules_of_a_type() -> None:
    unrelated = {"relevance_to_goals": 0.0, "relevance_to_user": 0.0, "actionability": 0.0}
    assert rule(StateType.EVENT, 0.5, **unrelated) is Rule.RELEVANCE
    for part in unrelated:
        assert rule(StateType.EVENT, 0.5, **{**unrelated, part: 0.1}) is None
    # Whoever gives the importance has judged the relevance.
    assert rule(StateType.EVENT, 0.5, given=True, **unrelated) is None

    assert rule(StateType.OBSERVATION, 0.9, confidence=0.79) is Rule.CONFIDENCE
    assert rule(StateType.OBSERVATION, 0.9, confidence=0.8) is None
    assert rule(StateType.ERROR, 0.9, actionability=0.49) is Rule.ACTIONABILITY
    assert rule(StateType.ERROR, 0.9, actionability=0.5) is None
    assert rule(StateType.TOOL_EXECUTION, 0.9, confidence=0.1, actionability=0.0) is None


@pytest.mark.covers("TURN-34", "TURN-35")
def test_when_the_room_is_short_the_most_important_are_kept() -> None:
    values = [0.5, 0.9, 0.7, 0.9, 0.1]
    given = [candidate(StateType.EVENT, value) for value in values]
    given.append(candidate(StateType.EVENT, 0.0, user_data=True))
    rules = [each.rule for each in selected(given, TABLE, 2)]
    assert rules == [Rule.QUOTA, None, Rule.QUOTA, None, Rule.IMPORTANCE, None]
    assert [each.rule for each in selected(given, TABLE, 0)] == [*[Rule.QUOTA] * 4, Rule.IMPORTANCE, None]
    assert [each.rule for each in selected(given, TABLE, -3)] == [*[Rule.QUOTA] * 4, Rule.IMPORTANCE, None]


_share = st.floats(0, 1)


@given(
    st.lists(
        st.builds(
            candidate,
            st.sampled_from(StateType),
            _share,
            user_data=st.booleans(),
            given=st.booleans(),
            **dict.fromkeys(PARTS, _share),
        ),
        max_size=12,
    ),
    st.integers(-2, 12) | st.none(),
)
def test_each_candidate_is_decided_once_and_the_kept_ones_fit_the_room(
    candidates: list[Candidate], room: int | None
) -> None:
    decided = selected(candidates, TABLE, room)
    assert [each.candidate for each in decided] == candidates
    kept = [each.candidate for each in decided if each.rule is None]
    limited = [each for each in kept if each.retention is not RetentionClass.USER_DATA]
    assert room is None or len(limited) <= max(0, room)
    assert [each for each in candidates if each.user_data] == [each for each in kept if each.user_data]
    if room is not None:
        left = [each.candidate.importance.value for each in decided if each.rule is Rule.QUOTA]
        assert all(each.importance.value >= max(left, default=0) for each in limited)
