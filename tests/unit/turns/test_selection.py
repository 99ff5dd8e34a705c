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
from prefrontal.graph.turns.selection import admitted, selected

TABLE = load_catalog(Settings().registry_dir).retention
PARTS = ("relevance_to_goals", "relevance_to_user", "confidence", "novelty", "actionability")


def candidate(kind: StateType, value: float, **given: Any) -> Candidate:
    parts = {name: given.pop(name, 1.0) for name in PARTS}
    return Candidate(type=kind, origin="x", content="c", importance=Importance(value=value, **parts), **given)


def rule(*given: Any, **more: Any) -> Rule | None:
    (decided,) = selected([candidate(*given, **more)], TABLE)
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
    (decided,) = selected([candidate(kind, 0.0, user_data=True, **nothing)], TABLE)
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


STORED = [("old", 0.3), ("middle", 0.5), ("new", 0.3), ("high", 0.8)]


@pytest.mark.covers("TURN-34", "TURN-35")
def test_when_the_room_is_short_the_most_important_are_kept() -> None:
    assert admitted([0.5, 0.9, 0.7, 0.9, 0.1], [], 2) == [None, (), None, (), None]
    assert admitted([0.5, 0.9], [], 0) == [None, None]
    assert admitted([0.5, 0.9], [], -3) == [None, None]
    assert admitted([], STORED, 0) == []


@pytest.mark.covers("TURN-36")
@pytest.mark.parametrize(
    ("new", "room", "decided"),
    [
        # The least important one leaves, of equal ones the oldest.
        ([0.4], 0, [("old",)]),
        ([0.4, 0.4], 0, [("old",), ("new",)]),
        # Free room is taken first, by the most important one.
        ([0.4, 0.9], 1, [("old",), ()]),
        ([0.9], 5, [()]),
        # Nothing leaves for what is as important, or less.
        ([0.3], 0, [None]),
        ([0.2, 0.6], 0, [None, ("old",)]),
        ([0.5, 0.5, 0.5], 0, [("old",), ("new",), None]),
        ([0.9, 0.9, 0.9, 0.9, 0.9], 0, [("old",), ("new",), ("middle",), ("high",), None]),
        # Where there is too much already, one needs the room of several; then it is one for one again.
        ([0.9], -2, [("old", "new", "middle")]),
        ([0.9, 0.85], -2, [("old", "new", "middle"), ("high",)]),
        ([0.4], -2, [None]),
    ],
)
def test_the_least_important_stored_ones_leave_for_more_important_ones(
    new: list[float], room: int, decided: list[tuple[str, ...] | None]
) -> None:
    assert admitted(new, STORED, room) == decided


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
    )
)
def test_each_candidate_is_decided_once_and_user_data_is_kept(candidates: list[Candidate]) -> None:
    decided = selected(candidates, TABLE)
    assert [each.candidate for each in decided] == candidates
    kept = [each.candidate for each in decided if each.rule is None]
    assert [each for each in candidates if each.user_data] == [each for each in kept if each.user_data]


# Few different values, so that equal ones are frequent.
_values = st.lists(st.sampled_from([0.1, 0.4, 0.5, 0.8]), max_size=8)


@pytest.mark.covers("TURN-34..36")
@given(_values, _values, st.integers(-4, 8))
def test_what_stays_fits_the_room_and_nothing_more_important_leaves(
    new: list[float], values: list[float], room: int
) -> None:
    stored = [(f"m{number}", value) for number, value in enumerate(values)]
    decided = admitted(new, stored, room)
    places = [place for place in decided if place is not None]
    leaving = [uid for place in places for uid in place]
    assert len(leaving) == len(set(leaving))
    # As many leave as are needed, and no more.
    assert len(leaving) == (max(0, len(places) - room) if places else 0)
    # Those that leave are the least important, of equal ones the oldest.
    assert set(leaving) == {uid for uid, _ in sorted(stored, key=lambda each: each[1])[: len(leaving)]}
    of = dict(stored)
    assert all(of[uid] < value for value, place in zip(new, decided, strict=True) for uid in place or ())
    # What is left out is not more important than what has room, new or stored.
    left = max((value for value, place in zip(new, decided, strict=True) if place is None), default=0)
    assert all(value >= left for value, place in zip(new, decided, strict=True) if place is not None)
    if left and room >= 0:
        assert len(stored) - len(leaving) == 0 or min(of[u] for u in of if u not in leaving) >= left
