"""Turns in sessions of working memory: begun, gone on with and ended in one (issue 15; decision G-153)."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import Conflict, IllegalTransition, NotFound
from prefrontal.graph.sessions.record import EndSession
from prefrontal.graph.turns.record import CommitAtTurnEnd, StartTurn, Turn, TurnObservation, TurnStatus
from tests.graph.test_sessions import items_of, number, offer, person, start
from tests.support.world import World


async def begin(world: World, caller: Caller, turn: str, session: str | None = None, **more: Any) -> Turn:
    command = StartTurn(turn_id=turn, session_id=session, **more)
    return (await world.services.turns.start.start(caller, command)).turn


async def finish(world: World, caller: Caller, turn: str, session: str | None = None, **more: Any) -> None:
    command = CommitAtTurnEnd(turn_id=turn, session_id=session, **more)
    await world.services.turns.commit.commit(caller, command)


async def session_of(world: World, caller: Caller, turn: str) -> str | None:
    found = (await world.services.sessions.of_turns(caller, [turn])).get(turn)
    return found.uid if found else None


async def last_activity(world: World, caller: Caller, session: str) -> Any:
    return (await world.services.sessions.get(caller, [session]))[session].last_activity


@pytest.mark.covers("WMS-99")
async def test_the_end_of_a_turn_lets_go_of_nothing_that_the_session_holds(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    turn = await begin(world, caller, "turn-1", "trip")
    await offer(world, caller, "trip", "Pack the tent")
    before = await items_of(world, caller, session.uid)
    (row,) = await world.rows("MATCH (s:Session {org_id: $org}) RETURN properties(s) AS session")

    await finish(world, caller, "turn-1", "trip", observations=[TurnObservation(content="It rains")])

    (after,) = await world.rows("MATCH (s:Session {org_id: $org}) RETURN properties(s) AS session")
    # Nothing of the turn is kept in the session, neither in it nor on what it holds.
    changed = {name for name in after["session"] if after["session"][name] != row["session"].get(name)}
    assert changed <= {"locked_at", "last_activity"}
    assert await items_of(world, caller, session.uid) == before
    assert [item.content for item in before] == ["Pack the tent"]
    assert (
        await number(
            world, "MATCH (:Session {org_id: $org})-[h:HOLDS]->() WHERE h.until IS NULL RETURN count(h)"
        )
        == 1
    )
    (ended,) = (await world.services.turns.trace.get_by_ids(caller, [turn.uid])).values()
    assert ended.status is TurnStatus.COMPLETE
    next_turn = await begin(world, caller, "turn-2", "trip")
    assert await session_of(world, caller, next_turn.uid) == session.uid
    assert (await offer(world, caller, "trip", "Buy gas")).session.items == 2


@pytest.mark.covers("WMS-95")
async def test_a_turn_is_linked_to_its_session_once_and_is_activity_of_it(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")

    world.clock.advance(minutes=10)
    turn = await begin(world, caller, "turn-1", session.uid)
    assert await last_activity(world, caller, session.uid) == world.clock.now()
    world.clock.advance(minutes=10)
    # The turn is known to be in the session.
    assert await begin(world, caller, "turn-1") == turn
    assert await last_activity(world, caller, session.uid) == world.clock.now()
    world.clock.advance(minutes=10)
    await finish(world, caller, "turn-1")
    await finish(world, caller, "turn-1", "trip")

    found = (await world.services.sessions.get(caller, [session.uid]))[session.uid]
    assert (found.last_activity, found.version) == (world.clock.now(), session.version)
    assert await session_of(world, caller, turn.uid) == session.uid
    assert await number(world, "MATCH (:Turn {org_id: $org})-[l:IN_SESSION]->(:Session) RETURN count(l)") == 1


async def test_a_name_stands_for_one_turn_in_each_session(world: World) -> None:
    caller = await person(world)
    first, second = await start(world, caller, key="first"), await start(world, caller, key="second")

    one = await begin(world, caller, "turn-1", "first")
    other = await begin(world, caller, "turn-1", "second")
    # Each session goes on with its own turn, whichever took the name last.
    assert (await begin(world, caller, "turn-1", "first")).uid == one.uid
    await finish(world, caller, "turn-1", "first", observations=[TurnObservation(content="of the first")])
    assert (await begin(world, caller, "turn-1", "second")).uid == other.uid

    turns = await world.services.turns.trace.get_by_ids(caller, [one.uid, other.uid])
    assert {each.key for each in turns.values()} == {"turn-1"}
    assert (turns[one.uid].status, turns[other.uid].status) == (TurnStatus.COMPLETE, TurnStatus.OPEN)
    assert await session_of(world, caller, one.uid) == first.uid
    assert await session_of(world, caller, other.uid) == second.uid
    # What does not name a session means the one that took the name last.
    assert (await begin(world, caller, "turn-1")).uid == other.uid
    with pytest.raises(IllegalTransition):
        await begin(world, caller, "turn-1", "first")
    made = await world.services.turns.trace.made(caller, one.uid)
    assert [uid.split("_")[0] for uid in made.items] == ["obs"]
    assert await number(world, "MATCH (t:Turn {org_id: $org}) RETURN count(t)") == 2


async def test_a_turn_stays_in_its_session(world: World) -> None:
    caller = await person(world)
    first = await start(world, caller)
    second = await start(world, caller)
    turn = await begin(world, caller, "turn-1", first.uid)
    before = await world.counts()

    for call in (begin, finish):
        with pytest.raises(Conflict) as caught:
            await call(world, caller, turn.uid, second.uid)
        assert caught.value.field == "sessionId"
    assert await session_of(world, caller, turn.uid) == first.uid
    assert await world.counts() == before


@pytest.mark.covers("WMS-112")
async def test_a_session_that_is_not_the_callers_is_unknown_to_its_turns(world: World) -> None:
    alice, other_device = await person(world), await person(world, device="phone")
    bob = await person(world, "bob")
    session = await start(world, alice, key="trip")
    turn = await begin(world, alice, "turn-1", "trip")
    before = await world.counts()

    for caller, named in ((bob, session.uid), (bob, "trip"), (other_device, session.uid), (alice, "other")):
        for call in (begin, finish):
            with pytest.raises(NotFound) as caught:
                await call(world, caller, "turn-2", named, idempotency_key="k")
            assert caught.value.field == "sessionId"
    assert await world.counts() == before
    assert await session_of(world, bob, turn.uid) is None


async def test_an_ended_session_takes_no_turn_and_its_own_turns_go_on(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    turn = await begin(world, caller, "turn-1", "trip")
    await world.services.sessions.end(caller, EndSession(id=session.uid))
    ended = await last_activity(world, caller, session.uid)
    before = await world.counts()

    for call in (begin, finish):
        with pytest.raises(IllegalTransition) as caught:
            await call(world, caller, "turn-2", "trip")
        assert caught.value.field == "sessionId"
    assert await world.counts() == before

    world.clock.advance(minutes=1)
    await finish(world, caller, "turn-1", "trip", observations=[TurnObservation(content="It rains")])
    assert (await world.services.turns.trace.get_by_ids(caller, [turn.uid]))[turn.uid].ended_at
    assert await last_activity(world, caller, session.uid) == ended


async def test_the_same_request_twice_begins_one_turn_also_when_its_name_has_passed_on(world: World) -> None:
    caller = await person(world)
    first = await start(world, caller, key="first")
    await start(world, caller, key="second")

    one = await begin(world, caller, "turn-1", "first", idempotency_key="k")
    await begin(world, caller, "turn-1", "second")
    assert (await begin(world, caller, "turn-1", "first")).uid == one.uid
    assert (await begin(world, caller, "turn-1", "first", idempotency_key="k")).uid == one.uid
    # One that was in no session goes on in the first that is named.
    free = await begin(world, caller, "turn-2")
    assert (await begin(world, caller, "turn-2", "first")).uid == free.uid
    assert await session_of(world, caller, free.uid) == first.uid


async def test_the_turns_of_a_session_are_paged(world: World) -> None:
    caller, bob = await person(world), await person(world, "bob")
    session = await start(world, caller)
    await start(world, caller, key="other")
    turns = [await begin(world, caller, f"turn-{n}", session.uid) for n in range(3)]
    await begin(world, caller, "elsewhere", "other")
    reader = world.services.turns.trace.of_sessions

    first = reader.page_of(session.uid, 2, None)
    page = (await reader.pages(caller, [first]))[first]
    rest = reader.page_of(session.uid, 2, page.cursors[-1])
    assert [turn.uid for turn in page.items] == [turns[2].uid, turns[1].uid]
    assert [turn.uid for turn in (await reader.pages(caller, [rest]))[rest].items] == [turns[0].uid]
    assert await reader.counts(caller, [session.uid]) == {session.uid: 3}
    assert await reader.counts(bob, [session.uid]) == {}
