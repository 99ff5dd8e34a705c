"""upsertGoal: a goal is made or changed, field by field, under its id or the caller's own key."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalChanges,
    Horizon,
    HorizonUnit,
    Milestone,
    UpsertGoal,
)
from prefrontal.graph.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    PrefrontalError,
    VersionConflict,
)
from prefrontal.graph.ids import Kind, new_id
from tests.support.lists import links_of
from tests.support.world import World

UNKNOWN = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"
HORIZON = Horizon(value=3, unit=HorizonUnit.DAYS)


async def upsert(
    world: World, agent: str = "bot", *, named: dict[str, Any] | None = None, **fields: Any
) -> tuple[Goal, bool]:
    caller = await world.caller(agent)
    return await world.services.goals.upsert.upsert(caller, UpsertGoal(**fields, **named or {}))


async def new_goal(world: World, title: str = "find_wine", **fields: Any) -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title=title, **fields))


async def links(world: World, goal: Goal) -> tuple[str | None, tuple[str, ...], tuple[str, ...]]:
    found = (await links_of(world.services, await world.caller(), [goal.uid]))[goal.uid]
    return found.parent_goal_id, found.derived_from, found.lineage_ids


async def edges(world: World, goal: Goal) -> list[tuple[str, str, bool]]:
    rows = await world.rows(
        "MATCH (g:Goal {uid: $uid})-[r:CHILD_OF|DERIVED_FROM]->(o) "
        "RETURN type(r) AS type, o.title AS title, r.until IS NULL AS live, r.by AS by "
        "ORDER BY type, title, live",
        uid=goal.uid,
    )
    bot = (await world.caller()).actor_id
    assert {row["by"] for row in rows} <= {bot}
    return [(row["type"], row["title"], row["live"]) for row in rows]


async def history(world: World, goal: Goal) -> list[dict[str, Any]]:
    rows = await world.rows(
        "MATCH (v:Version)-[:OF]->(:Goal {uid: $uid}) RETURN v.number AS n, v.changes AS c ORDER BY n",
        uid=goal.uid,
    )
    assert [row["n"] for row in rows] == list(range(1, len(rows) + 1))
    return [json.loads(row["c"]) for row in rows]


@pytest.mark.covers("GOAL-19")
async def test_without_a_name_a_goal_is_made(world: World) -> None:
    root = await new_goal(world, "root")
    goal, created = await upsert(
        world, title="find_wine", priority="high", parent_goal_id=root.uid, horizon=HORIZON
    )
    assert created
    assert (goal.title, goal.priority_rank, goal.status.value, goal.version) == ("find_wine", 3, "pending", 1)
    assert await links(world, goal) == (root.uid, (), (root.uid,))
    again, created = await upsert(world, title="find_wine")
    assert created
    assert again.uid != goal.uid


@pytest.mark.covers("GOAL-13", "GOAL-19", "GOAL-01")
async def test_the_given_fields_change_and_the_others_stay(world: World) -> None:
    goal = await new_goal(
        world,
        description="Burgundy",
        goal_type="shopping",
        priority="high",
        horizon=HORIZON,
        metrics={"bottles": 2},
        constraints=("red",),
        milestones=(Milestone(title="list"),),
    )
    later = world.clock.advance(minutes=5)
    world.statements.clear()
    after, created = await upsert(
        world, named={"id": goal.uid, "turn_id": "t"}, title="find_white_wine", constraints=("white", "dry")
    )
    assert not created
    assert [name for name in world.statements.names if name.startswith("goals/")] == [
        "goals/lock_goals",
        "goals/update_goals",
        # The title has changed.
        "goals/replace_topics",
        "goals/find_goals",
    ]
    assert after == goal.model_copy(
        update={
            "title": "find_white_wine",
            "constraints": ("white", "dry"),
            "version": 2,
            "updated_at": later,
        }
    )
    assert after.created_at == goal.created_at
    assert (await history(world, goal))[1] == {
        "title": "find_white_wine",
        "constraints": ["white", "dry"],
    }
    page = await world.services.turns.trace.trace(await world.caller(), "t")
    assert [(e.kind.value, e.ids, e.details) for e in page.items] == [
        ("goal_updated", (goal.uid,), {"fields": ["constraints", "title"]})
    ]
    (event,) = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'goal.updated'}) "
        "RETURN e.aggregate AS goal, e.aggregate_version AS version, e.data AS data"
    )
    assert (event["goal"], event["version"]) == (goal.uid, 2)
    assert json.loads(event["data"]) == {
        "goal_id": goal.uid,
        "status": "pending",
        "fields": ["constraints", "title"],
    }


@pytest.mark.covers("GOAL-19")
async def test_null_clears_what_is_optional(world: World) -> None:
    root, old = await new_goal(world, "root"), await new_goal(world, "old")
    goal = await new_goal(
        world,
        description="d",
        goal_type="t",
        priority="critical",
        horizon=HORIZON,
        metrics={"a": 1},
        constraints=("c",),
        milestones=(Milestone(title="m"),),
        parent_goal_id=root.uid,
        derived_from=(old.uid,),
    )
    fields = set(GoalChanges.model_fields) - {"title"}
    after, _ = await upsert(world, named={"id": goal.uid}, **dict.fromkeys(fields))
    assert (after.title, after.description, after.goal_type, after.horizon) == ("find_wine", None, None, None)
    assert (after.metrics, after.constraints, after.milestones) == (None, (), ())
    assert (after.priority, after.priority_rank, after.version) == ("medium", 2, 2)
    assert await links(world, goal) == (None, (), ())
    assert (await history(world, goal))[1]["parent_goal_id"] is None
    with pytest.raises(InvalidInput) as caught:
        await upsert(world, named={"id": goal.uid}, title=None)
    assert caught.value.field == "title"


@pytest.mark.covers("GOAL-13")
async def test_what_is_equal_already_writes_nothing(world: World) -> None:
    root, old = await new_goal(world, "root"), await new_goal(world, "old")
    goal = await new_goal(world, description="d", parent_goal_id=root.uid, derived_from=(old.uid,))
    before = await world.counts()
    world.clock.advance(minutes=1)
    same, created = await upsert(
        world,
        named={"id": goal.uid},
        title="find_wine",
        description="d",
        parent_goal_id=root.uid,
        derived_from=(old.uid,),
    )
    assert (same, created) == (goal, False)
    assert await upsert(world, named={"id": goal.uid}) == (goal, False)
    assert await world.counts() == before
    assert len(await edges(world, goal)) == 2


@pytest.mark.covers("GOAL-11", "GOAL-12", "GOAL-15")
async def test_a_goal_gets_another_parent_and_other_predecessors(world: World) -> None:
    top = await new_goal(world, "top")
    one, two = await new_goal(world, "one"), await new_goal(world, "two", parent_goal_id=top.uid)
    old, older = await new_goal(world, "old"), await new_goal(world, "older")
    goal = await new_goal(world, parent_goal_id=one.uid, derived_from=(old.uid,))
    later = world.clock.advance(minutes=1)

    after, _ = await upsert(
        world, named={"id": goal.uid}, parent_goal_id=two.uid, derived_from=(old.uid, older.uid)
    )

    assert (after.version, after.updated_at) == (2, later)
    assert await links(world, goal) == (
        two.uid,
        tuple(sorted((old.uid, older.uid))),
        (*sorted((two.uid, old.uid, older.uid)), top.uid),
    )
    assert await edges(world, goal) == [
        ("CHILD_OF", "one", False),
        ("CHILD_OF", "two", True),
        ("DERIVED_FROM", "old", True),
        ("DERIVED_FROM", "older", True),
    ]
    assert (await history(world, goal))[1] == {
        "parent_goal_id": two.uid,
        "derived_from": [old.uid, older.uid],
    }
    caller = await world.caller()
    drawn = await world.services.goals.service.lineage(caller, goal.uid)
    assert {node.name for node in drawn.nodes} == {"find_wine", "two", "top", "old", "older"}
    assert {node.name for node in (await world.services.goals.service.lineage(caller, one.uid)).nodes} == {
        "one"
    }

    await upsert(world, named={"id": goal.uid}, parent_goal_id=one.uid, derived_from=())
    assert await links(world, goal) == (one.uid, (), (one.uid,))
    assert len(await edges(world, goal)) == 5


@pytest.mark.covers("GOAL-19")
async def test_the_callers_own_key_names_one_goal_of_a_space(world: World) -> None:
    named = {"client_key": "wine"}
    goal, created = await upsert(world, named=named, title="find_wine")
    assert (created, goal.client_key) == (True, "wine")
    same, created = await upsert(world, named=named, priority="high")
    assert (same.uid, same.title, same.priority, same.version, created) == (
        goal.uid,
        "find_wine",
        "high",
        2,
        False,
    )
    other, created = await upsert(world, "other", named=named, title="mine")
    assert created
    assert other.uid != goal.uid


async def test_many_at_once_with_one_key_make_one_goal(world: World) -> None:
    results = await asyncio.gather(
        *(
            upsert(world, named={"client_key": "wine"}, title="find_wine", description=str(n))
            for n in range(6)
        )
    )
    assert len({goal.uid for goal, _ in results}) == 1
    assert sum(created for _, created in results) == 1
    rows = await world.rows("MATCH (g:Goal {org_id: $org}) RETURN g.version AS version")
    assert rows == [{"version": 6}]


async def test_a_repeated_call_gives_the_first_answer(world: World) -> None:
    named = {"idempotency_key": "k"}
    first = await upsert(world, named=named, title="find_wine")
    assert await upsert(world, named=named, title="find_wine") == first
    with pytest.raises(Conflict):
        await upsert(world, named=named, title="find_wine", description=None)
    assert (await world.counts())["Goal"] == 1


async def test_no_change_of_two_at_once_is_lost_with_an_expected_version(world: World) -> None:
    goal = await new_goal(world)
    named = {"id": goal.uid, "expected_version": 1}
    results = await asyncio.gather(
        *(upsert(world, named=named, title=f"t{n}") for n in range(4)), return_exceptions=True
    )
    assert sum(isinstance(result, tuple) for result in results) == 1
    assert sum(isinstance(result, VersionConflict) for result in results) == 3
    assert len(await history(world, goal)) == 2


REFUSED: list[tuple[dict[str, Any], dict[str, Any], type[PrefrontalError], str]] = [
    ({"id": "$goal"}, {"title": " "}, InvalidInput, "title"),
    ({"id": "$goal"}, {"description": "d" * 10_001}, InvalidInput, "description"),
    ({"id": "$goal"}, {"priority": "urgent"}, InvalidInput, "priority"),
    ({"id": "$goal"}, {"constraints": ("",)}, InvalidInput, "constraints[0]"),
    ({"id": "$goal"}, {"derived_from": (UNKNOWN, UNKNOWN)}, InvalidInput, "derivedFrom[1]"),
    ({"id": "$goal"}, {"parent_goal_id": UNKNOWN}, NotFound, "parentGoalId"),
    ({"id": "$goal"}, {"parent_goal_id": "$foreign"}, NotFound, "parentGoalId"),
    ({"id": "$goal"}, {"derived_from": (UNKNOWN,)}, NotFound, "derivedFrom[0]"),
    ({"id": "$goal"}, {"title": "x", "derived_from": ("$foreign",)}, NotFound, "derivedFrom[0]"),
    ({"id": "$goal", "expected_version": 2}, {"title": "x"}, VersionConflict, "expectedVersion"),
    ({"id": "$goal", "client_key": "k"}, {"title": "x"}, InvalidInput, "clientKey"),
    ({"id": "$goal", "space": "spc_x"}, {"title": "x"}, InvalidInput, "space"),
    ({"id": "$goal", "turn_id": ""}, {"title": "x"}, InvalidInput, "turnId"),
    ({"id": UNKNOWN}, {"title": "x"}, NotFound, "id"),
    ({"id": "nonsense"}, {"title": "x"}, NotFound, "id"),
    ({"id": "$foreign"}, {"title": "x"}, NotFound, "id"),
    ({"id": "$shown"}, {"title": "x"}, Forbidden, "id"),
    ({}, {"description": "x"}, InvalidInput, "title"),
    ({}, {"title": None}, InvalidInput, "title"),
    ({"expected_version": 1}, {"title": "x"}, VersionConflict, "expectedVersion"),
    ({"space": "spc_x"}, {"title": "x"}, NotFound, "space"),
    ({"client_key": " "}, {"title": "x"}, InvalidInput, "clientKey"),
    ({"client_key": "new"}, {"title": "x", "parent_goal_id": "$foreign"}, NotFound, "parentGoalId"),
]


async def test_what_is_refused_writes_nothing(world: World) -> None:
    goal = await new_goal(world)
    other = await world.caller("other")
    foreign = await world.services.goals.service.create(other, CreateGoal(title="foreign"))
    space = await world.services.access.create_space(other, CreateSpace(name="shown"))
    other = await world.caller("other")
    bot = (ActorKind.AGENT, "bot")
    await world.grant(
        other, GrantAccess(space=space, actor=Actor(kind=bot[0], key=bot[1]), permission=SpacePermission.READ)
    )
    shown = await world.services.goals.service.create(other, CreateGoal(title="shown", space=space))
    ids = {"$goal": goal.uid, "$foreign": foreign.uid, "$shown": shown.uid}

    def filled(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(ids.get(item, item) for item in value)
        return ids.get(value, value) if isinstance(value, str) else value

    before = await world.counts()
    for named, fields, error, field in REFUSED:
        given = {name: filled(value) for name, value in fields.items()}
        with pytest.raises(error) as caught:
            await upsert(world, named={k: filled(v) for k, v in named.items()}, **given)
        assert caught.value.field == field, (named, fields)
        assert await world.counts() == before, (named, fields)
    reader = await world.caller(roles=("reader",))
    with pytest.raises(Forbidden):
        await world.services.goals.upsert.upsert(reader, UpsertGoal(title="x"))
    assert await links(world, goal) == (None, (), ())
    assert await world.counts() == before


async def test_another_organisation_finds_no_such_goal(world: World) -> None:
    goal = await new_goal(world)
    key = new_id(Kind.ORGANISATION, world.clock.now()).replace("_", "-").lower()
    org = await world.services.access.create_organisation(key)
    elsewhere = World(world.services, world.clock, world.statements, key, org)
    with pytest.raises(NotFound):
        await upsert(elsewhere, named={"id": goal.uid}, title="x")
    mine = await new_goal(elsewhere, "mine")
    for fields, field in (
        ({"parent_goal_id": goal.uid}, "parentGoalId"),
        ({"derived_from": (goal.uid,)}, "derivedFrom[0]"),
    ):
        with pytest.raises(NotFound) as caught:
            await upsert(elsewhere, named={"id": mine.uid}, **fields)
        assert caught.value.field == field
    assert len(await history(world, goal)) == 1
