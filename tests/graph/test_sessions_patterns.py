"""Attention, context switches and effectiveness, from what the graph keeps of sessions (source 002 §9.2)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.sessions.monitoring_record import PatternsFilter, SessionPatterns
from prefrontal.graph.sessions.record import (
    EndSession,
    EvictionReason,
    ItemContent,
    SessionContext,
    UpdateWorkingMemory,
)
from tests.graph.test_sessions import EVICT, LOW, REFRESH, UPDATE, change, offer, person, start
from tests.support.world import World


async def patterns(
    world: World, caller: Caller, first: int | None = None, **wanted: object
) -> SessionPatterns:
    return await world.services.session_monitor.patterns(caller, PatternsFilter.model_validate(wanted), first)


async def known(world: World, caller: Caller, text: str, *entities: str) -> str:
    names = tuple(EntityName(name=name) for name in entities)
    draft = MemoryDraft(kind=MemoryKind.FACT, content=text, confidence=0.8, entities=names)
    (memory,) = (await world.services.memory.remember(caller, Remember(memories=(draft,)))).memories
    return memory.uid


async def focus(world: World, caller: Caller, item: str, *names: str) -> None:
    await world.services.sessions.update(
        caller,
        UpdateWorkingMemory(
            session_id="s",
            operation=UPDATE,
            content=ItemContent(item_id=item),
            session_context=SessionContext(attention_focus=names),
        ),
    )


@pytest.mark.covers("OPS-06", "OPS-07", "OPS-08", "OPS-09", "OPS-10", "OPS-11")
async def test_how_sessions_used_what_they_held(world: World) -> None:
    caller = await person(world)
    sea = await known(world, caller, "Mom likes the sea", "Mom")
    wine = await known(world, caller, "Dad likes wine", "Dad")
    first = await start(world, caller, key="s", max_capacity=4)
    await offer(world, caller, "s", None, item_id=sea)
    await offer(world, caller, "s", None, item_id=wine)
    await offer(world, caller, "s", "The tax form", LOW, item_id="dull")
    for _ in range(3):
        await change(world, caller, "s", REFRESH, sea)
    for names in (("sea",), ("sea",), ("wine", "sea")):
        await focus(world, caller, sea, *names)
    world.clock.advance(seconds=30)
    await change(world, caller, "s", EVICT, wine)
    world.clock.advance(seconds=30)
    await world.services.sessions.end(caller, EndSession(id="s"))
    second = await start(world, caller, key="t", max_capacity=4)
    await offer(world, caller, "t", None, item_id=sea)
    await offer(world, caller, "t", "The boat", item_id="boat")
    # A turn of the second session was shown the memory, and a job wrote how the sessions are related.
    await world.rows(
        "MATCH (s:Session {uid: $second}), (o:Session {uid: $first}), (m:Memory {uid: $sea}) "
        "CREATE (t:Turn {uid: 'turn_x' + $org, org_id: $org})-[:IN_SESSION]->(s), (t)-[:SAW]->(m) "
        "MERGE (s)-[c:CORRELATES_WITH]->(o) "
        "SET c.relationship_type = 'continuation', c.correlation_score = 0.8",
        first=first.uid,
        second=second.uid,
        sea=sea,
    )

    found = await patterns(world, caller)

    assert (found.sessions, found.offered, found.slots, found.accesses) == (2, 5, 4, 3)
    assert found.focus_changes == 2
    assert [(each.reason, each.items) for each in found.reasons] == [
        (EvictionReason.REQUESTED, 1),
        (EvictionReason.SESSION_ENDED, 1),
    ]
    # One of the two that left was never used; they stayed for 30 and for 60 seconds.
    assert (found.gone, found.unused_share, found.mean_stay) == (2, 0.5, pytest.approx(45, abs=1))
    assert found.load == 0.5
    assert found.seen_share == 0.25
    assert [(each.memory_uid, each.stays, each.accesses) for each in found.memories] == [
        (sea, 2, 3),
        (wine, 1, 0),
    ]
    assert [(each.name, each.stays, each.accesses) for each in found.entities] == [
        ("mom", 2, 3),
        ("dad", 1, 0),
    ]
    (switch,) = found.switches
    assert (switch.relationship_type, switch.number) == ("continuation", 1)
    # Of the memory and the text of the later session, the earlier one held the memory.
    assert (switch.correlation_score, switch.preserved) == (0.8, 0.5)

    one = await patterns(world, caller, session_id="s")
    assert (one.sessions, one.slots, one.switches, one.load) == (1, 2, (), None)
    later = await patterns(world, caller, since=world.clock.now() - timedelta(seconds=1))
    assert (later.sessions, later.slots) == (1, 2)
    earlier = await patterns(world, caller, until=world.clock.now() - timedelta(seconds=1), first=1)
    assert (earlier.sessions, len(earlier.memories), len(earlier.entities)) == (1, 1, 1)


@pytest.mark.covers("OPS-06", "SEC-01", "SEC-02", "SEC-07")
async def test_patterns_are_those_of_the_caller_and_tell_nothing_of_what_is_not_shown(world: World) -> None:
    caller = await person(world)
    fact = await known(world, caller, "Mom likes the sea", "Mom")
    session = await start(world, caller, key="s")
    await offer(world, caller, "s", None, item_id=fact)
    for other in (await person(world, "bob"), await person(world, device="phone")):
        for wanted in ({}, {"session_id": session.uid}, {"session_id": "s"}):
            found = await patterns(world, other, **wanted)
            assert (found.sessions, found.slots, found.memories, found.entities) == (0, 0, (), ())

    await change(world, caller, "s", UPDATE, fact, redacted=True)

    found = await patterns(world, caller)
    assert (found.slots, found.memories, found.entities) == (1, (), ())
    with pytest.raises(InvalidInput):
        await patterns(world, caller, first=0)
