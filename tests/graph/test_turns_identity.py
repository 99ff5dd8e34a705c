"""A turn is identified by its id: its name stands for it for a day, it begins once and ends once."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.goals.record import CreateGoal, Goal
from prefrontal.graph.errors import IllegalTransition
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.turns.record import CommitAtTurnEnd, StartTurn, Turn, TurnProgress, TurnStatus
from tests.support.world import World


async def begin(world: World, caller: Caller, name: str) -> Turn:
    return (await world.services.turns.start.start(caller, StartTurn(turn_id=name))).turn


async def end(world: World, caller: Caller, name: str, goal: Goal, delta: float = 0.25) -> bool:
    """End the turn with a step of the goal; return whether the step is a repetition."""
    command = CommitAtTurnEnd(turn_id=name, progress=(TurnProgress(goal_id=goal.uid, delta=delta),))
    (result,) = await world.services.turns.commit.commit(caller, command)
    assert result.problem is None
    return result.repeated


async def progress(world: World, caller: Caller, goal: Goal) -> float:
    return (await world.services.goals.service.get(caller, [goal.uid]))[goal.uid].progress


async def named(world: World, caller: Caller, name: str) -> Turn:
    found = await world.services.turns.trace.get(caller, name)
    assert found is not None
    return found


@pytest.mark.nightly("a turn begins and ends once with each change")
@pytest.mark.covers("TURN-107", "ACT-22")
async def test_a_name_stands_for_its_turn_for_a_day_and_then_for_another(world: World) -> None:
    bot, trace = await world.caller(), world.services.turns.trace
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Tea"))
    first = await begin(world, bot, "t")
    assert await end(world, bot, "t", goal) is False
    world.clock.advance(hours=23, minutes=59)
    assert await end(world, bot, "t", goal) is True
    assert (await named(world, bot, "t")).uid == first.uid

    world.clock.advance(minutes=1)
    second = await begin(world, bot, "t")
    assert await end(world, bot, "t", goal) is False
    assert await end(world, bot, "t", goal) is True

    assert await progress(world, bot, goal) == 0.5
    assert second.uid != first.uid
    assert (await named(world, bot, "t")).uid == second.uid
    # The earlier one is known by its id, and keeps its name, its trace and what it wrote.
    assert await trace.handle(bot, first.uid) == first.uid
    assert await trace.handle(bot, second.uid) == "t"
    earlier = await named(world, bot, first.uid)
    assert (earlier.uid, earlier.key, earlier.created_at) == (first.uid, "t", first.created_at)
    assert [e.turn for e in (await trace.trace(bot, first.uid)).items] == ["t", "t"]
    assert len((await trace.trace(bot, "t")).items) == 2
    assert await trace.count_made(bot, first.uid) == await trace.count_made(bot, second.uid) == 1
    # Its deltas are still those of its own.
    assert await end(world, bot, first.uid, goal) is True
    assert await end(world, bot, first.uid, goal, 0.125) is False
    assert await progress(world, bot, goal) == 0.625
    assert len((await trace.trace(bot, first.uid)).items) == 3
    rows = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN count(t) AS number")
    assert rows == [{"number": 2}]


async def test_what_a_turn_wrote_before_it_began_belongs_to_the_turn_of_the_day(world: World) -> None:
    bot = await world.caller()
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Tea", turn_id="t"))
    world.clock.advance(days=1)
    (note,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="n")], turn_id="t")

    of = await world.services.turns.trace.of(bot, [goal.uid, note.uid])

    assert of[goal.uid].uid != of[note.uid].uid
    assert (of[goal.uid].key, of[note.uid].key) == ("t", "t")
    assert (of[goal.uid].handle, of[note.uid].handle) == (of[goal.uid].uid, "t")


async def test_a_turn_begins_and_ends_once(world: World) -> None:
    bot = await world.caller()
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Tea"))
    first = await begin(world, bot, "t")
    assert (first.status, first.ended_at) == (TurnStatus.OPEN, None)
    world.clock.advance(minutes=1)
    assert await begin(world, bot, "t") == first
    world.clock.advance(minutes=1)
    ended_at = world.clock.now()
    await end(world, bot, "t", goal)
    world.clock.advance(minutes=1)
    await end(world, bot, "t", goal, 0.5)
    ended = await named(world, bot, "t")
    assert (ended.uid, ended.status, ended.ended_at) == (first.uid, TurnStatus.COMPLETE, ended_at)
    before = await world.counts()

    with pytest.raises(IllegalTransition) as caught:
        await begin(world, bot, "t")

    assert (caught.value.field, await world.counts()) == ("turnId", before)
    assert (await begin(world, bot, "u")).status is TurnStatus.OPEN


async def test_turns_are_in_a_list(world: World) -> None:
    bot, other, trace = await world.caller(), await world.caller("other"), world.services.turns.trace
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Tea"))
    turns = []
    for name in ("a", "b", "c"):
        turns.append(await begin(world, bot, name))
        world.clock.advance(seconds=1)
    await begin(world, other, "a")
    await end(world, bot, "b", goal)

    page = await trace.list(bot, first=2)
    rest = await trace.list(bot, first=2, after=page.cursors[-1])
    assert [turn.key for turn in (*page.items, *rest.items)] == ["c", "b", "a"]
    assert (page.has_next, rest.has_next) == (True, False)
    assert [turn.key for turn in (await trace.list(bot, TurnStatus.OPEN)).items] == ["c", "a"]
    assert [turn.key for turn in (await trace.list(bot, TurnStatus.COMPLETE)).items] == ["b"]
    assert [await trace.count_turns(bot, status) for status in (None, *TurnStatus)] == [3, 2, 1, 0]
    assert [turn.key for turn in (await trace.list(other)).items] == ["a"]
    # The id of another's turn names nothing.
    assert await trace.handle(other, turns[0].uid) is None


async def test_a_free_name_begins_one_turn_however_many_take_it_at_once(world: World) -> None:
    bot = await world.caller()
    first = await begin(world, bot, "t")
    world.clock.advance(days=2)

    begun = await asyncio.gather(*(begin(world, bot, "t") for _ in range(8)))

    assert len({turn.uid for turn in begun}) == 1
    assert begun[0].uid != first.uid
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org}) "
        "RETURN t.key = t.uid AS former, t.follows_uid AS follows ORDER BY t.created_at"
    )
    assert rows == [{"former": True, "follows": None}, {"former": False, "follows": first.uid}]
