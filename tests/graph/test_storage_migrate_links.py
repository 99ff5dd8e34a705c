"""Migration 0014: what was written before turns, evidence of actions and organisations were links."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions.record import PendingActionUpsert, UpsertPendingActions
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, ProgressDelta, UpdateProgress
from prefrontal.graph.scratch.record import ObservationDraft, Source
from tests.support.integrity import Graph, rows_of, turns_of
from tests.support.world import World

# The migration walks every organisation.
pytestmark = pytest.mark.alone

NEW = ("MADE", "IN")


async def write(world: World) -> None:
    """Two actors write in turns of the same name: a goal, its progress, and an action with evidence."""
    for name in ("bot", "other"):
        caller = await world.caller(name)
        (seen,) = await world.services.scratch.service.add(
            caller, [ObservationDraft(content=f"seen by {name}", source=Source(turn_id="turn-1"))]
        )
        goal = await world.services.goals.service.create(
            caller,
            CreateGoal(title="Tea", evidence=(EvidenceDraft(observation_id=seen.uid),), turn_id="turn-1"),
        )
        world.clock.advance(minutes=1)
        await world.services.goals.transitions.update_progress(
            caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.5)], turn_id="turn-2")
        )
        await act(world, caller, name, (seen.uid, "a book", seen.uid))


async def act(world: World, caller: Caller, title: str, refs: tuple[str, ...]) -> str:
    command = UpsertPendingActions(
        actions=[PendingActionUpsert(title=title, evidence_refs=refs)], turn_id="turn-2"
    )
    (done,) = await world.services.actions.upsert.upsert(caller, command)
    assert done.action
    return done.action.uid


async def age(world: World) -> None:
    """Take the graph back to the shape that the service wrote before the migration."""
    await world.rows("MATCH ({org_id: $org})-[r:MADE|IN]->() DELETE r")
    await world.rows("MATCH (:Observation {org_id: $org})-[r:EVIDENCES]->(:PendingAction) DELETE r")
    await world.rows(
        "MATCH (n:TraceEvent|OutboxEvent|Version {org_id: $org}) MATCH (turn:Turn {uid: n.turn_uid}) "
        "SET n.turn_key = turn.key REMOVE n.turn_uid"
    )


async def shape(world: World) -> tuple[list[dict[str, Any]], list[Any]]:
    """All nodes and edges of the organisation, in an order of their own."""
    graph = await rows_of(world)
    return tuple(sorted(rows, key=str) for rows in graph)  # type: ignore[return-value]


async def run(world: World, statements: tuple[str, ...]) -> None:
    for statement in statements:
        await world.services.database.implicit(statement)


async def test_what_was_written_before_is_linked_as_if_it_were_written_now(world: World) -> None:
    await write(world)
    (migration,) = [each for each in world.services.migrations if each.number == 14]
    wanted = await shape(world)
    await age(world)
    old = Graph(*await rows_of(world))
    assert {event.get("turn_key") for event in old.by_label["OutboxEvent"]} == {"turn-1", "turn-2"}
    assert not [key for key in old.out if key[1] in NEW]

    # It is killed after each statement, and begins again.
    for number in range(len(migration.statements)):
        await run(world, migration.statements[: number + 1])
    # A later one gives the links of evidence their versions.
    (later,) = [each for each in world.services.migrations if each.name.endswith("evidence_texts")]
    await run(world, later.statements)

    assert await shape(world) == wanted
    graph = Graph(*wanted)
    assert turns_of(graph) == []
    made = sorted(
        (properties["operation"], properties["since"].to_native())
        for turn in graph.by_label["Turn"]
        for _, properties in graph.out[turn["uid"], "MADE"]
    )
    assert [operation for operation, _ in made] == sorted(
        ["observation.added", "goal.created", "goal.progressed", "pending_action.created"] * 2
    )


async def test_an_action_is_not_linked_to_what_its_actor_may_not_read(world: World) -> None:
    other, bot = await world.caller("other"), await world.caller()
    (foreign,) = await world.services.scratch.service.add(other, [ObservationDraft(content="mine")])
    (own,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="seen")])
    uid = await act(world, bot, "Tea", (foreign.uid, own.uid))
    (migration,) = [each for each in world.services.migrations if each.number == 14]

    async def linked() -> list[dict[str, Any]]:
        return await world.rows(
            "MATCH (o:Observation)-[link:EVIDENCES]->(:PendingAction {uid: $uid}) "
            "RETURN o.uid AS uid, link.position AS position, link.by AS by",
            uid=uid,
        )

    wanted = [{"uid": own.uid, "position": 1, "by": bot.actor_id}]
    assert await linked() == wanted
    await age(world)

    await run(world, migration.statements)

    assert await linked() == wanted
