"""Who did what: the audit log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalDraft,
    ShareGoal,
    UnshareGoal,
    UpsertGoal,
)
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.history.record import AuditEntry, AuditFilter
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World


async def new_goal(world: World, agent: str = "bot", turn_id: str | None = None, **fields: Any) -> Goal:
    caller = await world.caller(agent)
    return await world.services.goals.service.create(
        caller, CreateGoal(title="Dine", **fields, turn_id=turn_id)
    )


async def log(world: World, agent: str = "bot", **wanted: Any) -> list[AuditEntry]:
    caller = await world.caller(agent)
    return list((await world.services.history.audit.page(caller, AuditFilter(**wanted))).items)


def operations_of(entries: list[AuditEntry]) -> list[str]:
    return [entry.operation.value for entry in entries]


@pytest.mark.covers("VER-05")
async def test_a_change_is_told_with_who_what_when_turn_and_evidence(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="guests come")])
    at = world.clock.advance(minutes=1)
    goal = await new_goal(world, turn_id="turn-1", evidence=(EvidenceDraft(observation_id=seen.uid),))
    later = world.clock.advance(minutes=1)
    await world.services.goals.upsert.upsert(bot, UpsertGoal(title="Lunch", description="x", id=goal.uid))

    changed, created, added = await log(world)

    assert changed == AuditEntry(
        uid=changed.uid,
        at=later,
        by_uid=bot.actor_id,
        operation=EventType.GOAL_UPDATED,
        entity_id=goal.uid,
        version=2,
        turn_uid=None,
        turn_id=None,
        fields=("description", "title"),
        evidence=(),
    )
    assert (created.operation, created.at, created.turn_id) == (EventType.GOAL_CREATED, at, "turn-1")
    assert created.evidence == (seen.uid,)
    assert "title" in created.fields
    assert (added.operation, added.entity_id) == (EventType.OBSERVATION_ADDED, seen.uid)
    # What has no stored first version names the fields that its history has for it.
    (first,) = (await world.services.history.service.history(bot, seen.uid)).items
    assert added.fields == tuple(sorted(change.name for change in first.changes))


async def test_each_filter_finds_its_own_and_all_of_them_together(world: World) -> None:
    bot = await world.caller()
    space = await world.services.access.create_space(bot, CreateSpace(name="team"))
    await world.caller("other")
    bot = await world.caller()
    await world.grant(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.WRITE
        ),
    )
    other = await world.caller("other")
    draft = GoalDraft(title="Dine", pending_actions=(PendingActionDraft(title="Shop", type="agent_task"),))
    start = world.clock.advance(minutes=1)
    first = await world.services.goals.service.create(
        bot, CreateGoal(**dict(draft), space=space, turn_id="turn-1")
    )
    middle = world.clock.advance(minutes=1)
    second = await world.services.goals.service.create(
        other, CreateGoal(title="B", space=space, turn_id="turn-1")
    )
    world.clock.advance(minutes=1)
    await world.services.goals.upsert.upsert(other, UpsertGoal(title="C", id=first.uid, turn_id="turn-2"))
    since: dict[str, Any] = {"since": start}

    assert operations_of(await log(world, actor=other.actor_id)) == [
        "goal.updated",
        "goal.created",
        "access.granted",
    ]
    assert operations_of(await log(world, entity_id=first.uid)) == ["goal.updated", "goal.created"]
    assert sorted(operations_of(await log(world, turn_id="turn-1"))) == [
        "goal.created",
        "goal.created",
        "pending_action.created",
    ]
    assert operations_of(await log(world, kind="pending_action")) == ["pending_action.created"]
    assert operations_of(await log(world, kind="goal")) == ["goal.updated", "goal.created", "goal.created"]
    assert operations_of(await log(world, operation=(EventType.GOAL_UPDATED,))) == ["goal.updated"]
    assert [e.entity_id for e in await log(world, since=middle)] == [first.uid, second.uid]
    assert sorted(operations_of(await log(world, until=middle, **since))) == [
        "goal.created",
        "pending_action.created",
    ]
    assert await log(world, kind="question") == []
    assert await log(world, kind="question", operation=(EventType.GOAL_CREATED,)) == []
    (only,) = await log(
        world,
        actor=other.actor_id,
        entity_id=first.uid,
        kind="goal",
        turn_id="turn-2",
        since=middle,
        until=world.clock.now() + timedelta(seconds=1),
        operation=(EventType.GOAL_UPDATED, EventType.GOAL_CREATED),
    )
    assert (only.operation, only.version) == (EventType.GOAL_UPDATED, 2)
    assert await log(world, entity_id=first.uid, turn_id="turn-2", actor=bot.actor_id) == []
    assert await log(world, turn_id="turn-2", actor=bot.actor_id) == []


async def test_pages_in_order_hold_every_change_once(world: World) -> None:
    goals = []
    for _ in range(7):
        world.clock.advance(seconds=1)
        goals.append((await new_goal(world)).uid)
    caller = await world.caller()
    found: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        world.statements.clear()
        page = await world.services.history.audit.page(
            caller, AuditFilter(kind="goal"), first=2, after=cursor
        )
        assert world.statements.names == ["history/list_audit_by_type"]
        found += [entry.entity_id for entry in page.items]
        cursor = page.cursors[-1]

    assert found == goals[::-1]
    assert not page.has_next


async def test_what_was_changed_elsewhere_is_not_told(world: World) -> None:
    goal = await new_goal(world)
    bot = await world.caller()
    stranger = await world.caller("stranger")

    assert await log(world, "stranger") == []
    for wanted in ({"entity_id": goal.uid}, {"actor": bot.actor_id}, {"kind": "goal"}):
        assert await log(world, "stranger", **wanted) == [], wanted
    assert stranger.actor_id != bot.actor_id


async def test_the_changes_of_a_shared_goal_and_its_actions_are_found_by_id(world: World) -> None:
    goal = await new_goal(world, pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),))
    bot = await world.caller()
    await world.caller("other")
    (action,) = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    who = (ActorKind.AGENT, "other")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(goal_id=goal.uid, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.READ),
    )

    assert "goal.created" in operations_of(await log(world, "other", entity_id=goal.uid))
    assert operations_of(await log(world, "other", entity_id=action.uid)) == ["pending_action.created"]
    assert await log(world, "other") == []
    await world.services.goals.sharing.unshare(
        bot, UnshareGoal(goal_id=goal.uid, actor=Actor(kind=who[0], key=who[1]))
    )
    assert await log(world, "other", entity_id=goal.uid) == []


async def test_evidence_that_may_not_be_read_is_not_named(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="secret")])
    goal = await new_goal(world, evidence=(EvidenceDraft(observation_id=seen.uid),))
    await world.caller("other")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=goal.uid, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )

    entries = await log(world, "other", entity_id=goal.uid, operation=(EventType.GOAL_CREATED,))

    assert [entry.evidence for entry in entries] == [()]


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"kind": "goals"}, "filter.kind"),
        ({"entity_id": ""}, "filter.entityId"),
        ({"actor": "x" * 300}, "filter.actor"),
        ({"turn_id": " "}, "filter.turnId"),
    ],
)
async def test_a_wrong_filter_is_refused_with_its_field(
    world: World, wanted: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await log(world, **wanted)

    assert caught.value.field == field


async def test_a_time_without_a_zone_is_refused(world: World) -> None:
    with pytest.raises(InvalidInput) as caught:
        await log(world, since=world.clock.now().replace(tzinfo=None))

    assert caught.value.field == "filter.since"
