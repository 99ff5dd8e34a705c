"""No goal comes from itself, however it is tried, and no tree grows too deep."""

from __future__ import annotations

import asyncio
from graphlib import CycleError, TopologicalSorter
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.cortex.goals.record import CreateGoal, Goal, UpsertGoal
from prefrontal.graph.errors import InvalidInput
from tests.support.lists import links_of
from tests.support.world import World

DEEPEST = 20


async def new_goal(world: World, title: str = "g", **fields: Any) -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title=title, **fields))


async def move(world: World, goal: Goal, **fields: Any) -> Goal:
    upsert = world.services.goals.upsert.upsert
    return (await upsert(await world.caller(), UpsertGoal(**fields, id=goal.uid)))[0]


async def has_cycle(world: World) -> bool:
    rows = await world.rows(
        "MATCH (g:Goal {org_id: $org})-[l:CHILD_OF|DERIVED_FROM]->(o) WHERE l.until IS NULL "
        "RETURN g.uid AS goal, collect(o.uid) AS above"
    )
    try:
        TopologicalSorter({row["goal"]: row["above"] for row in rows}).prepare()
    except CycleError:
        return True
    return False


async def refused(world: World, goal: Goal, field: str, **fields: Any) -> None:
    before = await world.counts()
    with pytest.raises(InvalidInput) as caught:
        await move(world, goal, **fields)
    assert (caught.value.code, caught.value.field) == ("invalid", field)
    assert await world.counts() == before
    assert not await has_cycle(world)


@pytest.mark.covers("GOAL-11")
async def test_a_goal_never_becomes_its_own_ancestor(world: World) -> None:
    a = await new_goal(world)
    b = await new_goal(world, parent_goal_id=a.uid)
    c = await new_goal(world, derived_from=(b.uid,))
    d = await new_goal(world, parent_goal_id=c.uid)
    other = await new_goal(world)

    await refused(world, a, "parentGoalId", parent_goal_id=a.uid)
    await refused(world, a, "derivedFrom[0]", derived_from=(a.uid,))
    await refused(world, a, "parentGoalId", parent_goal_id=b.uid)
    # Through a parent, a predecessor and a parent again.
    await refused(world, a, "parentGoalId", parent_goal_id=d.uid)
    await refused(world, a, "derivedFrom[1]", derived_from=(other.uid, d.uid))
    await refused(world, b, "derivedFrom[0]", derived_from=(c.uid,), title="not kept")

    # What ended does not count any more.
    await move(world, c, derived_from=())
    await move(world, a, parent_goal_id=d.uid)
    assert not await has_cycle(world)
    # Two ways to the same goal are no cycle.
    await move(world, b, derived_from=(d.uid,))
    assert not await has_cycle(world)


@pytest.mark.covers("GOAL-11")
async def test_a_cycle_through_what_the_caller_cannot_see_is_none_either(world: World) -> None:
    other = await world.caller("other")
    space = await world.services.access.create_space(await world.caller(), CreateSpace(name="team"))
    mine = await world.services.goals.service.create(
        await world.caller(), CreateGoal(title="mine", space=space)
    )
    await world.services.goals.service.create(other, CreateGoal(title="theirs"))
    await world.rows(
        "MATCH (m:Goal {uid: $mine}), (t:Goal {org_id: $org, title: 'theirs'}) "
        "CREATE (t)-[:CHILD_OF {since: datetime(), by: 'x'}]->(m)",
        mine=mine.uid,
    )
    low = await new_goal(world, "low")
    await world.rows(
        "MATCH (l:Goal {uid: $low}), (t:Goal {org_id: $org, title: 'theirs'}) "
        "CREATE (l)-[:CHILD_OF {since: datetime(), by: 'x'}]->(t)",
        low=low.uid,
    )
    await refused(world, mine, "parentGoalId", parent_goal_id=low.uid)


@pytest.mark.covers("GOAL-11")
async def test_two_changes_at_once_make_no_cycle(world: World) -> None:
    for _ in range(5):
        a, b = await new_goal(world), await new_goal(world)
        results = await asyncio.gather(
            move(world, a, parent_goal_id=b.uid),
            move(world, b, parent_goal_id=a.uid),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in results) == ["Goal", "InvalidInput"]
    assert not await has_cycle(world)


@pytest.mark.covers("GOAL-11")
async def test_changes_at_once_that_name_no_goal_in_common_make_no_cycle(world: World) -> None:
    for _ in range(2):
        a, c, e = [await new_goal(world) for _ in range(3)]
        b = await new_goal(world, parent_goal_id=a.uid)
        d = await new_goal(world, derived_from=(c.uid,))
        f = await new_goal(world, parent_goal_id=e.uid)
        # Each is under the next one's child: a under d, c under f, e under b.
        results = await asyncio.gather(
            move(world, a, parent_goal_id=d.uid),
            move(world, c, derived_from=(f.uid,)),
            move(world, e, parent_goal_id=b.uid),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in results) == ["Goal", "Goal", "InvalidInput"]
    assert not await has_cycle(world)


async def chain(world: World, goals: int) -> list[Goal]:
    made_: list[Goal] = []
    for _ in range(goals):
        made_.append(await new_goal(world, parent_goal_id=made_[-1].uid if made_ else None))
    return made_


async def test_a_tree_has_a_deepest_level(world: World) -> None:
    tall = await chain(world, DEEPEST + 1)
    before = await world.counts()
    with pytest.raises(InvalidInput) as caught:
        await new_goal(world, parent_goal_id=tall[-1].uid)
    assert caught.value.field == "parentGoalId"
    assert await world.counts() == before
    # Predecessors are no levels.
    assert (await new_goal(world, derived_from=(tall[-1].uid,))).version == 1

    short = await chain(world, 3)
    await refused(world, short[0], "parentGoalId", parent_goal_id=tall[-3].uid)
    await move(world, short[0], parent_goal_id=tall[-4].uid)
    found = await links_of(world.services, await world.caller(), [short[2].uid])
    assert len(found[short[2].uid].lineage_ids) == DEEPEST


async def test_a_tree_does_not_grow_too_deep_from_both_ends_at_once(world: World) -> None:
    root = await new_goal(world)
    tall = await chain(world, DEEPEST)
    results = await asyncio.gather(
        move(world, tall[0], parent_goal_id=root.uid),
        new_goal(world, parent_goal_id=tall[-1].uid),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["Goal", "InvalidInput"]


@pytest.mark.nightly("it counts what a look costs; the cycles themselves are tried with each change")
async def test_many_ways_through_predecessors_cost_no_more_than_their_goals(world: World) -> None:
    layer = [(await new_goal(world)).uid for _ in range(4)]
    for _ in range(11):
        layer = [(await new_goal(world, derived_from=tuple(layer))).uid for _ in range(4)]
    last = await new_goal(world, derived_from=tuple(layer))
    first = await new_goal(world)
    # Four million ways lead up from here.
    found = await links_of(world.services, await world.caller(), [last.uid])
    assert len(found[last.uid].lineage_ids) == 48
    assert (await move(world, last, parent_goal_id=first.uid)).version == 2
