"""Checkpoints: what a session held is kept as references, and put back (source 002 §6.2)."""

from __future__ import annotations

import asyncio
import json

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import IllegalTransition, NotFound
from prefrontal.graph.memory.record import Forget
from prefrontal.graph.sessions.checkpoint_record import (
    Checkpoint,
    CheckpointSession,
    MissingReason,
    RestoreCheckpoint,
    RestoredSession,
)
from prefrontal.graph.sessions.record import (
    EndSession,
    EvictionReason,
    ItemContent,
    SessionContext,
    UpdateWorkingMemory,
)
from tests.graph.test_sessions import (
    EVICT,
    UPDATE,
    change,
    events,
    items_of,
    number,
    offer,
    person,
    remembered,
    start,
)
from tests.support.open_transaction import blocked
from tests.support.open_transaction import open_transaction as holding
from tests.support.world import World


async def keep(world: World, caller: Caller, session: str = "s", name: str | None = None) -> Checkpoint:
    return await world.services.session_checkpoints.keep(
        caller, CheckpointSession(session_id=session, name=name)
    )


async def restore(
    world: World, caller: Caller, session: str = "s", checkpoint: str | None = None, key: str | None = None
) -> RestoredSession:
    command = RestoreCheckpoint(session_id=session, checkpoint=checkpoint, idempotency_key=key)
    return await world.services.session_checkpoints.restore(caller, command)


def missing(done: RestoredSession) -> dict[str, MissingReason]:
    return {each.item_id: each.reason for each in done.missing_items}


@pytest.mark.covers("OPS-36", "OPS-37", "OPS-41")
async def test_what_a_session_held_is_put_back(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s", task="plan the vacation", focus=("sea",))
    fact = await remembered(world, caller, "Mom likes the sea")
    await offer(world, caller, "s", None, item_id=fact, pinned=True)
    await offer(world, caller, "s", "The flight to Lisbon", item_id="flight")
    before = {item.item_id: item for item in await items_of(world, caller, "s")}
    kept = await keep(world, caller, name="before lunch")
    await change(world, caller, "s", EVICT, fact)
    await change(world, caller, "s", UPDATE, "flight", pinned=True)
    await world.services.sessions.update(
        caller,
        UpdateWorkingMemory(
            session_id="s",
            operation=UPDATE,
            content=ItemContent(item_id="flight"),
            session_context=SessionContext(current_task="taxes", attention_focus=("money",)),
        ),
    )
    await offer(world, caller, "s", "The tax form", item_id="tax")
    world.clock.advance(minutes=5)

    done = await restore(world, caller, checkpoint="before lunch")

    assert (kept.key, set(kept.item_ids)) == ("before lunch", {fact, "flight"})
    assert done.restored_items == (fact,)
    assert [(each.item_id, each.reason) for each in done.evicted_items] == [("tax", EvictionReason.RESTORED)]
    assert done.missing_items == ()
    after = {item.item_id: item for item in await items_of(world, caller, "s")}
    assert after.keys() == before.keys()
    assert (after[fact].salience, after[fact].pinned) == (before[fact].salience, True)
    assert (after[fact].content, after[fact].admission_time) == ("Mom likes the sea", world.clock.now())
    assert after["flight"].admission_time == before["flight"].admission_time
    assert after["flight"].pinned is False
    assert (done.session.task, done.session.focus, done.session.items) == ("plan the vacation", ("sea",), 2)
    assert (await events(world, of=session.uid))[-3:] == ["evicted", "updated", "session.restored"]
    # The text of what came after is destroyed.
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) WHERE f.content = '' RETURN count(f)") == 1


@pytest.mark.covers("OPS-40", "SEC-08", "SEC-09")
async def test_what_cannot_come_back_is_said_with_the_reason(world: World) -> None:
    caller = await person(world)
    await start(world, caller, key="s")
    texts = ("Mom likes the sea", "The boat is red", "The hotel is full", "Dad likes wine", "The car is blue")
    facts = [await remembered(world, caller, text) for text in texts]
    for fact in facts:
        await offer(world, caller, "s", None, item_id=fact)
    await offer(world, caller, "s", "The flight to Lisbon", item_id="flight")
    await keep(world, caller)
    for item in (*facts[1:], "flight"):
        await change(world, caller, "s", EVICT, item)
    await world.services.memory.forget(caller, Forget(id=facts[0]))
    await world.services.memory.forget(caller, Forget(id=facts[1]))
    await world.rows("MATCH (m:Memory {uid: $uid}) SET m.scope_id = 'spc_other'", uid=facts[2])
    await world.rows("MATCH (m:Memory {uid: $uid}) SET m.expires_at = datetime('2000-01-01')", uid=facts[3])
    await world.rows("MATCH (m:Memory {uid: $uid}) DETACH DELETE m", uid=facts[4])

    done = await restore(world, caller)

    assert missing(done) == {
        facts[0]: MissingReason.GONE,
        facts[1]: MissingReason.GONE,
        facts[2]: MissingReason.UNREADABLE,
        facts[3]: MissingReason.EXPIRED,
        facts[4]: MissingReason.GONE,
        "flight": MissingReason.DESTROYED,
    }
    assert (done.restored_items, done.session.items) == ((), 0)
    assert await items_of(world, caller, "s") == []


@pytest.mark.covers("SEC-08", "SEC-09", "OPS-36")
async def test_a_checkpoint_has_no_texts_and_no_names_and_ends_with_its_session(world: World) -> None:
    caller = await person(world)
    await start(world, caller, key="s")
    fact = await remembered(world, caller, "Mom likes the sea")
    await offer(world, caller, "s", None, item_id=fact, entities=("Zanzibar",), source="Zanzibar")
    await offer(world, caller, "s", "The secret of Zanzibar", item_id="x", entities=("Zanzibar",))
    await keep(world, caller)

    kept = await world.rows(
        "MATCH (:Session {org_id: $org})-[:SAVED]->(c:Checkpoint) OPTIONAL MATCH (c)-[k:KEEPS]->() "
        "RETURN properties(c) AS c, collect(properties(k)) AS k"
    )
    assert len(kept[0]["k"]) == 2
    assert "anzibar" not in json.dumps(kept, default=str).lower()

    await world.services.sessions.end(caller, EndSession(id="s"))

    assert await number(world, "MATCH (c:Checkpoint {org_id: $org}) RETURN count(c)") == 0
    assert await world.services.session_checkpoints.find(caller, "s") == []
    with pytest.raises(IllegalTransition):
        await restore(world, caller)
    with pytest.raises(IllegalTransition):
        await keep(world, caller)


@pytest.mark.covers("OPS-36")
async def test_the_newest_checkpoints_are_kept_and_a_name_is_replaced(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s")
    most = world.services.catalog.capacity.checkpoints
    for place in range(most + 2):
        world.clock.advance(seconds=1)
        await keep(world, caller, name=f"n{place}")
    world.clock.advance(seconds=1)
    again = await keep(world, caller, name=f"n{most}")

    found = await world.services.session_checkpoints.find(caller, session.uid)

    names = [f"n{most}", f"n{most + 1}", *(f"n{place}" for place in range(most - 1, 1, -1))]
    assert [each.key for each in found] == names
    assert len(found) == most
    assert found[0] == again
    assert (await restore(world, caller, checkpoint=again.uid)).missing_items == ()


@pytest.mark.covers("OPS-37", "SEC-01", "SEC-02", "WMS-112")
async def test_nobody_else_keeps_lists_or_restores(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s")
    kept = await keep(world, caller)
    others = (await person(world, "bob"), await person(world, device="phone"))
    own = await start(world, others[0], key="mine")

    for other in others:
        assert await world.services.session_checkpoints.find(other, session.uid) == []
        for name in (session.uid, "s"):
            with pytest.raises(NotFound):
                await keep(world, other, name)
            with pytest.raises(NotFound):
                await restore(world, other, name, kept.uid)
    # A checkpoint of another session is unknown to one's own.
    with pytest.raises(NotFound) as caught:
        await restore(world, others[0], own.uid, kept.uid)
    assert caught.value.field == "checkpoint"


@pytest.mark.covers("OPS-37", "WMS-77", "WMS-98")
async def test_a_restored_session_is_as_bounded_as_any_other(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s", max_capacity=2)
    facts = [await remembered(world, caller, text) for text in ("Mom likes the sea", "Dad likes wine")]
    for fact in facts:
        await offer(world, caller, "s", None, item_id=fact)
    await keep(world, caller)
    # Somebody wrote past the service.
    await world.rows(
        "MATCH (:Session {uid: $uid})-[:SAVED]->(c:Checkpoint)-[k:KEEPS]->(m) "
        "SET k.pinned = true WITH c, k, m, range(1, 2) AS more UNWIND more AS n "
        "CREATE (c)-[other:KEEPS]->(m) SET other = k {.*, item_id: k.item_id + n, salience: 0.1}",
        uid=session.uid,
    )

    done, *_ = await asyncio.gather(
        restore(world, caller),
        *(offer(world, caller, "s", f"The boat {n}", item_id=f"b{n}") for n in range(2)),
    )

    assert set(missing(done).values()) == {MissingReason.CAPACITY}
    found = (await world.services.sessions.get(caller, [session.uid]))[session.uid]
    items = await items_of(world, caller, "s")
    assert found.items == len(items) <= 2
    assert sum(item.pinned for item in items) <= 1


@pytest.mark.covers("OPS-37")
async def test_a_repeated_restore_is_done_once(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s")
    fact = await remembered(world, caller, "Mom likes the sea")
    await offer(world, caller, "s", None, item_id=fact)
    await keep(world, caller)
    await change(world, caller, "s", EVICT, fact)

    first = await restore(world, caller, key="k")
    again = await restore(world, caller, key="k")

    assert first == again
    assert first.restored_items == (fact,)
    assert (await events(world, of=session.uid)).count("session.restored") == 1


@pytest.mark.covers("SEC-07", "OPS-37")
async def test_what_was_redacted_since_comes_back_redacted(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s")
    fact = await remembered(world, caller, "Mom likes the sea")
    await offer(world, caller, "s", None, item_id=fact, content_type="diagnosis")
    await keep(world, caller)
    await change(world, caller, "s", UPDATE, fact, redacted=True)
    kept = await world.rows(
        "MATCH (:Session {uid: $uid})-[:SAVED]->()-[k:KEEPS]->() RETURN k.content_type AS kind",
        uid=session.uid,
    )
    await change(world, caller, "s", EVICT, fact)

    done = await restore(world, caller)

    assert kept == [{"kind": "memory_fragment"}]
    assert (done.restored_items, done.session.items, done.session.dominant_themes) == ((fact,), 1, ())
    assert await items_of(world, caller, "s") == []
    (slot,) = await world.rows(
        "MATCH (:Session {uid: $uid})-[h:HOLDS]->() WHERE h.until IS NULL "
        "RETURN h.redacted AS redacted, h.themes AS themes, h.item_source AS source",
        uid=session.uid,
    )
    assert slot == {"redacted": True, "themes": [], "source": None}


@pytest.mark.covers("OPS-37", "SEC-08")
async def test_who_restores_waits_for_whoever_forgets(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = await person(world)
    await start(world, caller, key="s")
    fact = await remembered(world, caller, "Mom likes the sea")
    await offer(world, caller, "s", None, item_id=fact)
    await keep(world, caller)
    await change(world, caller, "s", EVICT, fact)

    async with holding(world, monkeypatch, world.services.memory.forget(caller, Forget(id=fact))):
        restoring = asyncio.create_task(restore(world, caller))
        assert await blocked(world, restoring, caller, "KeyLock")
    done = await restoring

    assert missing(done) == {fact: MissingReason.GONE}
    assert done.session.items == 0
