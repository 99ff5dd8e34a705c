"""Which observation founds, joins, stays or goes: properties of the plan over generated scratch pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import GoalStatus, KnownGoal
from prefrontal.graph.cortex.goals.topics import topics_of_title
from prefrontal.graph.evaluation.decision import Planner, named_goal, named_key
from prefrontal.graph.evaluation.record import Decision, Plan, Reason
from prefrontal.graph.scratch.record import Reviewable
from prefrontal.graph.text.folding import text_key
from tests.support.observations import NOW, SPACE, observed

CATALOG = load_catalog(Settings().registry_dir)
GOAL = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"


def candidate(number: int = 0, **draft: Any) -> Reviewable:
    draft.setdefault("content", f"Vineyard {number}")
    uid = f"obs_01JBXM3Z8K0QF3W4T9V2C7H{number:03}"
    o = observed(at=NOW + timedelta(seconds=number), uid=uid, **draft)
    return Reviewable(
        observation=o,
        linked=False,
        goal_ids=(),
        text_key=text_key(o.scope_id, o.content),
        repeated=False,
        twin_linked=False,
    )


def goal(title: str = "Wine", uid: str = GOAL, **given_: Any) -> KnownGoal:
    values = {
        "uid": uid,
        "scope_id": SPACE,
        "goal_type": None,
        "user_id": None,
        "status": GoalStatus.PENDING,
        "writable": True,
        "topics": topics_of_title(title, None, CATALOG.goals.topics),
    }
    return KnownGoal.model_validate(values | given_)


def planned(
    *candidates: Reviewable,
    active: tuple[KnownGoal, ...] = (),
    named: tuple[KnownGoal, ...] = (),
    judged: dict[str, bool] | None = None,
) -> Plan:
    planner = Planner(
        {g.uid: g for g in named}, active, CATALOG.evaluation, CATALOG.goals, put_away=True, judged=judged
    )
    return planner.plan(candidates)


drafts = st.fixed_dictionaries(
    {
        "content": st.sampled_from(
            ["Burgundy wine", "Wine cellar", "Train times", "Dinner at eight", "CPU usage is high", "!!!"]
        ),
        "confidence": st.sampled_from([0.0, 0.5, 0.89, 0.9, 0.95, 1.0]),
        "tags": st.lists(st.sampled_from(["wine", "travel", "budget"]), max_size=2).map(tuple),
        "context": st.fixed_dictionaries(
            {
                "goal_key": st.sampled_from([None, "find_wine", "trip"]),
                "user_id": st.sampled_from([None, "ann"]),
            }
        ),
    }
)


@pytest.mark.covers("OBS-40", "OBS-42", "OBS-50", "GOAL-25", "GOAL-31")
@given(st.lists(drafts, max_size=8))
def test_every_plan_keeps_the_rules(pages: list[dict[str, Any]]) -> None:
    candidates = [candidate(number, **draft) for number, draft in enumerate(pages)]
    plan = planned(*candidates)
    assert [v.candidate for v in plan.verdicts] == candidates
    for verdict in plan.verdicts:
        o = verdict.candidate.observation
        founded = verdict.reason is Reason.FOUNDED_GOAL
        # A goal is founded by the confident only.
        assert not founded or o.confidence >= CATALOG.evaluation.threshold
        important = verdict.importance.value > CATALOG.evaluation.min_importance
        assert not founded or important or o.context.goal_key is not None
        # Nothing is put away for being doubtful: only an exact repeat is.
        assert verdict.decision is not Decision.ARCHIVE or verdict.reason is Reason.DUPLICATE
        assert (verdict.decision is Decision.PROMOTE) == (verdict.group is not None)
    # One goal for one key, whoever names it.
    keys = [(group.scope_id, group.key) for group in plan.groups if group.key is not None]
    assert len(keys) == len(set(keys))
    for group in plan.groups:
        assert {o.scope_id for o in group.founders} == {group.scope_id}
        if group.key is None:
            assert {o.context.user_id for o in group.founders} == {group.user_id}


@given(st.lists(drafts, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(pages: list[dict[str, Any]], random: Any) -> None:
    candidates = [candidate(number, **draft) for number, draft in enumerate(pages)]
    shuffled = candidates[:]
    random.shuffle(shuffled)
    one, other = planned(*candidates), planned(*shuffled)
    assert one.groups == other.groups
    assert {v.candidate.observation.uid: v for v in one.verdicts} == {
        v.candidate.observation.uid: v for v in other.verdicts
    }


@pytest.mark.covers("GOAL-54")
def test_what_joins_a_goal_by_its_id_gives_it_topics_although_it_shared_none() -> None:
    known = goal("Vineyard trip", topics=frozenset())
    first = candidate(1, content="Beaujolais", context={"goal_id": GOAL}, confidence=0.95)
    second = candidate(2, content="A Beaujolais is open", confidence=0.95, type="decision")

    plan = planned(first, second, named=(known,))

    assert [(v.reason, v.goal_id) for v in plan.verdicts] == [(Reason.JOINED_GOAL, GOAL)] * 2
    ended = goal(topics=frozenset(), status=GoalStatus.COMPLETED)
    assert planned(first, second, named=(ended,)).verdicts[1].reason is Reason.FOUNDED_GOAL


def test_a_topic_of_two_goals_is_left_alone_and_of_one_is_joined() -> None:
    two = (goal("Sell wine"), goal("Buy wine", uid=GOAL[:-1] + "E"))
    (verdict,) = planned(candidate(content="Wine of Morgon", confidence=1.0), active=two).verdicts
    assert verdict.reason is Reason.SEVERAL_GOALS
    (verdict,) = planned(candidate(content="Wine of Morgon", confidence=1.0), active=two[:1]).verdicts
    assert (verdict.reason, verdict.goal_id, verdict.founder) == (Reason.JOINED_GOAL, GOAL, True)


def test_what_names_a_goal_by_id_is_progress_and_by_key_one_more_reason() -> None:
    wine = goal(goal_type="find_wine")
    by_id = candidate(confidence=1.0, context={"goal_id": GOAL})
    by_key = candidate(confidence=1.0, context={"goal_key": "find_wine"})
    doubtful = candidate(confidence=0.1, context={"goal_key": "find_wine"})
    for one, founder in ((by_id, False), (by_key, True), (doubtful, False)):
        (verdict,) = planned(one, active=(wine,), named=(wine,)).verdicts
        assert (verdict.reason, verdict.founder) == (Reason.JOINED_GOAL, founder)


def test_a_goal_id_that_is_none_of_ours_is_a_key() -> None:
    o = candidate(context={"goal_id": "find_wine_recommendation"}).observation
    assert (named_goal(o), named_key(o)) == (None, "find_wine_recommendation")
    o = candidate(context={"goal_id": GOAL}).observation
    assert (named_goal(o), named_key(o)) == (GOAL, None)


def test_a_goal_of_another_space_or_person_is_not_joined() -> None:
    for other in (goal(scope_id="spc_other"), goal(user_id="ann")):
        wine = candidate(content="Wine", confidence=1.0, type="decision")
        (verdict,) = planned(wine, active=(other,)).verdicts
        assert verdict.reason is Reason.FOUNDED_GOAL


@pytest.mark.covers("OBS-43")
def test_a_note_about_nobody_and_nothing_to_do_is_not_important_enough() -> None:
    shed = {"content": "The shed is green", "confidence": 1.0}
    (kept,) = planned(candidate(**shed)).verdicts
    assert (kept.reason, kept.importance.value) == (Reason.LOW_IMPORTANCE, pytest.approx(0.35))
    for more in ({"type": "decision"}, {"context": {"user_id": "ann"}}, {"context": {"goal_key": "shed"}}):
        (verdict,) = planned(candidate(**shed, **more)).verdicts
        assert verdict.reason is Reason.FOUNDED_GOAL


def test_a_note_that_names_a_goal_which_is_not_found_founds_none() -> None:
    named = candidate(content="User prefers Burgundy", confidence=1.0, context={"goal_id": GOAL})
    (verdict,) = planned(named).verdicts
    assert (verdict.reason, verdict.goal_id) == (Reason.GOAL_NOT_FOUND, None)


@pytest.mark.covers("TURN-47", "TURN-44")
def test_a_repeat_is_less_important_and_a_goal_makes_it_more_so() -> None:
    first = candidate(content="Wine", confidence=1.0)
    again = first.model_copy(update={"repeated": True})
    (new,), (repeated,) = planned(first).verdicts, planned(again).verdicts
    assert new.importance.value - repeated.importance.value == pytest.approx(0.15)
    assert (new.importance.relevance_to_goals, repeated.reason) == (0, Reason.LOW_IMPORTANCE)
    (akin,) = planned(first, active=(goal(),)).verdicts
    assert akin.importance.relevance_to_goals == 0.5


def reason(c: Reviewable, calls: bool | None, *active: KnownGoal) -> Reason:
    judged = {} if calls is None else {c.observation.uid: calls}
    (verdict,) = planned(c, active=active, judged=judged).verdicts
    return verdict.reason


@pytest.mark.covers("OBS-43", "OBS-45")
def test_what_was_judged_founds_a_goal_only_if_it_calls_for_something() -> None:
    works = candidate(content="The user works at a bank", confidence=1.0, context={"user_id": "ann"})
    leaks = candidate(content="The roof leaks", confidence=0.9)
    assert [reason(works, calls) for calls in (None, True, False)] == [
        Reason.FOUNDED_GOAL,
        Reason.FOUNDED_GOAL,
        Reason.CALLS_FOR_NOTHING,
    ]
    assert [reason(leaks, calls) for calls in (None, True, False)] == [
        Reason.LOW_IMPORTANCE,
        Reason.FOUNDED_GOAL,
        Reason.LOW_IMPORTANCE,
    ]
    # Confidence, form and what is declared count whatever was judged.
    assert reason(candidate(content="The roof leaks", confidence=0.89), True) is Reason.BELOW_THRESHOLD
    assert reason(candidate(content="p99 is 40 ms", confidence=1.0), True) is Reason.OPERATIONAL
    assert reason(candidate(confidence=1.0, tags=("deadline",)), False) is Reason.FOUNDED_GOAL
    assert reason(candidate(confidence=1.0, context={"goal_key": "shed"}), False) is Reason.FOUNDED_GOAL


def test_what_calls_for_nothing_still_joins_a_goal_of_its_topic() -> None:
    fact = candidate(content="Wine of Morgon", confidence=1.0)
    assert reason(fact, False, goal()) is Reason.JOINED_GOAL
    assert reason(fact, False) is Reason.LOW_IMPORTANCE


@pytest.mark.covers("OBS-40", "OBS-42", "OBS-50")
@given(st.lists(st.tuples(drafts, st.none() | st.booleans()), max_size=8))
def test_every_plan_of_judged_notes_keeps_the_rules(pages: list[tuple[dict[str, Any], bool | None]]) -> None:
    candidates = [candidate(number, **draft) for number, (draft, _) in enumerate(pages)]
    judged = {
        c.observation.uid: calls for c, (_, calls) in zip(candidates, pages, strict=True) if calls is not None
    }
    for verdict in planned(*candidates, judged=judged).verdicts:
        o = verdict.candidate.observation
        idle = judged.get(o.uid) is False and not set(o.tags) & CATALOG.evaluation.actionable
        # Neither a fact nor a doubt founds a goal, unless it names the goal's key.
        if verdict.reason is Reason.CALLS_FOR_NOTHING:
            assert idle
        if verdict.group is not None and verdict.founder and o.context.goal_key is None:
            assert o.confidence >= CATALOG.evaluation.threshold
        assert (verdict.importance.actionability == 0) or not idle
        assert verdict.decision is not Decision.ARCHIVE or verdict.reason is Reason.DUPLICATE
