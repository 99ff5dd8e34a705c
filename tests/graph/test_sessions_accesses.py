"""Accesses of what sessions hold: each delivery counts once, a moment later."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext, Constraints, Request
from prefrontal.graph.errors import TimedOut
from prefrontal.graph.sessions.accesses import AccessCounts, Delivery
from prefrontal.graph.sessions.record import (
    ActiveContextFilter,
    Item,
    ItemContent,
    Salience,
    SessionContext,
    UpdateWorkingMemory,
    WorkingMemorySearch,
)
from tests.graph.test_sessions import ANY, EVICT, REFRESH, change, offer, person, remembered, start
from tests.support.slowing import slowed
from tests.support.world import World


async def look(world: World, caller: Caller, session: str, wanted: ActiveContextFilter = ANY) -> list[Item]:
    found = await world.services.sessions.active_context(caller, session, wanted)
    return [] if found is None else list(found.items)


async def stored(world: World) -> dict[str, tuple[int, Any]]:
    rows = await world.rows(
        "MATCH (:Session {org_id: $org})-[h:HOLDS]->() WHERE h.until IS NULL "
        "RETURN h.item_id AS id, h.access_count AS count, h.last_access AS at"
    )
    return {row["id"]: (row["count"], row["at"].to_native()) for row in rows}


def flush(world: World) -> Any:
    return world.services.sessions.accesses.batcher.flush()


@pytest.fixture
async def alice(world: World) -> Caller:
    """Alice, whose session `trip` holds a boat, and a train that is less salient."""
    caller = await person(world)
    await start(world, caller, key="trip")
    for name, salience in (("boat", 0.9), ("train", 0.8)):
        parts = dict.fromkeys(("relevance_score", "urgency", "recency", "user_attention"), salience)
        await offer(world, caller, "trip", f"The {name} leaves at nine", Salience(**parts), item_id=name)
    return caller


@pytest.mark.covers("WMS-118", "WMS-119")
async def test_each_delivery_counts_once_and_several_are_written_together(
    world: World, alice: Caller
) -> None:
    admitted = world.clock.now()
    first = world.clock.advance(minutes=1)
    await look(world, alice, "trip")
    await look(world, alice, "trip", ActiveContextFilter(max_results=1))
    await look(world, alice, "trip", ActiveContextFilter(max_results=1))
    second = world.clock.advance(minutes=1)
    await look(world, alice, "trip", WorkingMemorySearch(text="train"))
    world.statements.clear()

    # The query itself is a read: nothing is written before.
    assert await stored(world) == {"boat": (0, admitted), "train": (0, admitted)}
    assert await flush(world) == 2
    assert await flush(world) == 0

    assert world.statements.names == ["sessions/count_accesses"]
    assert await stored(world) == {"boat": (3, first), "train": (2, second)}
    shown = await look(world, alice, "trip")
    assert [(each.item_id, each.access_count, each.last_access) for each in shown] == [
        ("boat", 3, first),
        ("train", 2, second),
    ]
    assert all(each.admission_time == admitted < each.last_access for each in shown)


@pytest.mark.covers("WMS-92", "WMS-119", "OPS-49")
async def test_a_context_counts_what_it_shows_and_a_preview_or_a_repetition_nothing(
    world: World, alice: Caller
) -> None:
    fact = await remembered(world, alice, "Mom gets seasick")
    await offer(world, alice, "trip", None, item_id=fact)
    service = world.services.context
    await service.preview(alice, Request(prompt="chromodynamics", budget=500, session_id="trip"))
    assert await flush(world) == 0

    for most in (2, 3, 3):
        command = AssembleContext(
            prompt="chromodynamics",
            budget=500,
            session_id="trip",
            constraints=Constraints(max_items=most),
            idempotency_key=f"k{most}",
        )
        await service.assemble(alice, command)
    await flush(world)

    assert {name: count for name, (count, _) in (await stored(world)).items()} == {
        fact: 2,
        "boat": 2,
        "train": 1,
    }


@pytest.mark.covers("WMS-119", "OPS-51")
async def test_a_refresh_at_the_same_time_loses_no_access(world: World, alice: Caller) -> None:
    for _ in range(5):
        await look(world, alice, "trip")
        await asyncio.gather(
            *(change(world, alice, "trip", REFRESH, "boat") for _ in range(3)),
            flush(world),
            *(change(world, alice, "trip", REFRESH, "boat") for _ in range(3)),
        )

    assert {name: count for name, (count, _) in (await stored(world)).items()} == {"boat": 35, "train": 5}


@pytest.mark.covers("WMS-119")
async def test_an_item_that_left_meanwhile_is_left_alone_also_if_it_came_back(
    world: World, alice: Caller
) -> None:
    await look(world, alice, "trip")
    await change(world, alice, "trip", EVICT, "boat")
    await change(world, alice, "trip", EVICT, "train")
    world.clock.advance(minutes=1)
    await offer(world, alice, "trip", "The boat leaves at ten", item_id="boat")
    before = await world.rows("MATCH (:Session {org_id: $org})-[h:HOLDS]->() RETURN properties(h) AS h")

    assert await flush(world) == 0

    after = await world.rows("MATCH (:Session {org_id: $org})-[h:HOLDS]->() RETURN properties(h) AS h")
    assert after == before
    assert await stored(world) == {"boat": (0, world.clock.now())}


@pytest.mark.covers("WMS-112", "WMS-119")
async def test_a_stranger_counts_nothing(world: World, alice: Caller) -> None:
    (row,) = await world.rows("MATCH (s:Session {org_id: $org}) RETURN s.uid AS uid")
    for stranger in (await person(world, "bob"), await person(world, device="phone")):
        for named in ("trip", row["uid"]):
            assert await look(world, stranger, named) == []
            assert await look(world, stranger, named, WorkingMemorySearch(text="boat")) == []

    assert await flush(world) == 0


def counting(world: World, most: int, counted: list[tuple[str, int]]) -> AccessCounts:
    table = world.services.catalog.capacity.accesses.model_copy(update={"most": most, "batch": 1})
    return AccessCounts(
        world.services.database,
        world.clock,
        table,
        on_counted=lambda outcome, number: counted.append((outcome, number)),
    )


async def slots(world: World, caller: Caller) -> list[Delivery]:
    found = await world.services.sessions.active_context(caller, "trip", ANY)
    assert found is not None
    return [Delivery(found.session.uid, item.item_id, item.admission_time) for item in found.items]


@pytest.mark.covers("WMS-119")
async def test_what_is_too_much_to_remember_is_dropped_and_said(world: World, alice: Caller) -> None:
    counted: list[tuple[str, int]] = []
    accesses = counting(world, 1, counted)
    boat, train = await slots(world, alice)
    accesses.note([boat, train, boat, train], world.clock.now())

    with capture_logs() as logs:
        await accesses.batcher.flush()

    assert {name: count for name, (count, _) in (await stored(world)).items()} == {"boat": 2, "train": 0}
    assert counted == [("dropped", 1), ("dropped", 1), ("written", 2)]
    assert [entry["event"] for entry in logs if entry["log_level"] == "warning"] == ["notes_dropped"]
    assert [entry["number"] for entry in logs if entry["event"] == "notes_dropped"] == [2]
    accesses.note([train], world.clock.now())
    assert await accesses.batcher.flush() == 1


@pytest.mark.covers("WMS-119")
async def test_what_cannot_be_written_is_written_later(world: World, alice: Caller) -> None:
    accesses = counting(world, 10, [])
    accesses.note(await slots(world, alice), world.clock.now())

    with (
        slowed(world.services.database, "sessions/count_accesses"),
        pytest.raises(TimedOut),
    ):
        await accesses.batcher.flush()
    assert await accesses.batcher.flush() == 2
    assert {name: count for name, (count, _) in (await stored(world)).items()} == {"boat": 1, "train": 1}


@pytest.mark.covers("WMS-93")
async def test_a_change_of_the_focus_is_recorded_without_its_words(world: World, alice: Caller) -> None:
    for focus in (("family",), ("family",), None, ("money",)):
        await world.services.sessions.update(
            alice,
            UpdateWorkingMemory(
                session_id="trip",
                operation=REFRESH,
                content=ItemContent(item_id="boat"),
                session_context=SessionContext(attention_focus=focus),
            ),
        )

    rows = await world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: 'working_memory_updated'}) "
        "RETURN e.details AS details ORDER BY e.uid"
    )
    said = [json.loads(row["details"]) for row in rows[2:]]
    assert [each.get("focus_changed", False) for each in said] == [True, False, False, True]
    assert "family" not in str(rows)
