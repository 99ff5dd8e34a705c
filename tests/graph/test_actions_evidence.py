"""The observations that support an action are links, which follow the references of the action."""

from __future__ import annotations

from datetime import datetime

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions.record import (
    PendingActionDraft,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World


async def note(world: World, caller: Caller, *texts: str) -> list[str]:
    drafts = [ObservationDraft(content=text, confidence=0.9, ttl_minutes=5) for text in texts]
    return [o.uid for o in await world.services.scratch.service.add(caller, drafts)]


async def upsert(world: World, caller: Caller, **fields) -> str:
    (done,) = await world.services.actions.upsert.upsert(
        caller, UpsertPendingActions(actions=[PendingActionUpsert(**fields)])
    )
    assert done.action
    return done.action.uid


async def links(world: World) -> list[tuple[str, int, float, datetime, datetime | None, str]]:
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org})-[l:EVIDENCES]->(:PendingAction) "
        "RETURN o.uid AS uid, l.position AS position, l.confidence AS confidence, l.since AS since, "
        "l.until AS until, l.by AS by ORDER BY l.since, l.position"
    )
    return [
        (
            row["uid"],
            row["position"],
            row["confidence"],
            row["since"].to_native(),
            row["until"].to_native() if row["until"] else None,
            row["by"],
        )
        for row in rows
    ]


async def test_the_readable_observations_among_the_references_are_linked(world: World) -> None:
    bot = await world.caller()
    (foreign,) = await note(world, await world.caller("other"), "secret")
    one, two = await note(world, bot, "one", "two")
    unknown = new_id(Kind.OBSERVATION, world.clock.now())
    now = world.clock.now()

    uid = await upsert(world, bot, title="Act", evidence_refs=("a book", two, foreign, unknown, one, two))

    assert await links(world) == [
        (two, 1, 0.9, now, None, bot.actor_id),
        (one, 4, 0.9, now, None, bot.actor_id),
    ]
    action = (await world.services.actions.service.get(bot, [uid]))[uid]
    assert action.evidence_refs == ("a book", two, foreign, unknown, one, two)


async def test_the_action_of_a_new_goal_is_linked_too(world: World) -> None:
    bot = await world.caller()
    (one,) = await note(world, bot, "one")
    draft = PendingActionDraft(type="research", title="Look", evidence_refs=(one,))

    await world.services.goals.service.create(bot, CreateGoal(title="Know", pending_actions=(draft,)))

    assert [link[0] for link in await links(world)] == [one]


async def test_a_link_ends_with_its_reference_and_another_begins(world: World) -> None:
    bot = await world.caller()
    one, two = await note(world, bot, "one", "two")
    uid = await upsert(world, bot, title="Act", evidence_refs=(one,))
    began = world.clock.now()
    world.clock.advance(minutes=1)
    changed = world.clock.now()

    await upsert(world, bot, id=uid, evidence_refs=(two,))
    world.clock.advance(minutes=1)
    await upsert(world, bot, id=uid, title="Act now")
    again = world.clock.now()
    await upsert(world, bot, id=uid, evidence_refs=(two, one))

    assert await links(world) == [
        (one, 0, 0.9, began, changed, bot.actor_id),
        (two, 0, 0.9, changed, None, bot.actor_id),
        (one, 1, 0.9, again, None, bot.actor_id),
    ]


@pytest.mark.alone
async def test_an_observation_that_supports_an_action_is_not_deleted_when_it_expires(world: World) -> None:
    bot = await world.caller()
    one, _ = await note(world, bot, "one", "two")
    await upsert(world, bot, title="Act", evidence_refs=(one,))
    world.clock.advance(minutes=6)
    table = world.services.catalog.scratch.model_copy(update={"on_expiry": "delete"})
    catalog = world.services.catalog.model_copy(update={"scratch": table})

    await world.services.jobs.run_once(ExpireObservations(catalog))

    rows = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.uid AS uid, o.status AS status")
    assert rows == [{"uid": one, "status": "expired"}]
