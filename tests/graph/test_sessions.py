"""Sessions of working memory: start, add, update, refresh, evict, end (source 002)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Caller
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.errors import (
    CapacityReached,
    Duplicate,
    Forgotten,
    IllegalTransition,
    InvalidInput,
    NotFound,
)
from prefrontal.graph.journal.service import ChangeWriter
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.sessions.record import (
    ActiveContextFilter,
    EndSession,
    EvictionReason,
    Item,
    ItemContent,
    OperationResult,
    Salience,
    Session,
    SessionContext,
    SessionFilter,
    SessionStatus,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
    WorkingMemorySearch,
    WorkingMemoryUpdate,
)
from prefrontal.graph.sessions.service import SessionService
from prefrontal.graph.text.encoder import HashEncoder, Vector
from tests.support.world import World

ADD, UPDATE, EVICT, REFRESH = WorkingMemoryOperation
HIGH = Salience(relevance_score=0.9, urgency=0.9, recency=0.9, user_attention=0.9)
LOW = Salience(relevance_score=0.1, urgency=0.1, recency=0.1, user_attention=0.1)
ANY = ActiveContextFilter()


async def person(world: World, key: str = "alice", device: str = "laptop") -> Caller:
    return await world.caller(person=key, device=device)


async def start(world: World, caller: Caller, **fields: Any) -> Session:
    return await world.services.sessions.start(caller, StartSession(**fields))


async def offer(
    world: World, caller: Caller, session: str, text: str | None, salience: Salience = HIGH, **content: Any
) -> WorkingMemoryUpdate:
    command = UpdateWorkingMemory(
        session_id=session, operation=ADD, content=ItemContent(content=text, **content), salience=salience
    )
    return await world.services.sessions.update(caller, command)


async def change(
    world: World,
    caller: Caller,
    session: str,
    operation: WorkingMemoryOperation,
    item_id: str,
    **content: Any,
) -> WorkingMemoryUpdate:
    return await world.services.sessions.update(
        caller,
        UpdateWorkingMemory(
            session_id=session, operation=operation, content=ItemContent(item_id=item_id, **content)
        ),
    )


async def items_of(world: World, caller: Caller, session: str) -> list[Item]:
    found = await world.services.sessions.active_context(caller, session, ANY)
    assert found is not None
    return list(found.items)


async def remembered(world: World, caller: Caller, text: str) -> str:
    draft = MemoryDraft(kind=MemoryKind.FACT, content=text, confidence=0.8)
    (memory,) = (await world.services.memory.remember(caller, Remember(memories=(draft,)))).memories
    return memory.uid


class Alike(HashEncoder):
    """Knows that whatever has a word of a list is about the same."""

    name = "alike"
    words = ("sea", "vacation", "boat")

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is stored."""
        rest = [0.0] * (self.dimensions - 2)
        alike = [any(word in text for word in self.words) for text in texts]
        return [[1.0, 0.0, *rest] if each else [0.0, 1.0, *rest] for each in alike]


async def number(world: World, cypher: str) -> int:
    (row,) = await world.rows(f"{cypher} AS number")
    return int(row["number"])


async def events(world: World, *, of: str) -> list[str]:
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $of}) RETURN e.type AS type ORDER BY e.uid", of=of
    )
    return [row["type"].removeprefix("cognitive.working_memory.") for row in rows]


@pytest.mark.covers("WMS-75", "WMS-76", "WMS-97", "WMS-125")
async def test_a_session_starts_empty_with_seven_places_in_the_space_of_the_person(world: World) -> None:
    caller = await person(world)

    session = await start(world, caller, task="planning", focus=("vacation",))
    large = await start(world, caller, key="mine", max_capacity=12)

    assert (session.max_capacity, large.max_capacity) == (7, 12)
    assert (session.status, session.items, session.items_processed) == (SessionStatus.ACTIVE, 0, 0)
    assert (session.coherence, session.dominant_themes) == (1.0, ())
    assert session.scope_id == caller.person_home != caller.home
    assert session.created_at == session.last_activity == world.clock.now()
    assert await events(world, of=session.uid) == ["session.started"]
    with pytest.raises(Duplicate):
        await start(world, caller, key="mine")
    with pytest.raises(InvalidInput) as caught:
        await start(world, caller, max_capacity=13)
    assert caught.value.field == "maxCapacity"


@pytest.mark.covers(
    "WMS-01", "WMS-06..12", "WMS-17..21", "WMS-23", "WMS-25", "WMS-32..36", "WMS-39..41", "WMS-44..46"
)
@pytest.mark.covers("WMS-113..118", "WMS-123")
async def test_the_documents_own_request_is_admitted_and_shown(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, max_capacity=12)
    at = world.clock.now() - timedelta(minutes=1)

    done = await world.services.sessions.update(
        caller,
        UpdateWorkingMemory(
            request_id="wm-req-2025-09-16-0001",
            session_id=session.uid,
            operation=ADD,
            content=ItemContent(
                item_id="memory-uuid-123",
                content="Family vacation planning discussion with mom",
                content_type="memory_fragment",
                entities=("family", "vacation", "mom", "planning"),
                temporal_context=at,
                source="context_bundle",
                confidence=0.85,
            ),
            salience=Salience(
                relevance_score=0.78,
                urgency=0.6,
                recency=0.9,
                user_attention=0.8,
                contextual_importance=0.7,
            ),
            session_context=SessionContext(
                current_task="planning",
                conversation_turn=5,
                attention_focus=("vacation", "family", "summer"),
                active_duration_minutes=12,
            ),
            trace_id="trace-ghi789",
            version="working-memory:2025-09-16",
        ),
    )

    assert (done.request_id, done.session_id) == ("wm-req-2025-09-16-0001", session.uid)
    assert (done.operation_result, done.item_id) == (OperationResult.ADDED, "memory-uuid-123")
    assert done.current_capacity.model_dump() == {
        "items_count": 1,
        "max_capacity": 12,
        "utilization_ratio": 0.08,
    }
    assert (done.eviction_occurred, done.evicted_items) == (False, ())
    assert done.admission is not None
    assert (done.admission.admitted, done.admission.item_salience) == (True, 0.772)
    assert done.admission.salience_threshold == 0.425
    assert done.admission.admission_score > done.admission.item_salience
    assert [each.value for each in done.admission.reasons] == [
        "high_relevance",
        "recent_access",
        "user_attention",
    ]
    assert set(done.updated_session_context.dominant_themes) >= {"vacation", "family", "planning"}
    assert done.updated_session_context.attention_focus_strength == 1.0
    assert done.updated_session_context.session_coherence == done.session.coherence == 1.0
    assert (done.session.task, done.session.conversation_turn) == ("planning", 5)
    assert done.session.focus == ("vacation", "family", "summer")
    assert done.session.active_duration_minutes == 12
    (item,) = await items_of(world, caller, session.uid)
    assert item.content == "Family vacation planning discussion with mom"
    assert item.entities == ("family", "vacation", "mom", "planning")
    assert (item.content_type, item.source, item.confidence) == ("memory_fragment", "context_bundle", 0.85)
    assert (item.temporal_context, item.contextual_importance) == (at, 0.7)
    assert item.admission_time == item.last_access == world.clock.now()
    assert (item.access_count, item.priority_rank, item.salience) == (0, 1, 0.772)
    assert await events(world, of=session.uid) == ["session.started", "updated"]


@pytest.mark.covers("WMS-13", "WMS-52")
async def test_an_item_is_compared_to_the_task_by_meaning(world: World) -> None:
    services = world.services
    writer = ChangeWriter(services.database, world.clock, services.catalog)
    sessions = SessionService(
        services.database,
        world.clock,
        services.catalog,
        writer,
        Embeddings(Alike(), 10),
        services.session_correlations,
        services.access_log,
    )
    alice = await person(world)
    session = await sessions.start(alice, StartSession(task="the vacation"))

    async def relevance(text: str, **context: Any) -> tuple[float, float, bool]:
        update = await sessions.update(
            alice,
            UpdateWorkingMemory(
                session_id=session.uid,
                operation=ADD,
                content=ItemContent(content=text),
                session_context=SessionContext(**context),
            ),
        )
        assert update.admission is not None
        return update.admission.relevance, update.admission.task_relevance, update.admission.admitted

    # No word in common. The task is the stored one, then a new one, and then that one as it was stored.
    assert await relevance("Mom prefers a house by the sea") == (1.0, 1.0, True)
    assert await relevance("The printer ran out of paper") == (0.0, 0.0, False)
    assert (await relevance("A boat", current_task="fixing the fax"))[1] == 0.0
    assert (await relevance("We rent a boat", current_task="a day by the sea"))[1] == 1.0
    assert (await relevance("The harbour closes for boats", attention_focus=()))[1] == 1.0
    (row,) = await world.rows(
        "MATCH (s:Session {org_id: $org}) RETURN s.task_encoder AS encoder, s.task AS task"
    )
    assert row == {"encoder": "alike", "task": "a day by the sea"}


@pytest.mark.covers("WMS-57", "WMS-96", "WMS-129")
async def test_what_is_not_salient_enough_is_rejected_and_changes_nothing_but_the_count(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(world, caller, session.uid, "The plan of the vacation", item_id="plan")
    before = await items_of(world, caller, session.uid)

    done = await offer(world, caller, session.uid, "Some dust on a shelf", LOW, item_id="dust")

    assert done.operation_result is OperationResult.REJECTED
    assert done.admission is not None
    assert not done.admission.admitted
    assert done.admission.admission_score <= done.admission.salience_threshold
    assert (done.session.items, done.session.items_processed) == (1, 2)
    assert await items_of(world, caller, session.uid) == before
    assert await events(world, of=session.uid) == ["session.started", "updated"]
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) RETURN count(f)") == 1


@pytest.mark.covers("WMS-37", "WMS-38", "WMS-72..74", "WMS-77", "WMS-80", "WMS-124")
async def test_a_full_session_lets_the_least_useful_item_go_and_keeps_the_new_one(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, max_capacity=3)
    fact = await remembered(world, caller, "The red wine is in the cellar")
    await offer(world, caller, session.uid, None, item_id=fact)
    world.clock.advance(hours=2)
    for name in ("one", "two"):
        await offer(world, caller, session.uid, f"The {name} of the vacation", item_id=name)

    done = await offer(world, caller, session.uid, "The three of the vacation", item_id="three")

    assert done.operation_result is OperationResult.ADDED
    (gone,) = done.evicted_items
    assert (gone.item_id, gone.reason) == (fact, EvictionReason.CAPACITY)
    assert gone.score is not None
    assert gone.score > 1  # two hours without access
    assert done.eviction_occurred
    assert {item.item_id for item in await items_of(world, caller, session.uid)} == {"one", "two", "three"}
    found = await world.services.sessions.active_context(
        caller, session.uid, WorkingMemorySearch(text="wine cellar")
    )
    assert found is not None
    assert found.items == ()
    assert done.session.items == 3
    assert await events(world, of=session.uid) == [
        "session.started", "updated", "updated", "updated", "evicted", "updated"
    ]  # fmt: skip
    # Only the slot has ended: the memory is as it was.
    assert (await world.services.memory.get(caller, [fact]))[fact].live
    (left,) = await world.rows(
        "MATCH (:Session {uid: $uid})-[h:HOLDS]->(m {uid: $fact}) "
        "RETURN h.until = $now AS now, h.left_because AS why, h.eviction_score AS score",
        uid=session.uid,
        fact=fact,
        now=world.clock.now(),
    )
    assert dict(left) == {"now": True, "why": "capacity", "score": gone.score}


@pytest.mark.covers("WMS-26..31", "WMS-86", "WMS-94")
async def test_items_are_updated_refreshed_and_evicted_one_by_one(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(world, caller, session.uid, "The plan of the vacation", item_id="plan")
    await offer(world, caller, session.uid, "The flight to Lisbon", item_id="flight")
    began = world.clock.now()
    (flight,) = [each for each in await items_of(world, caller, session.uid) if each.item_id == "flight"]
    assert flight.admission_time == session.created_at == began
    world.clock.advance(minutes=5)

    again = await offer(world, caller, session.uid, "The plan of the winter", item_id="plan")
    assert again.session.last_activity == world.clock.now()
    fresh = await change(world, caller, session.uid, REFRESH, "plan")
    new = await change(world, caller, session.uid, UPDATE, "plan", entities=("Lisbon",), source="me")

    assert again.operation_result is OperationResult.UPDATED
    assert fresh.operation_result is OperationResult.REFRESHED
    assert new.operation_result is OperationResult.UPDATED
    # Two items with nothing in common: only their times belong together.
    assert new.session.coherence < 0.5 < new.session.temporal_coherence
    items = {each.item_id: each for each in await items_of(world, caller, session.uid)}
    assert items["plan"].content == "The plan of the winter"
    assert (items["plan"].entities, items["plan"].source) == (("Lisbon",), "me")
    assert (items["plan"].admission_time, items["plan"].access_count) == (began, 1)
    assert items["plan"].last_access == world.clock.now()
    assert items["flight"].model_copy(update={"priority_rank": 0}) == flight.model_copy(
        update={"priority_rank": 0}
    )
    out = await change(world, caller, session.uid, EVICT, "plan")
    assert out.operation_result is OperationResult.EVICTED
    assert (out.session.coherence, "winter" in out.session.dominant_themes) == (1.0, False)
    assert "winter" in new.session.dominant_themes
    assert [(each.item_id, each.reason) for each in out.evicted_items] == [("plan", EvictionReason.REQUESTED)]
    assert [each.item_id for each in await items_of(world, caller, session.uid)] == ["flight"]
    before = await events(world, of=session.uid)
    for operation in (UPDATE, EVICT, REFRESH):
        missing = await change(world, caller, session.uid, operation, "plan")
        assert missing.operation_result is OperationResult.NOT_FOUND
        assert missing.session.version == out.session.version
    assert await events(world, of=session.uid) == before
    assert before[-1] == "evicted"


async def test_the_text_of_a_memory_is_not_changed_in_a_session(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    fact = await remembered(world, caller, "The red wine is in the cellar")
    await offer(world, caller, session.uid, None, item_id=fact)

    with pytest.raises(InvalidInput) as caught:
        await change(world, caller, session.uid, UPDATE, fact, content="The red wine is gone")

    assert caught.value.field == "content.content"
    assert [each.content for each in await items_of(world, caller, session.uid)] == [
        "The red wine is in the cellar"
    ]
    # The documents' request names a memory together with its text.
    again = await offer(world, caller, session.uid, "The red wine is in the cellar", item_id=fact)
    assert again.operation_result is OperationResult.UPDATED


async def test_a_session_is_ended_and_its_history_read_by_its_key(world: World) -> None:
    caller = await person(world)
    await offer(world, caller, "trip", "The flight to Lisbon")

    ended = await world.services.sessions.end(caller, EndSession(id="trip"))

    assert (ended.key, ended.status) == ("trip", SessionStatus.ENDED)
    (left,) = (await world.services.sessions.history(caller, "trip")).items
    assert left.left_because is EvictionReason.SESSION_ENDED
    with pytest.raises(NotFound):
        await world.services.sessions.end(caller, EndSession(id="another"))


@pytest.mark.parametrize(("capacity", "warned"), [(4, True), (5, False), (9, False), (10, True)])
async def test_a_capacity_out_of_the_recommended_band_is_logged(
    world: World, capacity: int, *, warned: bool
) -> None:
    with capture_logs() as logged:
        await start(world, await person(world), max_capacity=capacity)

    assert [each["capacity"] for each in logged if each["event"] == "session_capacity_unusual"] == (
        [capacity] if warned else []
    )


@pytest.mark.covers("WMS-03")
async def test_an_unknown_key_starts_a_session_and_an_unknown_id_does_not(world: World) -> None:
    caller = await person(world)

    first = await offer(world, caller, "my-session", "The plan of the vacation")
    second = await offer(world, caller, "my-session", "The flight to Lisbon")

    assert first.session_id == second.session_id
    assert second.session.items == 2
    for unknown in ("ses_01JBXM3Z8K0QF3W4T9V2C7H5RD", "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"):
        with pytest.raises(NotFound) as caught:
            await offer(world, caller, unknown, "Tea")
        assert caught.value.field == "sessionId"
    with pytest.raises(NotFound):
        await change(world, caller, "other", EVICT, "plan")


@pytest.mark.covers("WMS-02", "WMS-60", "WMS-112", "SEC-01", "SEC-02")
async def test_a_session_is_of_one_person_on_one_device_and_holds_what_the_person_may_read(
    world: World,
) -> None:
    alice, bob = await person(world), await person(world, "bob")
    phone = await person(world, "alice", "phone")
    session = await start(world, alice, key="mine")
    secret = await remembered(world, await world.caller("other"), "A secret of another agent")

    with pytest.raises(NotFound) as caught:
        await offer(world, alice, session.uid, None, item_id=secret)

    assert caught.value.field == "content.itemId"
    for stranger in (bob, phone):
        assert await world.services.sessions.active_context(stranger, session.uid, ANY) is None
        assert await world.services.sessions.get(stranger, [session.uid]) == {}
        assert (await world.services.sessions.list(stranger, SessionFilter())).items == ()
        with pytest.raises(NotFound):
            await offer(world, stranger, session.uid, "Tea")
        with pytest.raises(NotFound):
            await world.services.sessions.end(stranger, EndSession(id=session.uid))


@pytest.mark.covers("SEC-08", "SEC-09")
async def test_a_text_of_the_session_alone_is_destroyed_when_it_leaves(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(
        world, caller, session.uid, "The xylophone is hidden", item_id="evicted", entities=("Xavier",)
    )
    await offer(world, caller, session.uid, "The xylophone is found", item_id="ended", entities=("Xavier",))

    await change(world, caller, session.uid, EVICT, "evicted")
    await world.services.sessions.end(caller, EndSession(id=session.uid))

    left = await world.rows(
        "MATCH (n {org_id: $org}) "
        "WHERE any(key IN keys(n) WHERE toLower(toStringOrNull(n[key])) CONTAINS 'xylophone') "
        "RETURN labels(n) AS labels"
    )
    assert left == []
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) WHERE f.content = '' RETURN count(f)") == 2
    assert (
        await number(
            world,
            "MATCH (:Session {org_id: $org})-[h:HOLDS]->() WHERE size(h.entities) + size(h.themes) > 0 "
            "RETURN count(h)",
        )
        == 0
    )


@pytest.mark.covers("WMS-90", "WMS-126")
async def test_an_ended_session_is_read_and_not_written_to(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(world, caller, session.uid, "The plan of the vacation", item_id="plan")

    ended = await world.services.sessions.end(caller, EndSession(id=session.uid))

    assert (ended.status, ended.items, ended.ended_at) == (SessionStatus.ENDED, 0, world.clock.now())
    assert await items_of(world, caller, session.uid) == []
    assert (await events(world, of=session.uid))[-2:] == ["evicted", "session.ended"]
    with pytest.raises(IllegalTransition):
        await offer(world, caller, session.uid, "Tea")
    with pytest.raises(IllegalTransition):
        await world.services.sessions.end(caller, EndSession(id=session.uid))
    page = await world.services.sessions.list(caller, SessionFilter(status=SessionStatus.ENDED))
    assert [each.uid for each in page.items] == [session.uid]


@pytest.mark.alone
@pytest.mark.covers("WMS-95")
async def test_an_idle_session_ends_with_its_last_activity(world: World) -> None:
    caller = await person(world)
    idle, used = await start(world, caller), await start(world, caller)
    await offer(world, caller, idle.uid, "The plan of the vacation")
    last = world.clock.now()
    world.clock.advance(minutes=29)
    await offer(world, caller, used.uid, "The flight to Lisbon")
    world.clock.advance(minutes=1)

    job = world.services.jobs.named["end_idle_sessions"]
    await world.services.jobs.run_once(job)
    await world.services.jobs.run_once(job)

    found = await world.services.sessions.get(caller, [idle.uid, used.uid])
    ended = found[idle.uid]
    assert (ended.status, ended.ended_at, ended.items) == (SessionStatus.ENDED, last, 0)
    assert found[used.uid].status is SessionStatus.ACTIVE
    assert await events(world, of=idle.uid) == ["session.started", "updated", "evicted", "session.ended"]
    assert await number(world, "MATCH (f:Fragment {org_id: $org}) WHERE f.content = '' RETURN count(f)") == 1


@pytest.mark.alone
@pytest.mark.covers("WMS-95")
async def test_a_session_that_started_under_a_longer_limit_keeps_it(world: World) -> None:
    caller = await person(world)
    long, short = [await started_under(world, caller, minutes) for minutes in (60, 10)]

    async def active_after(minutes: int) -> list[str]:
        world.clock.advance(minutes=minutes)
        await world.services.jobs.run_once(world.services.jobs.named["end_idle_sessions"])
        found = await world.services.sessions.get(caller, [long, short])
        return [uid for uid, each in found.items() if each.status is SessionStatus.ACTIVE]

    # The registry of now allows 30 minutes, so the shorter limit does not count.
    assert len(await active_after(29)) == 2
    assert await active_after(1) == [long]
    assert await active_after(29) == [long]
    assert await active_after(1) == []


async def started_under(world: World, caller: Caller, minutes: int) -> str:
    """Start a session while the registry lets one be idle for so long, and return its id."""
    services = world.services
    capacity = services.catalog.capacity.model_copy(update={"idle_timeout_minutes": minutes})
    other = build_services(
        services.settings,
        services.database.driver,
        clock=world.clock,
        catalog=services.catalog.model_copy(update={"capacity": capacity}),
    )
    return (await other.sessions.start(caller, StartSession())).uid


@pytest.mark.covers("WMS-98")
async def test_of_updates_at_once_each_counts(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, max_capacity=5)

    done = await asyncio.gather(
        *(offer(world, caller, session.uid, f"The plan {n}", item_id=f"p{n}") for n in range(8)),
        *(offer(world, caller, "at-once", f"The flight {n}", item_id=f"f{n}") for n in range(4)),
    )

    assert all(each.operation_result is OperationResult.ADDED for each in done)
    found = await world.services.sessions.get(caller, [each.session_id for each in done])
    assert sorted((each.items, each.items_processed) for each in found.values()) == [(4, 4), (5, 8)]
    assert len(await items_of(world, caller, session.uid)) == 5
    assert len(await items_of(world, caller, "at-once")) == 4


async def test_at_most_all_items_but_one_are_pinned(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, max_capacity=2)
    await offer(world, caller, session.uid, "The plan", item_id="plan", pinned=True)

    with pytest.raises(CapacityReached) as caught:
        await offer(world, caller, session.uid, "The flight", item_id="flight", pinned=True)

    assert (caught.value.code, caught.value.field) == ("capacity", "content.pinned")
    world.clock.advance(hours=9)
    for name in ("one", "two", "three"):
        await offer(world, caller, session.uid, f"The {name}", item_id=name)
    assert {each.item_id for each in await items_of(world, caller, session.uid)} == {"plan", "three"}


async def test_what_was_forgotten_is_held_no_longer_and_does_not_come_back(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    alone = await world.caller(agent=None, person="alice", device="laptop")
    fact = await remembered(world, alone, "The red wine is in the cellar")
    await offer(world, caller, session.uid, None, item_id=fact)

    await world.services.memory.forget(alone, Forget(id=fact))

    context = await world.services.sessions.active_context(caller, session.uid, ANY)
    assert context is not None
    assert (context.items, context.session.items) == ((), 0)
    done = await offer(world, caller, session.uid, "The flight to Lisbon")
    assert [(each.item_id, each.reason) for each in done.evicted_items] == [(fact, EvictionReason.GONE)]
    assert done.session.items == 1
    with pytest.raises(Forgotten):
        await offer(world, caller, session.uid, "The red wine is in the cellar")


@pytest.mark.covers("WMS-111")
async def test_items_are_searched_by_words_and_names(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(world, caller, session.uid, "The red wine is in the cellar", item_id="wine")
    await offer(world, caller, session.uid, "The cellar is cold", item_id="cold", entities=("Ann",))
    await offer(world, caller, session.uid, "A flight to Lisbon", item_id="flight", entities=("Ann Lee",))

    async def found(**wanted: Any) -> list[str]:
        context = await world.services.sessions.active_context(
            caller, session.uid, WorkingMemorySearch(**wanted)
        )
        assert context is not None
        return [each.item_id for each in context.items]

    assert await found(text="where is the wine cellar") == ["wine", "cold"]
    assert await found(text="cellar", entities=("ann",)) == ["cold", "flight", "wine"]
    assert await found(entities=("Ann Lee",)) == ["flight"]
    assert await found(text="a xylophone") == []
    assert len(await found()) == 3
    assert await found(text="wine cellar", max_results=1) == ["wine"]


@pytest.mark.covers("WMS-110")
async def test_the_history_of_a_session_has_what_left_and_no_content(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(world, caller, session.uid, "The red wine is in the cellar", item_id="wine")
    began = world.clock.now()
    world.clock.advance(minutes=1)
    await offer(world, caller, session.uid, "The flight to Lisbon", item_id="flight")
    await change(world, caller, session.uid, EVICT, "wine")
    history, stranger = world.services.sessions.history, await person(world, "bob")

    page = await history(caller, session.uid, first=1)
    (rest,) = (await history(caller, session.uid, first=1, after=page.cursors[0])).items

    assert [each.item_id for each in page.items] == ["flight"]
    assert (page.items[0].left_at, page.has_next) == (None, True)
    assert (rest.item_id, rest.admission_time, rest.left_at) == ("wine", began, world.clock.now())
    assert rest.left_because is EvictionReason.REQUESTED
    assert "cellar" not in rest.model_dump_json()
    assert await world.services.sessions.count_history(caller, session.uid) == 2
    assert (await history(stranger, session.uid)).items == ()
    assert await world.services.sessions.count_history(stranger, session.uid) == 0


@pytest.mark.covers("WMS-101", "WMS-104..109")
async def test_the_active_context_is_filtered(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    middle = Salience(relevance_score=0.7, urgency=0.7, recency=0.7, user_attention=0.7)
    await offer(
        world, caller, session.uid, "The plan", middle, item_id="plan", content_type="entity_reference"
    )
    world.clock.advance(minutes=40)
    await offer(world, caller, session.uid, "The flight", HIGH, item_id="flight")

    async def shown(**wanted: Any) -> list[str]:
        found = await world.services.sessions.active_context(
            caller, session.uid, ActiveContextFilter(**wanted)
        )
        assert found is not None
        return [each.item_id for each in found.items]

    assert await shown() == ["flight", "plan"]
    assert await shown(content_types=("entity_reference",)) == ["plan"]
    assert await shown(min_salience=0.7) == ["flight", "plan"]
    assert await shown(min_salience=0.71) == ["flight"]
    assert await shown(time_window_minutes=40) == ["flight", "plan"]
    assert await shown(time_window_minutes=39) == ["flight"]
    assert await shown(max_results=1) == ["flight"]
    assert await shown(content_types=("entity_reference",), min_salience=0.71) == []
