"""Migrations 0020 and 0024: actions of users and goals, written before they had a person."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    PendingActionDraft,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import CreateGoal
from tests.support.world import World

# The migration walks every organisation.
pytestmark = pytest.mark.alone


async def act(world: World, caller: Caller, title: str, space: str | None = None, **more: Any) -> None:
    action = PendingActionUpsert(title=title, type="user_task", **more)
    command = UpsertPendingActions(actions=[action], space=space)
    (done,) = await world.services.actions.upsert.upsert(caller, command)
    assert done.action


async def people(world: World) -> dict[str, list[str | None]]:
    """The person of each action, by its property and by its relationship."""
    rows = await world.rows(
        "MATCH (a:PendingAction {org_id: $org}) OPTIONAL MATCH (a)-[:FOR]->(p:Person) "
        "OPTIONAL MATCH (q:Person {uid: a.person_id}) RETURN a.title AS title, [q.key, p.key] AS people"
    )
    assert len({row["title"] for row in rows}) == len(rows)
    return {row["title"]: row["people"] for row in rows}


async def test_actions_of_before_get_the_person_that_the_graph_knows(world: World) -> None:
    bot, hanna = await world.caller(), await world.caller(None, person="hanna")
    grant = GrantAccess(
        space=hanna.home, actor=Actor(kind=ActorKind.AGENT, key="bot"), permission=SpacePermission.WRITE
    )
    await world.grant(hanna, grant)
    bot = await world.caller()
    goal = await world.services.goals.service.create(
        await world.caller(person="otto"),
        CreateGoal(
            title="Tea",
            pending_actions=(
                PendingActionDraft(type="user_task", title="of a goal"),
                PendingActionDraft(type="agent_task", title="the agent's"),
            ),
        ),
    )
    await act(world, bot, "later of a goal", goal_id=goal.uid)
    await act(world, hanna, "by a person")
    await act(world, bot, "at a person's", hanna.home)
    await act(world, bot, "nobody's")
    wanted = {
        "of a goal": ["otto", "otto"],
        "the agent's": [None, None],
        "later of a goal": ["otto", "otto"],
        "by a person": ["hanna", "hanna"],
        "at a person's": ["hanna", "hanna"],
        "nobody's": [None, None],
    }
    assert await people(world) == wanted
    await world.rows(
        "MATCH (a:PendingAction {org_id: $org}) OPTIONAL MATCH (a)-[r:FOR]->() DELETE r REMOVE a.person_id"
    )
    assert set(map(str, (await people(world)).values())) == {"[None, None]"}
    (migration,) = [each for each in world.services.migrations if each.name.endswith("_people")]

    # It is killed after each statement, and once between two batches, and begins again.
    for number in range(len(migration.statements)):
        for statement in migration.statements[: number + 1]:
            await world.services.database.implicit(statement)
        if number == len(migration.statements) - 1:
            await world.rows(
                "MATCH (a:PendingAction {org_id: $org, title: 'by a person'})-[r:FOR]->() DELETE r "
                "REMOVE a.person_id"
            )
    await world.services.database.implicit(migration.statements[-1])

    assert await people(world) == wanted


async def test_goals_of_before_get_the_person_for_whom_they_are(world: World) -> None:
    """Migration 0024."""
    bot, hanna = await world.caller(), await world.caller(None, person="hanna")
    for caller, title in ((bot, "agent"), (hanna, "person"), (await world.caller(person="hanna"), "both")):
        await world.services.goals.service.create(caller, CreateGoal(title=title))
    await world.rows("MATCH (g:Goal {org_id: $org}) REMOVE g.person_id")
    (migration,) = [each for each in world.services.migrations if each.name.endswith("_own_goals")]

    for _ in range(2):
        await world.services.database.implicit(migration.statements[-1])

    rows = await world.rows("MATCH (g:Goal {org_id: $org}) RETURN g.title AS title, g.person_id AS person")
    found = {row["title"]: row["person"] for row in rows}
    assert found == {"agent": None, "person": hanna.actor_id, "both": hanna.actor_id}
    # The other lies in the agent's private space.
    assert [goal.title for goal in await world.services.goals.service.own(hanna, 9)] == ["person"]
