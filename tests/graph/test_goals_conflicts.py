"""Evidence that contradicts itself: all of it kept, nothing gained by it until it is settled."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalDraft,
    GoalStatus,
    LinkObservation,
    ProgressResult,
    UnlinkObservation,
)
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationDraft,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.lists import evidence_of
from tests.support.world import World

FIFTY, SIXTY = "The budget is $50", "The budget is $60"


async def noted(world: World, *texts: str, **given: Any) -> list[Observation]:
    drafts = [
        ObservationDraft.model_validate({"content": text, "confidence": 0.8, **given}) for text in texts
    ]
    return list(await world.services.scratch.service.add(await world.caller(), drafts))


async def wanted(world: World, *evidence: Observation, **options: Any) -> Goal:
    draft = GoalDraft(
        title="Plan the trip", evidence=tuple(EvidenceDraft(observation_id=o.uid) for o in evidence)
    )
    return await world.services.goals.service.create(
        await world.caller(), CreateGoal(**dict(draft), **options)
    )


async def link(world: World, goal: Goal, o: Observation, **options: Any) -> ProgressResult:
    return await world.services.goals.evidence.link(
        await world.caller(), LinkObservation(goal_id=goal.uid, observation_id=o.uid, **options)
    )


async def settle(world: World, **options: Any) -> list[tuple[float, float]]:
    moved = await world.services.goals.evidence.settle(await world.caller(), **options)
    return [(result.before, result.after) for result in moved]


async def end(world: World, o: Observation, how: str) -> None:
    caller = await world.caller()
    if how == "expire":
        world.clock.advance(minutes=2)
    elif how == "change":
        await world.services.scratch.service.change(caller, UpdateObservation(id=o.uid, content="It rains"))
    else:
        step = ResolveObservation if how == "resolve" else ArchiveObservation
        await world.services.scratch.service.change(caller, step(id=o.uid))


async def gains(world: World, goal: Goal) -> dict[str, tuple[float, float | None]]:
    rows = await world.rows(
        "MATCH (o:Observation)-[e:EVIDENCES]->(:Goal {uid: $uid}) WHERE e.until IS NULL "
        "RETURN o.uid AS uid, e.gain AS gain, e.withheld AS withheld",
        uid=goal.uid,
    )
    return {row["uid"]: (row["gain"], row["withheld"]) for row in rows}


async def progress(world: World, goal: Goal) -> float:
    return (await world.services.goals.service.get(await world.caller(), [goal.uid]))[goal.uid].progress


async def traces(world: World, turn: str) -> list[tuple[str, str, tuple[str, ...], dict[str, Any]]]:
    page = await world.services.turns.trace.trace(await world.caller(), turn)
    return [(entry.kind.value, entry.message, entry.ids, entry.details) for entry in page.items]


@pytest.mark.covers("GOAL-57")
async def test_conflicting_evidence_is_linked_and_neither_raises_nor_lowers_progress(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    result = await link(world, goal, sixty, turn_id="turn_1")

    assert (result.before, result.after) == (0.08, 0.08)
    assert await gains(world, goal) == {fifty.uid: (0.08, None), sixty.uid: (0.0, 0.08)}
    evidence = await evidence_of(world.services, await world.caller(), [goal.uid])
    assert [item.observation_id for item in evidence[goal.uid]] == [fifty.uid, sixty.uid]
    assert await traces(world, "turn_1") == [
        ("observation_linked", "Observation linked to goal", (goal.uid, sixty.uid), {}),
        ("observations_conflict", "Conflicting observations", (goal.uid, sixty.uid, fifty.uid), {}),
    ]
    again = await link(world, goal, sixty)
    assert (again.before, again.after) == (0.08, 0.08)


async def test_of_two_that_come_together_neither_adds_anything(world: World) -> None:
    fifty, sixty, tea = await noted(world, FIFTY, SIXTY, "User likes tea")
    goal = await wanted(world)
    caller = await world.caller()
    drafts = [EvidenceDraft(observation_id=o.uid) for o in (fifty, sixty, tea)]

    async def work(tx: Any, now: Any) -> Any:
        return await world.services.goals.evidence.join(tx, caller, goal.uid, drafts, now, turn_id="turn_1")

    await world.services.goals.transitions._changes.write(caller, work, operation="test")
    assert await gains(world, goal) == {
        fifty.uid: (0.0, 0.08),
        sixty.uid: (0.0, 0.08),
        tea.uid: (0.08, None),
    }
    said = [entry for entry in await traces(world, "turn_1") if entry[0] == "observations_conflict"]
    assert len(said) == 1
    assert set(said[0][2]) == {goal.uid, fifty.uid, sixty.uid}
    await end(world, fifty, "archive")
    assert await settle(world, observation_ids=[fifty.uid]) == [(0.08, 0.16)]
    # What was put away has lost.
    assert (await gains(world, goal))[fifty.uid] == (0.0, 0.08)


@pytest.mark.covers("GOAL-57")
@pytest.mark.parametrize("how", ["resolve", "archive", "expire", "change"])
async def test_what_was_withheld_counts_once_the_conflict_is_over(world: World, how: str) -> None:
    (fifty,) = await noted(world, FIFTY, ttl_minutes=1)
    (sixty,) = await noted(world, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    before = await world.counts()
    assert await settle(world, observation_ids=[fifty.uid, sixty.uid]) == []
    assert await settle(world, goal_ids=[goal.uid]) == []
    assert await world.counts() == before

    await end(world, fifty, how)
    assert await settle(world, observation_ids=[fifty.uid], turn_id="turn_2") == [(0.08, 0.16)]
    assert await progress(world, goal) == 0.16
    assert await gains(world, goal) == {fifty.uid: (0.08, None), sixty.uid: (0.08, None)}
    assert [entry[:3] for entry in await traces(world, "turn_2")] == [
        ("conflict_settled", "Conflict settled, evidence counted", (goal.uid, sixty.uid)),
        ("progress_updated", "Progress updated", (goal.uid,)),
    ]
    rows = await world.rows(
        "MATCH (v:Version {of_uid: $uid}) RETURN v.changes AS changes ORDER BY v.number DESC LIMIT 1",
        uid=goal.uid,
    )
    assert json.loads(rows[0]["changes"]) == {"progress": 0.16, "evidence_counted": [sixty.uid]}
    after = await world.counts()
    assert await settle(world, goal_ids=[goal.uid], observation_ids=[fifty.uid]) == []
    assert await world.counts() == after


async def test_who_contradicts_two_waits_for_both(world: World) -> None:
    fifty, sixty, seventy = await noted(world, FIFTY, SIXTY, "The budget is $70")
    goal = await wanted(world)
    for o in (fifty, sixty, seventy):
        await link(world, goal, o)
    await end(world, sixty, "archive")
    assert await settle(world, observation_ids=[sixty.uid]) == []
    await end(world, fifty, "archive")
    assert await settle(world, observation_ids=[fifty.uid]) == [(0.08, 0.16)]
    assert (await gains(world, goal))[seventy.uid] == (0.08, None)


@pytest.mark.parametrize("how", ["resolve", "archive", "expire", "change"])
async def test_either_side_may_be_named_when_it_is_over(world: World, how: str) -> None:
    (fifty,) = await noted(world, FIFTY, ttl_minutes=1)
    (sixty,) = await noted(world, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    # A new text ends the contradiction from the side that waits.
    await end(world, sixty if how == "change" else fifty, how)
    assert await settle(world, observation_ids=[sixty.uid]) == [(0.08, 0.16)]


async def test_what_is_put_away_itself_is_not_counted(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    await end(world, sixty, "archive")
    assert await settle(world, observation_ids=[sixty.uid], goal_ids=[goal.uid]) == []
    await end(world, fifty, "archive")
    assert await settle(world, observation_ids=[fifty.uid], goal_ids=[goal.uid]) == []
    assert await progress(world, goal) == 0.08


async def test_unlinking_one_side_counts_the_other(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    unlink = world.services.goals.evidence.unlink
    result = await unlink(
        await world.caller(), UnlinkObservation(goal_id=goal.uid, observation_id=fifty.uid, turn_id="turn_3")
    )
    assert (result.before, result.after) == (0.08, 0.08)
    assert await gains(world, goal) == {sixty.uid: (0.08, None)}
    assert [entry[0] for entry in await traces(world, "turn_3")] == [
        "observation_unlinked",
        "conflict_settled",
    ]
    back = await unlink(await world.caller(), UnlinkObservation(goal_id=goal.uid, observation_id=sixty.uid))
    assert (back.before, back.after) == (0.08, 0.0)


async def test_unlinking_what_was_withheld_takes_nothing_back(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    result = await world.services.goals.evidence.unlink(
        await world.caller(), UnlinkObservation(goal_id=goal.uid, observation_id=sixty.uid)
    )
    assert (result.before, result.after) == (0.08, 0.08)
    assert await settle(world, goal_ids=[goal.uid]) == []


async def test_a_conflict_with_what_is_no_evidence_of_the_goal_withholds_nothing(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal, other = await wanted(world), await wanted(world)
    await link(world, other, fifty)
    result = await link(world, goal, sixty)
    assert (result.before, result.after) == (0.0, 0.08)


async def test_what_waits_is_counted_once_by_many(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    await end(world, fifty, "resolve")
    found = await asyncio.gather(*(settle(world, goal_ids=[goal.uid]) for _ in range(5)))
    assert sorted(found) == [[], [], [], [], [(0.08, 0.16)]]
    assert await progress(world, goal) == 0.16


async def test_only_who_may_write_to_the_goal_settles_it(world: World) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    goal = await wanted(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    await end(world, fifty, "resolve")
    owner, stranger = await world.caller(), await world.caller("stranger")
    before = await world.counts()
    reader = stranger.model_copy(update={"readable": (*stranger.readable, owner.home)})
    evidence = world.services.goals.evidence
    for caller in (stranger, reader):
        assert await evidence.settle(caller, goal_ids=[goal.uid, "x"], observation_ids=[fifty.uid, "x"]) == ()
    with pytest.raises(Forbidden):
        await evidence.settle(await world.caller("reader", roles=("reader",)), goal_ids=[goal.uid])
    assert await progress(world, goal) == 0.08
    assert (await world.counts())["Version"] == before["Version"]


@pytest.mark.covers("GOAL-41")
async def test_a_goal_of_conflicting_observations_keeps_them_all_and_is_one(world: World) -> None:
    fifty, sixty, tea = await noted(world, FIFTY, SIXTY, "User likes tea")
    goal = await wanted(world, fifty, sixty, tea, turn_id="turn_1")
    caller = await world.caller()
    evidence = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert [item.observation_id for item in evidence] == [fifty.uid, sixty.uid, tea.uid]
    assert [entry[:3] for entry in await traces(world, "turn_1")] == [
        ("goal_created", "Goal created from 3 observations", (goal.uid, fifty.uid, sixty.uid, tea.uid)),
        ("observations_conflict", "Conflicting observations", (goal.uid, sixty.uid, fifty.uid)),
    ]
    assert [g.uid for g in (await world.services.goals.service.list(caller)).items] == [goal.uid]
    assert (goal.status, goal.progress) == (GoalStatus.PENDING, 0.0)


@pytest.mark.parametrize("how", ["resolve", "change"])
async def test_a_conflict_that_is_over_is_none_for_a_goal(world: World, how: str) -> None:
    fifty, sixty = await noted(world, FIFTY, SIXTY)
    await end(world, fifty, how)
    goal = await wanted(world, fifty, sixty, turn_id="turn_1")
    assert [entry[0] for entry in await traces(world, "turn_1")] == ["goal_created"]
    other = await wanted(world)
    await link(world, other, fifty)
    assert (await link(world, other, sixty)).after == 0.16
    assert (await gains(world, goal))[sixty.uid] == (0.0, None)
