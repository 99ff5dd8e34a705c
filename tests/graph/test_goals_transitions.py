"""Goals move: through statuses, by deltas, by evidence; each move once, with its version, trace and event."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalStatus,
    LinkObservation,
    ProgressDelta,
    TransitionGoal,
    UnlinkObservation,
    UpdateProgress,
)
from prefrontal.graph.errors import (
    Expired,
    Forbidden,
    IllegalTransition,
    InvalidInput,
    NotFound,
    VersionConflict,
)
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.lists import evidence_of
from tests.support.world import World

UNKNOWN = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"


async def wanted(world: World, title: str = "find_wine") -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title=title))


async def noted(world: World, *confidences: float, **given: Any) -> list[str]:
    drafts = [
        ObservationDraft.model_validate({"content": f"note {number}", "confidence": confidence, **given})
        for number, confidence in enumerate(confidences)
    ]
    return [o.uid for o in await world.services.scratch.service.add(await world.caller(), drafts)]


async def link(world: World, goal: Goal, uid: str, **options: Any) -> Any:
    return await world.services.goals.evidence.link(
        await world.caller(), LinkObservation(goal_id=goal.uid, observation_id=uid, **options)
    )


async def now(world: World, goal: Goal) -> Goal:
    return (await world.services.goals.service.get(await world.caller(), [goal.uid]))[goal.uid]


async def history(world: World, goal: Goal) -> list[dict[str, Any]]:
    rows = await world.rows(
        "MATCH (v:Version {of_uid: $uid}) RETURN v.number AS number, v.changes AS changes ORDER BY number",
        uid=goal.uid,
    )
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    return [json.loads(row["changes"]) for row in rows]


async def traces(world: World, turn: str) -> list[tuple[str, dict[str, Any]]]:
    page = await world.services.turns.trace.trace(await world.caller(), turn)
    return [(entry.kind.value, entry.details) for entry in page.items]


@pytest.mark.covers("GOAL-52", "GOAL-53", "GOAL-55", "GOAL-21", "OBS-54", "TRC-17")
async def test_each_linked_observation_moves_the_goal_on(world: World) -> None:
    goal = await wanted(world)
    first, second = await noted(world, 0.95, 0.9)

    one = await link(world, goal, first, turn_id="turn_1")
    assert (one.before, one.after, one.clamped) == (0, 0.095, False)
    assert one.goal.status is GoalStatus.IN_PROGRESS
    two = await link(world, goal, second, turn_id="turn_1")
    assert (two.before, two.after) == (0.095, 0.185)

    caller = await world.caller()
    evidence = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert [item.observation_id for item in evidence] == [first, second]
    assert (await now(world, goal)).progress == 0.185
    assert {
        o.status.value for o in (await world.services.scratch.service.get(caller, [first, second])).values()
    } == {"active"}
    assert await traces(world, "turn_1") == [
        ("observation_linked", {}),
        ("progress_updated", {"before": 0.0, "after": 0.095}),
        ("observation_linked", {}),
        ("progress_updated", {"before": 0.095, "after": 0.185}),
    ]
    assert (await history(world, goal))[1] == {
        "progress": 0.095,
        "status": "in_progress",
        "evidence_linked": [first],
    }


@pytest.mark.covers("GOAL-56")
async def test_an_observation_counts_once(world: World) -> None:
    goal = await wanted(world)
    (uid,) = await noted(world, 1.0)
    await link(world, goal, uid)
    before = await world.counts()
    again = await link(world, goal, uid)
    assert (again.before, again.after) == (0.1, 0.1)
    assert await world.counts() == before


@pytest.mark.covers("GOAL-60")
async def test_no_progress_is_lost_when_many_come_at_once(world: World) -> None:
    goal = await wanted(world)
    uids = await noted(world, *[0.5] * 12)
    await asyncio.gather(
        *(link(world, goal, uid) for uid in uids), *(link(world, goal, uids[0]) for _ in range(3))
    )
    after = await now(world, goal)
    assert after.progress == pytest.approx(0.6)
    assert after.version == 13
    evidence = await evidence_of(world.services, await world.caller(), [goal.uid])
    assert {item.observation_id for item in evidence[goal.uid]} == set(uids)
    assert len(await history(world, goal)) == 13


@pytest.mark.covers("GOAL-58", "GOAL-59", "TRC-29")
async def test_progress_is_held_within_its_limits_and_completes_nothing(world: World) -> None:
    goal = await wanted(world)
    caller = await world.caller()
    update = world.services.goals.transitions.update_progress
    (over,) = await update(caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=1.0)]))
    assert (over.after, over.clamped) == (1.0, False)
    (over,) = await update(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.4)], turn_id="t")
    )
    assert (over.before, over.after, over.clamped) == (1.0, 1.0, True)
    assert over.goal.status is GoalStatus.IN_PROGRESS
    assert await traces(world, "t") == [("progress_clamped", {"before": 1.0, "after": 1.0})]
    first, second = await update(
        caller,
        UpdateProgress(
            deltas=[ProgressDelta(goal_id=goal.uid, delta=-0.7), ProgressDelta(goal_id=goal.uid, delta=-0.7)]
        ),
    )
    assert (first.after, second.before, second.after, second.clamped) == (0.3, 0.3, 0.0, True)


@pytest.mark.covers("GOAL-20", "GOAL-29", "GOAL-63")
async def test_deltas_keep_what_speaks_for_them(world: World) -> None:
    goal, other = await wanted(world), await wanted(world, "other")
    caller = await world.caller()
    deltas = [
        ProgressDelta(goal_id=goal.uid, delta=0.25, note="Found three", references=("file:report.pdf",)),
        ProgressDelta(goal_id=other.uid, delta=0.5),
    ]
    later = world.clock.advance(minutes=1)
    results = await world.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=deltas, idempotency_key="k")
    )
    assert [(r.goal.uid, r.after) for r in results] == [(goal.uid, 0.25), (other.uid, 0.5)]
    assert {(r.goal.created_at, r.goal.updated_at) for r in results} == {(goal.created_at, later)}
    assert (await history(world, goal))[1] == {
        "progress": 0.25,
        "status": "in_progress",
        "note": "Found three",
        "references": ["file:report.pdf"],
    }
    before = await world.counts()
    again = await world.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=deltas, idempotency_key="k")
    )
    assert [(r.before, r.after) for r in again] == [(0.0, 0.25), (0.0, 0.5)]
    assert await world.counts() == before


async def test_of_several_deltas_none_is_applied_when_one_is_wrong(world: World) -> None:
    goal = await wanted(world)
    caller = await world.caller()
    before = await world.counts()
    deltas = [ProgressDelta(goal_id=goal.uid, delta=0.5), ProgressDelta(goal_id=UNKNOWN, delta=0.5)]
    with pytest.raises(NotFound) as caught:
        await world.services.goals.transitions.update_progress(caller, UpdateProgress(deltas=deltas))
    assert caught.value.field == "deltas[1].goalId"
    with pytest.raises(InvalidInput):
        await world.services.goals.transitions.update_progress(caller, UpdateProgress(deltas=[]))
    assert (await now(world, goal)).progress == 0
    assert await world.counts() == before


async def test_taking_evidence_away_takes_back_what_it_added(world: World) -> None:
    goal = await wanted(world)
    first, second = await noted(world, 1.0, 0.5)
    await link(world, goal, first)
    await link(world, goal, second)
    caller = await world.caller()
    gone = await world.services.goals.evidence.unlink(
        caller, UnlinkObservation(goal_id=goal.uid, observation_id=first)
    )
    assert (gone.before, gone.after) == (0.15, 0.05)
    evidence = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert [item.observation_id for item in evidence] == [second]
    with pytest.raises(NotFound):
        await world.services.goals.evidence.unlink(
            caller, UnlinkObservation(goal_id=goal.uid, observation_id=first)
        )
    # It may speak for the goal again; the old link stays as history.
    back = await link(world, goal, first)
    assert back.after == 0.15
    rows = await world.rows("MATCH (o {uid: $uid})-[e:EVIDENCES]->() RETURN count(e) AS links", uid=first)
    assert rows == [{"links": 2}]


@pytest.mark.covers("OBS-59")
async def test_a_faded_observation_cannot_be_linked(world: World) -> None:
    goal = await wanted(world)
    (uid,) = await noted(world, 0.9, ttl_minutes=1)
    world.clock.advance(minutes=1)
    before = await world.counts()
    with pytest.raises(Expired) as caught:
        await link(world, goal, uid)
    assert caught.value.field == "observationId"
    assert await world.counts() == before


async def test_a_goal_moves_only_along_the_registry(world: World) -> None:
    goal = await wanted(world)
    caller = await world.caller()
    move = world.services.goals.transitions.transition
    done = await move(
        caller,
        TransitionGoal(
            id=goal.uid, status=GoalStatus.COMPLETED, reason="Ann chose", turn_id="t", expected_version=1
        ),
    )
    assert (done.status, done.status_reason, done.version) == (GoalStatus.COMPLETED, "Ann chose", 2)
    assert done.completed_at == done.archived_at == world.clock.now()
    assert (await world.services.goals.service.list(caller)).items == ()
    assert await traces(world, "t") == [("goal_transitioned", {"from": "pending", "to": "completed"})]
    before = await world.counts()
    assert (await move(caller, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED))).version == 2
    with pytest.raises(IllegalTransition, match="it can become: in_progress"):
        await move(caller, TransitionGoal(id=goal.uid, status=GoalStatus.PENDING))
    with pytest.raises(VersionConflict):
        await move(caller, TransitionGoal(id=goal.uid, status=GoalStatus.IN_PROGRESS, expected_version=1))
    assert await world.counts() == before
    again = await move(caller, TransitionGoal(id=goal.uid, status=GoalStatus.IN_PROGRESS))
    assert (again.completed_at, again.archived_at, again.version) == (None, None, 3)


async def test_every_way_of_the_registry_can_be_gone_and_no_other(world: World) -> None:
    table = world.services.catalog.goals
    caller = await world.caller()
    for start in GoalStatus:
        for end in GoalStatus:
            if start is end:
                continue
            goal = await wanted(world, f"{start} {end}")
            rows = await world.rows(
                "MATCH (g:Goal {uid: $uid}) SET g.status = $s", uid=goal.uid, s=start.value
            )
            assert rows == []
            if end.value in table.transitions.get(start.value, ()):
                assert (
                    await world.services.goals.transitions.transition(
                        caller, TransitionGoal(id=goal.uid, status=end)
                    )
                ).status is end
            else:
                with pytest.raises(IllegalTransition):
                    await world.services.goals.transitions.transition(
                        caller, TransitionGoal(id=goal.uid, status=end)
                    )


async def test_foreign_goals_are_not_there_and_read_only_ones_stay(world: World) -> None:
    goal = await wanted(world)
    (uid,) = await noted(world, 0.9)
    owner, stranger = await world.caller(), await world.caller("stranger")
    reader = stranger.model_copy(update={"readable": (*stranger.readable, owner.home)})
    before = await world.counts()
    moves, evidence = world.services.goals.transitions, world.services.goals.evidence
    for who, error in ((stranger, NotFound), (reader, Forbidden)):
        with pytest.raises(error):
            await moves.transition(who, TransitionGoal(id=goal.uid, status=GoalStatus.BLOCKED))
        with pytest.raises(error):
            await moves.update_progress(
                who, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.1)])
            )
        with pytest.raises(error):
            await evidence.link(who, LinkObservation(goal_id=goal.uid, observation_id=uid))
        with pytest.raises(error):
            await evidence.unlink(who, UnlinkObservation(goal_id=goal.uid, observation_id=uid))
    mine = await world.services.goals.service.create(stranger, CreateGoal(title="mine"))
    with pytest.raises(NotFound) as caught:
        await evidence.link(stranger, LinkObservation(goal_id=mine.uid, observation_id=uid))
    assert caught.value.field == "observationId"
    assert (await world.counts())["Goal"] == before["Goal"] + 1
