"""What a share reaches: evaluation, conflicts, pages, the journal, and writes during which it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.goals import store
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    LinkObservation,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnshareGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.errors import Conflict, Forbidden, NotFound
from prefrontal.graph.evaluation.record import Evaluation, Reason
from prefrontal.graph.scratch.record import ArchiveObservation, Observation, ObservationDraft
from tests.support.lists import links_of
from tests.support.world import World

BOT = (ActorKind.AGENT, "bot")
OTHER = (ActorKind.AGENT, "other")
READ, WRITE, ADMIN = SpacePermission.READ, SpacePermission.WRITE, SpacePermission.ADMIN


async def make(world: World, title: str = "goal", agent: str = "bot", **fields: Any) -> Goal:
    caller = await world.caller(agent)
    return await world.services.goals.service.create(caller, CreateGoal(title=title, **fields))


async def share(world: World, goal: Goal, permission: SpacePermission, **options: Any) -> str:
    await world.caller("other")
    return await world.services.goals.sharing.share(
        await world.caller(),
        ShareGoal(
            goal_id=goal.uid, actor=Actor(kind=OTHER[0], key=OTHER[1]), permission=permission, **options
        ),
    )


async def unshare(world: World, goal: Goal, **options: Any) -> str:
    return await world.services.goals.sharing.unshare(
        await world.caller(),
        UnshareGoal(goal_id=goal.uid, actor=Actor(kind=OTHER[0], key=OTHER[1]), **options),
    )


async def noted(world: World, *texts: str, agent: str = "other") -> list[Observation]:
    drafts = [ObservationDraft(content=text, confidence=0.8) for text in texts]
    return list(await world.services.scratch.service.add(await world.caller(agent), drafts))


async def names(world: World, goal: Goal, content: str) -> Evaluation:
    draft = {"content": content, "confidence": 0.5, "context": {"goal_id": goal.uid}}
    (made,) = await world.services.evaluation.add(
        await world.caller("other"), [ObservationDraft.model_validate(draft)]
    )
    return made


async def progress(world: World, goal: Goal) -> float:
    return (await world.services.goals.service.get(await world.caller(), [goal.uid]))[goal.uid].progress


@pytest.mark.covers("SEC-14")
@pytest.mark.parametrize(
    ("permission", "reason", "after"),
    [
        (None, None, 0),
        (READ, Reason.GOAL_NOT_WRITABLE, 0),
        (WRITE, Reason.JOINED_GOAL, 0.05),
        (ADMIN, Reason.JOINED_GOAL, 0.05),
    ],
)
async def test_an_observation_joins_the_shared_goal_that_it_names(
    world: World, permission: SpacePermission | None, reason: Reason | None, after: float
) -> None:
    goal = await make(world, parent_goal_id=(top := await make(world, "top")).uid)
    if permission is not None:
        await share(world, top, permission)
        assert (await names(world, goal, "It is so")).reason is reason
        assert await progress(world, goal) == after
        await unshare(world, top)
    with pytest.raises(NotFound, match="no such goal"):
        await names(world, goal, "It rains")
    assert await progress(world, goal) == after


@pytest.mark.parametrize("permission", [None, READ, WRITE])
async def test_who_may_write_settles_what_waits_there(
    world: World, permission: SpacePermission | None
) -> None:
    goal = await make(world)
    await share(world, goal, WRITE)
    other = await world.caller("other")
    fifty, sixty = await noted(world, "The budget is $50", "The budget is $60")
    for o in (fifty, sixty):
        await world.services.goals.evidence.link(
            other, LinkObservation(goal_id=goal.uid, observation_id=o.uid)
        )
    assert await progress(world, goal) == 0.08
    await world.services.scratch.service.change(other, ArchiveObservation(id=fifty.uid))
    await unshare(world, goal)
    if permission is not None:
        await share(world, goal, permission)

    settled = await world.services.goals.evidence.settle(
        other, observation_ids=[fifty.uid], goal_ids=[goal.uid]
    )

    assert [(result.before, result.after) for result in settled] == (
        [(0.08, 0.16)] if permission is WRITE else []
    )
    assert await progress(world, goal) == (0.16 if permission is WRITE else 0.08)


@pytest.mark.covers("SEC-14")
async def test_a_share_is_made_and_ended_once_and_told_in_trace_and_events(world: World) -> None:
    goal = await make(world)
    found = await asyncio.gather(*(share(world, goal, READ, idempotency_key="k") for _ in range(3)))
    assert len(set(found)) == 1
    with pytest.raises(Conflict):
        await share(world, goal, WRITE, idempotency_key="k")
    for _ in range(2):
        assert await unshare(world, goal, idempotency_key="end") == found[0]
    # The key's answer is the first one; it does not share again.
    await share(world, goal, READ, idempotency_key="k")
    assert await world.services.goals.service.get(await world.caller("other"), [goal.uid]) == {}

    bot = await world.caller()
    shares = await world.rows(
        "MATCH (:Actor {uid: $other})-[may:MAY]->(:Goal {uid: $goal}) "
        "RETURN may.permission AS permission, may.granted_by AS by, may.since AS since, may.until AS until",
        goal=goal.uid,
        other=found[0],
    )
    assert [(row["permission"], row["by"], row["until"] is None) for row in shares] == [
        ("read", bot.actor_id, False)
    ]
    data = {"goal_id": goal.uid, "actor_id": found[0]}
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $goal}) WHERE e.type STARTS WITH 'goal.' "
        "RETURN e.type AS type, e.scope_id AS scope, e.data AS data ORDER BY e.uid",
        goal=goal.uid,
    )
    assert [(row["type"], row["scope"]) for row in events] == [
        ("goal.created", bot.home),
        ("goal.shared", bot.home),
        ("goal.unshared", bot.home),
    ]
    assert [json.loads(row["data"]) for row in events[1:]] == [
        {**data, "permission": "read"},
        {**data, "permission": None},
    ]
    traces = await world.rows(
        "MATCH (t:TraceEvent {org_id: $org}) WHERE t.kind IN ['goal_shared', 'goal_unshared'] "
        "RETURN t.kind AS kind, t.message AS message, t.ids AS ids, t.scope_id AS scope ORDER BY t.uid"
    )
    assert [(row["kind"], row["message"], row["ids"], row["scope"]) for row in traces] == [
        ("goal_shared", "Goal shared", [goal.uid, found[0]], bot.home),
        ("goal_unshared", "Goal share ended", [goal.uid, found[0]], bot.home),
    ]


@pytest.mark.covers("SEC-14")
async def test_what_a_person_was_given_every_agent_of_that_person_has(world: World) -> None:
    goal = await make(world)
    await world.caller("helper", person="ann")
    person = (ActorKind.PERSON, "ann")
    given = await world.services.goals.sharing.share(
        await world.caller(),
        ShareGoal(goal_id=goal.uid, actor=Actor(kind=person[0], key=person[1]), permission=WRITE),
    )
    ann = await world.caller(None, person="ann")
    with_ann, alone = await world.caller("helper", person="ann"), await world.caller("helper")
    with_ben = await world.caller("helper", person="ben")
    assert given == ann.person_id
    for caller, sees in ((ann, True), (with_ann, True), (alone, False), (with_ben, False)):
        assert list(await world.services.goals.service.get(caller, [goal.uid])) == (
            [goal.uid] if sees else []
        )
        if sees:
            await world.services.goals.transitions.update_progress(
                caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.1)])
            )
    assert await progress(world, goal) == pytest.approx(0.2)
    await world.services.goals.sharing.unshare(
        await world.caller(), UnshareGoal(goal_id=goal.uid, actor=Actor(kind=person[0], key=person[1]))
    )
    assert await world.services.goals.service.get(ann, [goal.uid]) == {}


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_what_another_hangs_under_a_shared_goal_is_its_own_until_it_shares_that_back(
    world: World,
) -> None:
    goal = await make(world)
    await share(world, goal, WRITE)
    await world.caller("third")
    bot = await world.caller()
    await world.services.goals.sharing.share(
        bot, ShareGoal(goal_id=goal.uid, actor=Actor(kind=ActorKind.AGENT, key="third"), permission=ADMIN)
    )
    third = await world.caller("third")
    child = await make(world, "mine", "other", parent_goal_id=goal.uid)
    other = await world.caller("other")
    assert child.scope_id == other.home
    for caller in (bot, third):
        assert list(await world.services.goals.service.get(caller, [child.uid])) == []
        assert [g.title for g in (await world.services.goals.service.list(caller)).items] == ["goal"]
        drawn = await world.services.goals.service.lineage(caller, goal.uid)
        assert [node.name for node in drawn.nodes] == ["goal"]
        with pytest.raises(NotFound):
            await world.services.goals.upsert.upsert(caller, UpsertGoal(title="theirs", id=child.uid))

    await world.services.goals.sharing.share(
        other, ShareGoal(goal_id=child.uid, actor=Actor(kind=BOT[0], key=BOT[1]), permission=READ)
    )

    bot = await world.caller()
    drawn = await world.services.goals.service.lineage(bot, goal.uid)
    assert {(node.name, node.role) for node in drawn.nodes} == {("goal", "self"), ("mine", "descendant")}
    assert (await links_of(world.services, bot, [child.uid]))[child.uid].parent_goal_id == goal.uid
    assert await world.services.goals.service.get(third, [child.uid]) == {}
    await unshare(world, goal)
    assert list(await world.services.goals.service.get(other, [goal.uid, child.uid])) == [child.uid]


@pytest.mark.covers("SEC-14")
async def test_what_is_moved_away_from_a_shared_goal_is_not_shared_any_more(world: World) -> None:
    top = await make(world, "top")
    goal = await make(world, parent_goal_id=top.uid)
    await share(world, top, WRITE)
    other, bot = await world.caller("other"), await world.caller()
    assert list(await world.services.goals.service.get(other, [goal.uid])) == [goal.uid]
    await world.services.goals.upsert.upsert(bot, UpsertGoal(parent_goal_id=None, id=goal.uid))
    assert await world.services.goals.service.get(other, [goal.uid]) == {}
    assert await world.services.goals.service.count(other) == 1
    await world.services.goals.upsert.upsert(bot, UpsertGoal(parent_goal_id=top.uid, id=goal.uid))
    assert await world.services.goals.service.count(other) == 2


async def test_pages_hold_own_and_shared_goals_in_one_order_and_each_once(world: World) -> None:
    await world.caller("other")
    for number, priority in enumerate(("low", "high", "critical", "high", "medium", "low")):
        await make(world, f"mine {number}", "other", priority=priority)
        theirs = await make(world, f"theirs {number}", priority=priority)
        await share(world, theirs, READ)
        await make(world, f"below {number}", priority=priority, parent_goal_id=theirs.uid)
        await make(world, f"hidden {number}", priority=priority)
        world.clock.advance(minutes=1)
    # Shared twice, itself and from above: still one goal.
    await share(world, theirs, WRITE)
    other = await world.caller("other", person="ann")
    goals = world.services.goals.service
    whole = (await goals.list(other, first=100)).items
    assert len(whole) == 18 == await goals.count(other)
    assert list(whole) == sorted(whole, key=lambda g: (g.priority_rank, g.uid), reverse=True)
    for size in (1, 2, 5):
        paged: list[Goal] = []
        after: str | None = None
        while True:
            page = await goals.list(other, first=size, after=after)
            paged += page.items
            if not page.has_next:
                break
            after = page.cursors[-1]
        assert paged == list(whole)


Write = Callable[[World, Caller, Goal, Observation], Awaitable[Any]]


async def transit(world: World, caller: Caller, goal: Goal, _: Observation) -> None:
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goal.uid, status=GoalStatus.BLOCKED)
    )


async def change(world: World, caller: Caller, goal: Goal, _: Observation) -> None:
    await world.services.goals.upsert.upsert(caller, UpsertGoal(title="new", id=goal.uid))


async def step(world: World, caller: Caller, goal: Goal, _: Observation) -> None:
    await world.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.1)])
    )


async def link(world: World, caller: Caller, goal: Goal, o: Observation) -> None:
    # It adds nothing, so nothing but the link would be written.
    draft = EvidenceDraft(observation_id=o.uid, confidence=0)
    await world.services.goals.evidence.link(caller, LinkObservation(goal_id=goal.uid, **dict(draft)))


@pytest.mark.covers("SEC-14")
@pytest.mark.parametrize("write", [transit, change, step, link])
async def test_a_share_that_ends_during_a_write_undoes_it(
    world: World, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    top = await make(world, "top")
    goal = await make(world, parent_goal_id=top.uid)
    (seen,) = await noted(world, "seen")
    await share(world, top, WRITE)
    other = await world.caller("other")
    permissions = store.shared_permissions

    async def ends_after_the_look(tx: Any, caller: Caller, uids: Any) -> Any:
        found = await permissions(tx, caller, uids)
        monkeypatch.setattr(store, "shared_permissions", permissions)
        # The goal is locked by the write, the one that is shared is not.
        await unshare(world, top)
        return found

    monkeypatch.setattr(store, "shared_permissions", ends_after_the_look)
    before = await world.rows("MATCH (v:Version {of_uid: $uid}) RETURN count(v) AS n", uid=goal.uid)
    with pytest.raises(Forbidden, match="any more"):
        await write(world, other, goal, seen)
    assert await world.rows("MATCH (v:Version {of_uid: $uid}) RETURN count(v) AS n", uid=goal.uid) == before
    bot = await world.caller()
    assert (await world.services.goals.service.get(bot, [goal.uid]))[goal.uid] == goal
    assert await world.services.goals.sharing.count_evidence(bot, [goal.uid]) == {goal.uid: 0}
