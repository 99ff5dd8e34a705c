"""Corrupt sessions are found and repaired, as far as they can be (source 002 §6.2)."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.sessions.checkpoint_record import CheckpointSession
from prefrontal.graph.sessions.integrity_record import Fault, Finding, IntegrityReport
from prefrontal.graph.sessions.record import EvictionReason, Session
from tests.graph.test_sessions import (
    LOW,
    REFRESH,
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


def of(report: IntegrityReport, session: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.where == session]


async def repaired(world: World, session: str) -> list[Finding]:
    """Repair everything; return what was done to a session. Then nothing is wrong with it."""
    repair = world.services.session_repair
    checked = of(await repair.check(), session)
    done = of(await repair.repair(), session)
    assert {(each.fault, each.item_id) for each in checked} == {(each.fault, each.item_id) for each in done}
    assert all(each.done is None for each in checked)
    assert all(each.done is not None for each in done)
    assert of(await repair.check(), session) == []
    assert of(await repair.repair(), session) == []
    return done


async def two_items(world: World, **fields: int) -> Session:
    caller = await person(world)
    session = await start(world, caller, key="s", **fields)
    await offer(world, caller, session.uid, "The plan of the vacation", item_id="plan", entities=("Mom",))
    await offer(world, caller, session.uid, "The flight to Lisbon", item_id="flight")
    return session


async def items(world: World) -> list[str]:
    return sorted(item.item_id for item in await items_of(world, await person(world), "s"))


@pytest.mark.covers("OPS-38")
async def test_a_sound_session_has_no_faults_also_with_a_forgotten_memory(world: World) -> None:
    caller = await person(world)
    session = await two_items(world)
    fact = await remembered(world, caller, "Mom likes the sea")
    await offer(world, caller, session.uid, None, item_id=fact)
    await change(world, caller, session.uid, REFRESH, "plan")
    await world.rows("MATCH (m:Memory {uid: $uid}) SET m.live = false", uid=fact)
    ended = await start(world, caller)
    await offer(world, caller, ended.uid, "The boat", LOW)

    report = await world.services.session_repair.check()

    assert of(report, session.uid) == []
    assert of(report, ended.uid) == []
    assert report.sessions >= 2


@pytest.mark.covers("OPS-38", "OPS-39")
async def test_a_wrong_count_is_counted_again(world: World) -> None:
    session = await two_items(world)
    await world.rows("MATCH (s:Session {uid: $uid}) SET s.items = 5", uid=session.uid)

    (finding,) = await repaired(world, session.uid)

    assert (finding.fault, finding.done) == (Fault.COUNT, "counted")
    found = await world.services.sessions.get(await person(world), [session.uid])
    assert found[session.uid].items == 2


@pytest.mark.covers("OPS-38..40")
async def test_lost_values_become_neutral_and_the_item_stays(world: World) -> None:
    session = await two_items(world)
    await world.rows(
        "MATCH (s:Session {uid: $uid})-[h:HOLDS {item_id: 'plan'}]->() "
        "SET h.salience = 'much', h.access_count = -1, s.coherence = null, s.max_capacity = 99 "
        "REMOVE h.last_access, h.confidence",
        uid=session.uid,
    )

    done = await repaired(world, session.uid)

    assert {(each.fault, each.item_id, each.fields) for each in done} == {
        (Fault.SESSION_FIELDS, None, ("max_capacity", "coherence")),
        (Fault.SLOT_FIELDS, "plan", ("confidence", "salience", "last_access", "access_count")),
    }
    caller = await person(world)
    (plan,) = [item for item in await items_of(world, caller, "s") if item.item_id == "plan"]
    assert (plan.salience, plan.access_count, plan.last_access) == (0.0, 0, plan.admission_time)
    assert (plan.content, plan.entities, plan.relevance) == ("The plan of the vacation", ("Mom",), 0.9)
    found = (await world.services.sessions.get(caller, [session.uid]))[session.uid]
    assert (found.items, found.max_capacity, 0 < found.coherence < 1) == (2, 7, True)
    # No exception reaches the caller any more.
    assert (await offer(world, caller, "s", "The boat")).session.items == 3


@pytest.mark.covers("OPS-38", "OPS-39", "OPS-40")
async def test_of_two_slots_of_one_item_the_one_that_was_used_last_stays(world: World) -> None:
    session = await two_items(world)
    await world.rows(
        "MATCH (s:Session {uid: $uid})-[h:HOLDS {item_id: 'plan'}]->(m) CREATE (s)-[more:HOLDS]->(m) "
        "SET more = h {.*, last_access: h.last_access + duration('PT1M'), access_count: 4}, s.items = 3",
        uid=session.uid,
    )

    (finding,) = await repaired(world, session.uid)

    assert (finding.fault, finding.item_id) == (Fault.DUPLICATE, "plan")
    kept = {item.item_id: item.access_count for item in await items_of(world, await person(world), "s")}
    assert kept == {"plan": 4, "flight": 0}
    # The text is held by the other slot, so it is not destroyed.
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) WHERE f.content = '' RETURN count(f)") == 0


@pytest.mark.covers("OPS-38", "OPS-39")
async def test_a_slot_that_leads_to_no_memory_is_deleted(world: World) -> None:
    session = await two_items(world)
    await world.rows(
        "MATCH (s:Session {uid: $uid})-[:HOLDS {item_id: 'plan'}]->(m) DETACH DELETE m "
        "CREATE (s)-[:HOLDS {item_id: 'ghost'}]->(:Nothing {org_id: s.org_id})",
        uid=session.uid,
    )

    done = await repaired(world, session.uid)

    assert {(each.fault, each.item_id) for each in done} == {(Fault.DANGLING, "ghost"), (Fault.COUNT, None)}
    assert await items(world) == ["flight"]
    await world.rows("MATCH (n:Nothing {org_id: $org}) DETACH DELETE n")


@pytest.mark.covers("OPS-38", "OPS-39", "WMS-77")
async def test_who_holds_too_many_lets_the_excess_go_and_texts_are_destroyed(world: World) -> None:
    session = await two_items(world, max_capacity=2)
    await world.rows(
        "MATCH (s:Session {uid: $uid})-[h:HOLDS {item_id: 'plan'}]->(m) UNWIND range(1, 3) AS n "
        "CREATE (s)-[more:HOLDS]->(f:Memory:Fragment) SET f = m {.*, uid: m.uid + n}, s.items = 5, "
        "more = h {.*, memory_uid: f.uid, item_id: 'over' + n, salience: 0.1 * n}",
        uid=session.uid,
    )

    done = await repaired(world, session.uid)

    assert [(each.fault, each.item_id) for each in done] == [
        (Fault.OVER_CAPACITY, f"over{n}") for n in (3, 2, 1)
    ]
    assert await items(world) == ["flight", "plan"]
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) WHERE f.content = '' RETURN count(f)") == 3
    assert (await events(world, of=session.uid))[-4:] == ["evicted"] * 3 + ["session.repaired"]


@pytest.mark.covers("OPS-38", "OPS-39")
async def test_a_place_is_free_again_if_all_were_pinned(world: World) -> None:
    session = await two_items(world, max_capacity=2)
    await world.rows(
        "MATCH (s:Session {uid: $uid})-[h:HOLDS]->() SET h.pinned = true "
        "WITH h WHERE h.item_id = 'plan' SET h.last_access = h.last_access + duration('PT1M')",
        uid=session.uid,
    )

    (finding,) = await repaired(world, session.uid)

    assert (finding.fault, finding.item_id) == (Fault.ALL_PINNED, "flight")
    assert await items(world) == ["flight", "plan"]


@pytest.mark.covers("OPS-38", "OPS-39", "SEC-08")
async def test_an_ended_session_holds_nothing_and_its_texts_are_destroyed(world: World) -> None:
    session = await two_items(world)
    await world.rows(
        "MATCH (s:Session {uid: $uid}) SET s.status = 'ended', s.items = 0 REMOVE s.ended_at", uid=session.uid
    )

    done = await repaired(world, session.uid)

    assert {each.fault for each in done} == {Fault.STATUS, Fault.ENDED_WITH_ITEMS, Fault.COUNT}
    found = (await world.services.sessions.get(await person(world), [session.uid]))[session.uid]
    assert (found.ended_at, found.items, found.dominant_themes) == (session.last_activity, 0, ())
    past = await world.services.sessions.history(await person(world), session.uid)
    assert {item.left_because for item in past.items} == {EvictionReason.SESSION_ENDED}
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) WHERE f.content <> '' RETURN count(f)") == 0


@pytest.mark.covers("OPS-38", "OPS-39", "SEC-08", "SEC-09")
async def test_a_text_without_a_session_is_destroyed(world: World) -> None:
    session = await two_items(world)
    (row,) = await world.rows(
        "MATCH (:Session {uid: $uid})-[h:HOLDS {item_id: 'plan'}]->(m) DELETE h RETURN m.uid AS uid",
        uid=session.uid,
    )

    checked = of(await world.services.session_repair.check(), row["uid"])
    done = of(await world.services.session_repair.repair(), row["uid"])

    assert [each.fault for each in checked] == [each.fault for each in done] == [Fault.STRAY_TEXT]
    assert of(await world.services.session_repair.repair(), row["uid"]) == []
    texts = await world.rows("MATCH (f:Fragment {org_id: $org}) RETURN f.content AS text ORDER BY text")
    assert [each["text"] for each in texts] == ["", "The flight to Lisbon"]


@pytest.mark.covers("OPS-38", "OPS-39", "SEC-08")
async def test_a_checkpoint_of_an_ended_session_is_deleted(world: World) -> None:
    session = await two_items(world)
    checkpoints = world.services.session_checkpoints
    kept = await checkpoints.keep(await person(world), CheckpointSession(session_id="s"))
    await world.rows("MATCH (s:Session {uid: $uid}) SET s.status = 'ended'", uid=session.uid)

    checked = of(await world.services.session_repair.check(), kept.uid)
    done = of(await world.services.session_repair.repair(), kept.uid)

    assert [each.fault for each in (*checked, *done)] == [Fault.STRAY_CHECKPOINT] * 2
    assert of(await world.services.session_repair.repair(), kept.uid) == []
    assert await number(world, "MATCH (c:Checkpoint {org_id: $org}) RETURN count(c)") == 0


@pytest.mark.covers("OPS-38", "OPS-39")
async def test_a_memory_of_another_organisation_is_let_go(world: World) -> None:
    session = await two_items(world)
    fact = await remembered(world, await person(world), "Mom likes the sea")
    await offer(world, await person(world), session.uid, None, item_id=fact)
    await world.rows("MATCH (m:Memory {uid: $uid}) SET m.org_id = 'org_other'", uid=fact)

    (finding,) = await repaired(world, session.uid)

    assert (finding.fault, finding.item_id) == (Fault.FOREIGN, fact)
    assert await items(world) == ["flight", "plan"]
    await world.rows("MATCH (m:Memory {uid: $uid}) SET m.org_id = $org", uid=fact)


@pytest.mark.covers("OPS-40")
async def test_what_cannot_be_repaired_is_said(world: World) -> None:
    session = await two_items(world)
    await world.rows("MATCH (s:Session {uid: $uid}) SET s.scope_id = 'space_lost'", uid=session.uid)
    report = await world.services.session_repair.repair()

    (finding,) = of(report, session.uid)
    assert (finding.fault, finding.done, report.is_sound) == (Fault.NO_SPACE, None, False)
    assert finding.why_not is not None
    await world.rows("MATCH (s:Session {uid: $uid}) DETACH DELETE s", uid=session.uid)


@pytest.mark.covers("OPS-39", "WMS-98")
async def test_a_repair_waits_for_an_update_and_sees_what_it_did(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await person(world)
    session = await two_items(world)
    await world.rows("MATCH (s:Session {uid: $uid}) SET s.items = 6", uid=session.uid)
    # The repair is not of one space: what waits is known by the session.
    waits = caller.model_copy(update={"writable": (session.uid,)})

    async with holding(world, monkeypatch, offer(world, caller, session.uid, "The boat", item_id="boat")):
        repair = asyncio.create_task(world.services.session_repair.repair())
        assert await blocked(world, repair, waits)
    await repair

    found = (await world.services.sessions.get(caller, [session.uid]))[session.uid]
    assert (found.items, found.items_processed) == (3, 3)
    assert await items(world) == ["boat", "flight", "plan"]
    assert of(await world.services.session_repair.check(), session.uid) == []
