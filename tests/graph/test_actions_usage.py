"""How the types of actions are used, in the spaces of the caller and from an index alone."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import CompletePendingAction, TransitionPendingAction
from prefrontal.graph.cortex.actions.usage import TypeUsage
from prefrontal.graph.errors import Forbidden, InvalidInput
from tests.graph.test_actions_escalate import make
from tests.support.profiling import profiled
from tests.support.world import World

NOTHING = TypeUsage(created=0, completed=0, cancelled=0, failed=0, overdue=0)


async def used(world: World, *types: str, since: datetime | None = None, **who: Any) -> list[TypeUsage]:
    found = await world.services.actions.service.usage(await world.caller(**who), types, since)
    return [found[name] for name in types]


async def move(world: World, uid: str, status: str) -> None:
    transitions = world.services.actions.transitions
    await transitions.move(await world.caller(), TransitionPendingAction(id=uid, status=status))


async def complete(world: World, uid: str, **result: Any) -> None:
    command = CompletePendingAction(id=uid, result=result)
    await world.services.actions.transitions.move(await world.caller(), command)


@pytest.mark.covers("OPS-12", "OPS-13", "OPS-15")
async def test_what_became_of_the_actions_of_each_type_is_counted(world: World) -> None:
    early = await make(world, type="agent_task")
    world.clock.advance(minutes=1)
    since = world.clock.now()
    left, done, twice, dropped = [await make(world, type="agent_task") for _ in range(4)]
    await make(world, type="reminder")
    for each in (early, done, twice):
        await move(world, each.uid, "in_progress")
    await complete(world, early.uid, ok=True)
    await complete(world, done.uid, ok=True)
    # The first attempt fails: the action is not completed by it, and stays one that has failed.
    await complete(world, twice.uid, ok=False)
    assert await used(world, "agent_task", since=since) == [
        TypeUsage(created=4, completed=1, cancelled=0, failed=1, overdue=0)
    ]
    await move(world, twice.uid, "in_progress")
    await complete(world, twice.uid, ok=True)
    await move(world, dropped.uid, "cancelled")

    task, reminder, none = await used(world, "agent_task", "reminder", "research", since=since)
    (ever,) = await used(world, "agent_task")

    assert task == TypeUsage(created=4, completed=2, cancelled=1, failed=1, overdue=0)
    assert (task.open, task.completion_rate, task.error_rate) == (1, 0.5, 0.25)
    assert reminder == TypeUsage(created=1, completed=0, cancelled=0, failed=0, overdue=0)
    assert (none, none.completion_rate, none.error_rate) == (NOTHING, None, None)
    assert ever == TypeUsage(created=5, completed=3, cancelled=1, failed=1, overdue=0)
    assert left.status == "pending"


@pytest.mark.covers("OPS-14")
async def test_what_is_overdue_now_is_counted_whenever_it_was_made(world: World) -> None:
    for minutes in (1, 2, 60):
        await make(world, type="reminder", due=timedelta(minutes=minutes))
    over = await make(world, type="reminder", due=timedelta(minutes=1))
    await make(world, type="agent_task", due=timedelta(minutes=1))
    await make(world, type="agent_task")
    await move(world, over.uid, "cancelled")
    assert [each.overdue for each in await used(world, "reminder", "agent_task")] == [0, 0]

    world.clock.advance(minutes=2)

    since = world.clock.now()
    assert [each.overdue for each in await used(world, "reminder", "agent_task", since=since)] == [2, 1]
    assert [each.created for each in await used(world, "reminder", "agent_task", since=since)] == [0, 0]


@pytest.mark.covers("OPS-12", "OPS-14")
async def test_actions_of_spaces_that_the_caller_may_not_read_are_not_counted(world: World) -> None:
    for who in ({}, {"agent": "other"}, {"agent": "other"}):
        await make(world, caller=await world.caller(**who), type="reminder", due=timedelta(0))
    world.clock.advance(minutes=1)

    mine, theirs = await used(world, "reminder"), await used(world, "reminder", agent="other")

    assert [(each.created, each.overdue) for each in (*mine, *theirs)] == [(1, 1), (2, 2)]
    with pytest.raises(Forbidden):
        await used(world, "reminder", roles=())


@pytest.mark.nightly("the numbers themselves are tried with each change")
@pytest.mark.covers("OPS-12..15")
async def test_the_numbers_come_from_the_index_alone(world: World) -> None:
    caller = await world.caller()
    space = caller.home
    fill = (
        "UNWIND range(1, $number) AS i "
        "CREATE (:PendingAction {uid: 'act_' + $org + $space + i, org_id: $org, "
        "scope_id: $space, type: 'reminder', created_at: $now, status: 'pending', failed: i % 4 = 0, "
        "open: true, owner: 'agent', due_key: '9999' + i})"
    )
    given = {
        "readable": list(caller.readable),
        "types": ["agent_task", "reminder"],
        "created_since": world.clock.now() - timedelta(days=1),
        "overdue_key": "2026",
    }
    await world.rows(fill, space=space, number=1000, now=world.clock.now())
    await world.rows("CALL db.prepareForReplanning(60)")
    row, before = await profiled(world, "actions/count_actions_by_type", **given)
    # Those of another space, and those of another time, cost nothing.
    old = world.clock.now() - timedelta(days=2)
    await world.rows(fill, space="elsewhere", number=1000, now=world.clock.now())
    await world.rows(fill.replace("'act_'", "'act_old_'"), space=space, number=1000, now=old)
    again, after = await profiled(world, "actions/count_actions_by_type", **given)

    assert sorted((item["failed"], item["number"]) for item in row["made"]) == [(False, 750), (True, 250)]
    assert again == row
    # One hit for each entry of the index: no node is read, whose properties would be three hits and more.
    assert 1000 <= before < 1100
    assert after == before


async def test_a_time_without_a_zone_is_refused(world: World) -> None:
    with pytest.raises(InvalidInput) as refused:
        await used(world, "agent_task", since=world.clock.now().replace(tzinfo=None))
    assert refused.value.field == "since"
