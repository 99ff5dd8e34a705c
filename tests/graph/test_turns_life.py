"""A turn comes after another one, and one that was left is closed."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import IllegalTransition
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.record import CommitAtTurnEnd, StartTurn, Turn, TurnObservation, TurnStatus
from tests.support.world import World


async def begin(world: World, caller: Caller, name: str) -> Turn:
    world.clock.advance(seconds=1)
    return (await world.services.turns.start.start(caller, StartTurn(turn_id=name))).turn


async def commit(world: World, caller: Caller, name: str, note: str = "n") -> None:
    command = CommitAtTurnEnd(turn_id=name, observations=(TurnObservation(content=note),))
    (result,) = await world.services.turns.commit.commit(caller, command)
    assert result.problem is None


async def named(world: World, caller: Caller, name: str) -> Turn:
    found = await world.services.turns.trace.get(caller, name)
    assert found is not None
    return found


async def test_turns_of_a_space_follow_each_other_however_they_begin(world: World) -> None:
    bot, other, trace = await world.caller(), await world.caller("other"), world.services.turns.trace
    first = await begin(world, bot, "a")
    await begin(world, other, "x")
    world.clock.advance(seconds=1)
    # Without `startTurn`, by a call that names a new turn.
    await world.services.scratch.service.add(bot, [ObservationDraft(content="n")], turn_id="b")
    second = await named(world, bot, "b")
    third = await begin(world, bot, "c")
    await begin(world, bot, "c")

    found = await trace.neighbours(bot, [first.uid, second.uid, third.uid])

    names = {
        uid: tuple(turn.key if turn else None for turn in (each.previous, each.next))
        for uid, each in found.items()
    }
    assert names == {first.uid: (None, "b"), second.uid: ("a", "c"), third.uid: ("b", None)}
    assert await trace.neighbours(other, [first.uid]) == {}
    rows = await world.rows("MATCH (:Turn {org_id: $org})-[n:NEXT]->(:Turn) RETURN count(n) AS number")
    assert rows == [{"number": 2}]


async def test_turns_that_begin_at_once_follow_at_most_one(world: World) -> None:
    bot = await world.caller()
    await begin(world, bot, "first")
    world.clock.advance(seconds=1)
    await asyncio.gather(
        *(world.services.turns.start.start(bot, StartTurn(turn_id=f"t{n % 5}")) for n in range(10))
    )
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org}) RETURN t.key AS key, COUNT { (:Turn)-[:NEXT]->(t) } AS number"
    )
    assert {row["key"]: row["number"] for row in rows} == {
        "first": 0,
        **dict.fromkeys(("t0", "t1", "t2", "t3", "t4"), 1),
    }


@pytest.mark.alone
async def test_a_turn_of_which_nothing_is_heard_is_closed(world: World) -> None:
    bot = await world.caller()
    hours = world.services.catalog.turns.abandoned_after_hours
    job = world.services.jobs.named["close_abandoned_turns"]
    silent, busy, done = [await begin(world, bot, name) for name in ("silent", "busy", "done")]
    await commit(world, bot, "done")
    world.clock.advance(hours=hours - 1)
    await world.services.tools.track(bot, TrackToolInvocation(turn_id="busy", tool="x", result={}))
    world.clock.advance(hours=1)
    await begin(world, bot, "new")
    world.clock.advance(minutes=1)

    await world.services.jobs.run_once(job)

    found = await world.services.turns.trace.get_by_ids(bot, [silent.uid, busy.uid, done.uid])
    assert [found[turn.uid].status for turn in (silent, busy, done)] == [
        TurnStatus.ABANDONED,
        TurnStatus.OPEN,
        TurnStatus.COMPLETE,
    ]
    assert (await named(world, bot, "new")).status is TurnStatus.OPEN
    closed = found[silent.uid]
    assert (closed.key, closed.handle, closed.ended_at) == ("silent", "silent", world.clock.now())
    # It is found by its name until another turn takes that.
    assert (await named(world, bot, "silent")).uid == silent.uid
    assert len((await world.services.turns.trace.trace(bot, "silent")).items) == 2
    entries = (await world.services.turns.trace.trace(bot, "silent")).items
    assert [entry.kind for entry in entries] == [TraceKind.TURN_STARTED, TraceKind.TURN_ABANDONED]
    assert (entries[-1].message, entries[-1].ids) == ("Turn abandoned", (silent.uid,))
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'turn.abandoned'}) "
        "RETURN e.aggregate AS uid, e.turn_uid AS turn"
    )
    assert events == [{"uid": silent.uid, "turn": silent.uid}]
    # A second run finds nothing.
    before = await world.counts()
    await world.services.jobs.run_once(job)
    assert await world.counts() == before
    # A day after its beginning the name is free, as that of any turn.
    assert (await begin(world, bot, "silent")).uid != silent.uid


@pytest.mark.alone
async def test_who_comes_back_to_an_abandoned_turn_completes_it(world: World) -> None:
    bot = await world.caller()
    turn = await begin(world, bot, "t")
    world.clock.advance(hours=world.services.catalog.turns.abandoned_after_hours + 1)
    await world.services.jobs.run_once(world.services.jobs.named["close_abandoned_turns"])

    with pytest.raises(IllegalTransition):
        await begin(world, bot, turn.uid)
    await commit(world, bot, turn.uid)

    found = await named(world, bot, turn.uid)
    assert (found.status, found.ended_at) == (TurnStatus.COMPLETE, world.clock.now())
    rows = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN count(t) AS number")
    assert rows == [{"number": 1}]


async def test_a_turn_that_takes_more_than_a_day_goes_on_by_its_id(world: World) -> None:
    bot, trace = await world.caller(), world.services.turns.trace
    turn = await begin(world, bot, "t")
    assert await trace.handle(bot, turn.uid) == "t"
    world.clock.advance(hours=25)

    handle = await trace.handle(bot, turn.uid)
    assert handle == turn.uid
    await world.services.scratch.service.add(bot, [ObservationDraft(content="n")], turn_id=handle)
    await world.services.tools.track(bot, TrackToolInvocation(turn_id=handle, tool="x", result={}))
    await commit(world, bot, handle, "m")

    found = await named(world, bot, turn.uid)
    assert (found.uid, found.key, found.status) == (turn.uid, "t", TurnStatus.COMPLETE)
    rows = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN count(t) AS number")
    assert rows == [{"number": 1}]
    # Its name begins another turn.
    assert (await begin(world, bot, "t")).uid != turn.uid
