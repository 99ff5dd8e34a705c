"""Sessions that find each other: digests, relations, bridging (source 002 §3.4, §4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import IllegalTransition, InvalidInput, NotFound
from prefrontal.graph.memory.record import EntityName, Forget, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.sessions.correlation_record import Relationship, SessionCorrelation, SharedKind
from prefrontal.graph.sessions.record import (
    BridgeSession,
    EndSession,
    ItemContent,
    LinkSessions,
    OperationResult,
    Salience,
    Session,
    SessionFilter,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from tests.support.correlating import compare, expire
from tests.support.world import World

HIGH = Salience(relevance_score=0.9, urgency=0.9, recency=0.9, user_attention=0.9)
TRIP = ("Mom prefers a house by the lake", "The vacation house has a boat")


async def person(world: World, key: str = "alice", device: str = "laptop") -> Caller:
    return await world.caller(person=key, device=device)


async def start(world: World, caller: Caller, **fields: Any) -> Session:
    return await world.services.sessions.start(caller, StartSession(**fields))


async def add(world: World, caller: Caller, session: Session, text: str, **content: Any) -> str:
    item = ItemContent(content=text if "item_id" not in content else None, **content)
    update = await world.services.sessions.update(
        caller,
        UpdateWorkingMemory(
            session_id=session.uid, operation=WorkingMemoryOperation.ADD, content=item, salience=HIGH
        ),
    )
    assert update.operation_result is OperationResult.ADDED
    return update.item_id


async def session_about(
    world: World, caller: Caller, texts: Sequence[str], entities: Sequence[str], *, end: bool = True
) -> Session:
    """A session that holds some texts and takes ten minutes."""
    session = await start(world, caller)
    for text in texts:
        await add(world, caller, session, text, entities=tuple(entities))
    world.clock.advance(minutes=10)
    if end:
        return await world.services.sessions.end(caller, EndSession(id=session.uid))
    return session


async def remembered(world: World, caller: Caller, text: str, *entities: str) -> str:
    names = tuple(EntityName(name=name) for name in entities)
    draft = MemoryDraft(kind=MemoryKind.FACT, content=text, entities=names)
    (memory,) = (await world.services.memory.remember(caller, Remember(memories=(draft,)))).memories
    return memory.uid


async def related(world: World, caller: Caller, session: Session) -> list[SessionCorrelation]:
    return await world.services.session_correlations.related(caller, session.uid)


async def kinds(world: World, caller: Caller, session: Session) -> dict[str, Relationship]:
    return {each.session.uid: each.relationship_type for each in await related(world, caller, session)}


@pytest.mark.covers("COR-01", "COR-03", "COR-14", "COR-23", "COR-24")
async def test_a_continuation_is_found_and_what_is_unrelated_is_not(world: World) -> None:
    alice = await person(world)
    trip = await session_about(world, alice, TRIP, ["vacation", "Mom"])
    taxes = await session_about(world, alice, ["The tax office wants the form of last year"], ["tax office"])
    world.clock.advance(minutes=30)
    again = await session_about(
        world, alice, ["A boat for the vacation, says Mom"], ["Vacation", "mom"], end=False
    )
    await compare(world)

    (found,) = await related(world, alice, again)
    assert (found.session.uid, found.is_earlier) == (trip.uid, True)
    assert found.relationship_type is Relationship.CONTINUATION
    # 40 minutes from the end of the trip's session to the start of this one.
    assert found.temporal_proximity == pytest.approx(1 - 40 / (24 * 60))
    assert found.entity_overlap == 1.0
    assert sorted(found.shared_entities) == ["Vacation", "mom"]
    assert {"vacation", "mom"} <= {name.lower() for name in found.shared_themes}
    assert 0.3 < found.correlation_score <= 1
    assert await kinds(world, alice, trip) == {again.uid: Relationship.CONTINUATION}
    assert [each.is_earlier for each in await related(world, alice, trip)] == [False]
    assert await related(world, alice, taxes) == []


@pytest.mark.covers("COR-03", "SEC-08")
async def test_the_digest_has_no_content_and_goes_with_the_lookback(world: World) -> None:
    alice = await person(world)
    memory = await remembered(world, alice, "Mom likes the harbour", "Mom")
    one = await start(world, alice)
    await add(world, alice, one, "", item_id=memory)
    await add(world, alice, one, "The zeppelin leaves at dawn", entities=("Zeppelin crew",))
    await world.services.sessions.end(alice, EndSession(id=one.uid))
    about = "MATCH (:Session {uid: $uid})-[on:ON]->(t:Topic) RETURN on.name AS name, on.durable AS durable"

    def names(rows: Sequence[dict[str, Any]], *, durable: bool) -> set[str]:
        return {row["name"] for row in rows if row["durable"] is durable}

    kept = await world.rows(about, uid=one.uid)
    assert {"Zeppelin crew"} <= names(kept, durable=False)
    assert {"mom"} <= names(kept, durable=True)
    (node,) = await world.rows(
        "MATCH (s:Session {uid: $uid}) RETURN size(s.digest) AS length, s.digest_encoder AS encoder",
        uid=one.uid,
    )
    assert node == {"length": 384, "encoder": "hash"}
    await compare(world)

    world.clock.advance(hours=24)
    await expire(world)
    assert await world.rows(about, uid=one.uid) == kept
    world.clock.advance(seconds=1)
    await expire(world)

    left = await world.rows(about, uid=one.uid)
    assert names(left, durable=True) == names(kept, durable=True)
    assert names(left, durable=False) == set()
    assert (await world.rows("MATCH (s:Session {uid: $uid}) RETURN s.digest AS d", uid=one.uid))[0][
        "d"
    ] is None
    every = await world.rows("MATCH (n {org_id: $org}) RETURN properties(n) AS p")
    links = await world.rows("MATCH ({org_id: $org})-[r]->() RETURN properties(r) AS p")
    assert not [row for row in (*every, *links) if "zeppelin" in str(row["p"]).lower()]


@pytest.mark.covers("SEC-09")
async def test_nothing_is_kept_of_what_left_a_session_that_goes_on(world: World) -> None:
    alice = await person(world)
    session = await start(world, alice)
    await add(world, alice, session, "The zeppelin leaves at dawn", entities=("Zeppelin crew",))
    item = await add(world, alice, session, "The train is late", entities=("train",))
    await compare(world)
    await world.services.sessions.update(
        alice,
        UpdateWorkingMemory(
            session_id=session.uid, operation=WorkingMemoryOperation.EVICT, content=ItemContent(item_id=item)
        ),
    )
    names = "MATCH (:Session {uid: $uid})-[on:ON]->(:Topic) RETURN on.name AS name ORDER BY name"
    assert await world.rows(names, uid=session.uid) == []
    await compare(world)
    assert "Zeppelin crew" in [row["name"] for row in await world.rows(names, uid=session.uid)]
    rows = await world.rows("MATCH (t:Topic {org_id: $org}) RETURN t.key AS key")
    assert not [row for row in rows if "train" in row["key"]]


async def test_no_session_is_about_what_was_forgotten(world: World) -> None:
    alice = await person(world)
    memory = await remembered(world, alice, "The zeppelin leaves at dawn", "Zeppelin crew")
    ended, running = await start(world, alice), await start(world, alice)
    for session in (ended, running):
        await add(world, alice, session, "", item_id=memory)
        await add(world, alice, session, "The train is late", entities=("train",))
    await world.services.sessions.end(alice, EndSession(id=ended.uid))
    await compare(world)

    await world.services.memory.forget(alice, Forget(id=memory))

    names = "MATCH (:Session {uid: $uid})-[on:ON]->(:Topic) RETURN on.name AS name ORDER BY name"
    assert await world.rows(names, uid=ended.uid) == await world.rows(names, uid=running.uid) == []
    await compare(world)
    assert "train" in [row["name"] for row in await world.rows(names, uid=running.uid)]
    assert await world.rows(names, uid=ended.uid) == []
    every = await world.rows("MATCH (n:Topic {org_id: $org}) RETURN n.key AS key")
    assert not [row for row in every if "zeppelin" in row["key"]]


@pytest.mark.covers("COR-02", "COR-04")
@pytest.mark.parametrize(("seconds", "is_found"), [(0, True), (1, False)])
async def test_sessions_are_compared_over_exactly_the_lookback(
    world: World, seconds: int, is_found: bool
) -> None:
    alice = await person(world)
    trip = await session_about(world, alice, TRIP, ["vacation", "Mom"])
    world.clock.advance(hours=24, seconds=seconds)
    again = await session_about(world, alice, TRIP, ["vacation", "Mom"], end=False)
    await compare(world)

    assert await kinds(world, alice, again) == ({trip.uid: Relationship.RELATED} if is_found else {})


@pytest.mark.covers("COR-17", "COR-18", "COR-19", "COR-20")
async def test_neither_persons_nor_devices_are_crossed_unless_the_person_says_so(world: World) -> None:
    alice, phone, bob = await person(world), await person(world, device="phone"), await person(world, "bob")
    theirs = await session_about(world, bob, TRIP, ["vacation", "Mom"])
    other = await session_about(world, phone, TRIP, ["vacation", "Mom"])
    running_there = await session_about(world, phone, TRIP, ["vacation", "Mom"], end=False)
    running_here = await session_about(world, alice, TRIP, ["vacation", "Mom"], end=False)
    mine = await session_about(world, alice, TRIP, ["vacation", "Mom"], end=False)
    await compare(world)
    # A session that goes on is treated as ending now; it is never related to itself.
    assert await kinds(world, alice, mine) == {running_here.uid: Relationship.CONTINUATION}
    assert await related(world, alice, other) == []

    bridging = world.services.session_bridging
    assert await bridging.link(alice, LinkSessions(across_devices=True)) is True
    await compare(world)
    found = await kinds(world, alice, mine)
    assert found == {
        running_here.uid: Relationship.CONTINUATION,
        other.uid: Relationship.CONTINUATION,
    }
    assert running_there.uid not in found
    assert theirs.uid not in found
    assert await kinds(world, bob, theirs) == {}
    # The items of a session stay on its device.
    assert await world.services.sessions.get(alice, [other.uid]) == {}

    # At once, before they are compared again.
    assert await bridging.link(alice, LinkSessions(across_devices=False)) is False
    assert set(await kinds(world, alice, mine)) == {running_here.uid}
    await compare(world)
    assert set(await kinds(world, alice, mine)) == {running_here.uid}


async def test_a_relation_ends_with_what_was_in_common_and_stays_as_history(
    world: World,
) -> None:
    alice = await person(world)
    trip = await session_about(world, alice, TRIP, ["vacation", "Mom"])
    again = await start(world, alice)
    item = await add(world, alice, again, "A boat for the vacation", entities=("vacation", "Mom"))
    await compare(world)
    assert set(await kinds(world, alice, again)) == {trip.uid}

    async def update(operation: WorkingMemoryOperation, **fields: Any) -> None:
        await world.services.sessions.update(
            alice,
            UpdateWorkingMemory(
                session_id=again.uid, operation=operation, content=ItemContent(**fields), salience=HIGH
            ),
        )

    await update(WorkingMemoryOperation.EVICT, item_id=item)
    await update(WorkingMemoryOperation.ADD, content="The printer jams", entities=("printer",))
    await compare(world)
    assert await kinds(world, alice, again) == {}

    await update(WorkingMemoryOperation.ADD, content="The vacation with Mom", entities=("vacation", "Mom"))
    await compare(world)
    assert set(await kinds(world, alice, again)) == {trip.uid}
    # Once the digest is gone, nothing is compared with the earlier session, and what was found stays.
    world.clock.advance(hours=25)
    await expire(world)
    await update(WorkingMemoryOperation.ADD, content="The printer jams again", entities=("printer",))
    await compare(world)
    assert set(await kinds(world, alice, again)) == {trip.uid}


@pytest.mark.covers("COR-21")
async def test_the_sessions_of_an_entity_are_listed(world: World) -> None:
    alice, bob = await person(world), await person(world, "bob")
    trip = await session_about(world, alice, TRIP, ["Lake Garda", "Mom"])
    await session_about(world, alice, ["The tax office wants the form"], ["tax office"])
    await session_about(world, bob, TRIP, ["Lake Garda"])
    running = await session_about(world, alice, ["A boat at lake Garda"], ["lake garda"], end=False)
    await compare(world)

    async def about(entity: str) -> set[str]:
        page = await world.services.sessions.list(alice, SessionFilter(entity=entity))
        assert await world.services.sessions.count(alice, SessionFilter(entity=entity)) == len(page.items)
        return {session.uid for session in page.items}

    assert await about("LAKE GARDA") == {trip.uid, running.uid}
    assert await about("mom") == {trip.uid}
    # A theme is no entity.
    assert await about("boat") == set()
    assert await about("Lake Como") == set()


@pytest.mark.covers("COR-22")
async def test_a_session_that_starts_is_offered_what_the_earlier_one_left_unfinished(world: World) -> None:
    alice = await person(world)
    boat = await remembered(world, alice, "The boat costs 80 euros a day", "boat")
    house = await remembered(world, alice, "The house at the lake is free in June", "lake house")
    one = await start(world, alice, focus=("vacation", "lake house"))
    for item in (boat, house):
        await add(world, alice, one, "", item_id=item)
    await add(world, alice, one, "Ask Mom about the vacation", entities=("Mom", "vacation"))
    await world.services.sessions.end(alice, EndSession(id=one.uid))

    world.clock.advance(minutes=5)

    # Its task and focus are its themes before it holds anything: nobody waits for the job.
    two = await start(world, alice, task="the lake house and the boat for the vacation")
    (found,) = await related(world, alice, two)
    assert found.session.uid == one.uid
    assert {item.memory_uid for item in found.unfinished} == {boat, house}

    bridging = world.services.session_bridging
    done = await bridging.bridge(
        alice, BridgeSession(session_id=two.uid, from_session_id=one.uid, item_ids=(house,))
    )
    (update,) = done.updates
    assert (update.item_id, update.operation_result) == (house, OperationResult.ADDED)
    assert update.admission is not None
    assert update.admission.admission_score > update.admission.salience_threshold
    assert done.session.items == 1
    (found,) = await related(world, alice, two)
    assert [item.memory_uid for item in found.unfinished] == [boat]
    assert SharedKind.MEMORY not in {each.kind for each in found.shared if each.node_uid == boat}
    assert [each.node_uid for each in found.shared if each.kind is SharedKind.MEMORY] == [house]

    bob = await person(world, "bob")
    before = await world.counts()
    with pytest.raises(NotFound) as unknown:
        await bridging.bridge(
            alice, BridgeSession(session_id=two.uid, from_session_id=one.uid, item_ids=(boat, house))
        )
    assert unknown.value.field == "itemIds"
    with pytest.raises(NotFound):
        await bridging.bridge(bob, BridgeSession(session_id=two.uid, from_session_id=one.uid))
    with pytest.raises(InvalidInput) as same:
        await bridging.bridge(alice, BridgeSession(session_id=two.uid, from_session_id=two.key))
    assert same.value.field == "fromSessionId"
    with pytest.raises(IllegalTransition):
        await bridging.bridge(alice, BridgeSession(session_id=one.uid, from_session_id=two.uid))
    assert await world.counts() == before
