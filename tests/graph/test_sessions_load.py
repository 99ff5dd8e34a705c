"""What sessions of working memory cost, and what they keep to under load (source 002, §5 and §10.2).

Costs are database hits and numbers of objects, which no load on a machine changes; `bench/` measures times.
"""

from __future__ import annotations

import asyncio
import gc

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.sessions.record import ActiveContextFilter, EndSession, SessionFilter
from prefrontal.graph.sessions.store import owner_params
from prefrontal.graph.storage.queries import one_parameter
from prefrontal.graph.storage.rows import to_parameters
from tests.graph.test_sessions import ANY, EVICT, REFRESH, change, items_of, offer, person, remembered, start
from tests.support.open_transaction import open_transaction as holding
from tests.support.profiling import profiled
from tests.support.world import World

TEXT = "The xylophone is in the attic"


@pytest.mark.covers("OPS-42", "OPS-43")
async def test_sessions_hold_references_to_one_memory_that_outlives_them(world: World) -> None:
    caller = await person(world)
    fact = await remembered(world, caller, TEXT)

    async def places() -> list[list[str]]:
        """The labels of nodes and the types of links that have the text in a property."""
        rows = await world.rows(
            "MATCH (n {org_id: $org}) RETURN labels(n) AS kinds, properties(n) AS stored UNION ALL "
            "MATCH ({org_id: $org})-[r]->() RETURN [type(r)] AS kinds, properties(r) AS stored"
        )
        return [sorted(row["kinds"]) for row in rows if TEXT in str(row["stored"])]

    once = await places()
    sessions = [await start(world, caller) for _ in range(3)]
    for session in sessions:
        await offer(world, caller, session.uid, None, item_id=fact)
    assert await places() == once
    assert [(await items_of(world, caller, each.uid))[0].content for each in sessions] == [TEXT] * 3
    for session in sessions:
        await world.services.sessions.end(caller, EndSession(id=session.uid))
    # What a session has held is a link without names; the memory is as it was.
    assert await places() == once
    (memory,) = (await world.services.memory.get(caller, [fact])).values()
    assert memory.content == TEXT
    links = await world.rows(
        "MATCH (:Session {org_id: $org})-[h:HOLDS]->(m:Memory) "
        "RETURN m.uid AS memory, h.entities + h.themes AS names"
    )
    assert [(row["memory"], row["names"]) for row in links] == [(fact, [])] * 3


@pytest.mark.nightly("it counts what many cost; sessions at the same time are tried with each change")
@pytest.mark.covers("OPS-44")
async def test_a_process_keeps_nothing_of_what_has_passed_through_its_sessions(world: World) -> None:
    caller = await person(world)

    async def cycles(number: int) -> None:
        for each in range(number):
            await offer(world, caller, "trip", f"The flight {each}", item_id="flight")
            await items_of(world, caller, "trip")
            await change(world, caller, "trip", EVICT, "flight")
        for batcher in world.services.batchers:
            await batcher.flush()

    def objects() -> int:
        gc.collect()
        return sum(str(type(each).__module__).startswith("prefrontal.") for each in gc.get_objects())

    await cycles(5)
    before = objects()
    await cycles(25)

    assert objects() <= before
    rows = await world.rows(
        "MATCH (s:Session {org_id: $org}) RETURN s.items_processed AS processed, s.items AS held, "
        "COUNT { (s)-[h:HOLDS]->() WHERE h.until IS NULL } AS current, "
        "COUNT { (s)-[:HOLDS]->(f:Fragment) WHERE f.content <> '' } AS texts"
    )
    assert rows == [{"processed": 30, "held": 0, "current": 0, "texts": 0}]


async def _many(world: World, caller: Caller, first: int, last: int) -> None:
    """Create sessions of the caller, numbered, each with three items, in one statement."""
    await world.rows(
        "UNWIND range($first, $last) AS n CREATE (s:Session {uid: 'ses_' + $org + n, org_id: $org, "
        "scope_id: $home, device_id: $device, key: 'other ' + n, status: 'active', created_at: $now}) "
        "WITH s UNWIND range(1, 3) AS item CREATE (s)-[:HOLDS {item_id: toString(item), since: $now, "
        "content_type: 'note', entities: [], themes: []}]->(:Memory:Fragment {uid: s.uid + item, "
        "org_id: $org, scope_id: $home, content: 'x', live: true, expires_at: $never})",
        first=first,
        last=last,
        home=caller.person_home,
        device=caller.device_id,
        now=world.clock.now(),
        never=world.clock.now().replace(year=9999),
    )


@pytest.mark.covers("OPS-45", "OPS-47", "OPS-50")
@pytest.mark.parametrize("name", ["sessions/read_active", "sessions/lock_session"])
async def test_a_session_is_read_at_the_same_cost_among_however_many(world: World, name: str) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    for item in range(3):
        await offer(world, caller, "trip", f"The flight {item}", item_id=f"f{item}", content_type="note")

    async def read(named: str) -> tuple[int, int]:
        row, cost = await profiled(
            world,
            name,
            session=named,
            **owner_params(caller),
            **dict.fromkeys(("item", "vector", "task", "task_vector")),
            texts=[],
            encoder="hash",
            now=world.clock.now(),
        )
        return len(row["held"]), cost

    # The store plans by what it counts: a store of three items is as well read whole.
    await _many(world, caller, 1, 50)
    # The first time, the store tells how names of labels and properties are stored.
    await read(session.uid)
    before = [await read(named) for named in (session.uid, "trip")]
    await _many(world, caller, 51, 500)

    assert [await read(named) for named in (session.uid, "trip")] == before
    assert [count for count, _ in before] == [3, 3]
    # The type of the content is a filter over the few items of the session.
    notes = ActiveContextFilter(content_types=("note",))
    world.statements.clear()
    found = await world.services.sessions.active_context(caller, "trip", notes)
    assert found is not None
    assert sorted(each.item_id for each in found.items) == ["f0", "f1", "f2"]
    assert world.statements.names == ["sessions/read_active"]


@pytest.mark.covers("OPS-48")
async def test_texts_are_read_when_they_are_asked_for(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    await offer(world, caller, "trip", TEXT, item_id="attic")
    sessions = world.services.sessions
    world.statements.clear()

    await sessions.get(caller, [session.uid])
    await sessions.list(caller, SessionFilter())
    await sessions.history(caller, "trip")

    assert sorted(world.statements.names) == [
        "sessions/find_sessions",
        "sessions/list_sessions",
        "sessions/list_slots",
    ]
    queries = world.services.database.queries
    assert not any(".content," in queries[each].text for each in world.statements.names)
    world.statements.clear()
    assert [each.content for each in await items_of(world, caller, "trip")] == [TEXT]
    (statement,) = world.statements.names
    assert "m.content," in queries[statement].text


@pytest.mark.covers("OPS-52")
async def test_a_reader_waits_for_no_reader_and_for_no_writer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await person(world)
    await offer(world, caller, "trip", "The flight", item_id="flight")
    query = world.services.database.queries["sessions/read_active"]
    params = {"session": "trip", **owner_params(caller), "now": world.clock.now()}

    async with world.services.database.driver.session() as other, await other.begin_transaction() as tx:
        # The first reader has read, and its transaction goes on.
        assert await (await tx.run(one_parameter(query.text), to_parameters(params))).single() is not None
        assert [each.item_id for each in await items_of(world, caller, "trip")] == ["flight"]
    async with holding(
        world, monkeypatch, offer(world, caller, "trip", "The boat", item_id="boat")
    ) as adding:
        # The writer has written and not committed: the session is locked.
        assert [each.item_id for each in await items_of(world, caller, "trip")] == ["flight"]
    await adding

    assert {each.item_id for each in await items_of(world, caller, "trip")} == {"flight", "boat"}


@pytest.mark.covers("OPS-57")
async def test_no_limit_is_passed_while_many_add_and_read(world: World) -> None:
    caller = await person(world)
    most = {"few": 5, "usual": world.services.catalog.capacity.default, "many": 12}
    for key, capacity in most.items():
        await start(world, caller, key=key, max_capacity=capacity)
    seen: dict[str, list[int]] = {key: [] for key in most}

    async def add(key: str, number: int) -> None:
        await offer(world, caller, key, f"The flight {number}", item_id=f"f{number}")
        await change(world, caller, key, REFRESH, f"f{number}")

    async def read(key: str) -> None:
        found = await world.services.sessions.active_context(caller, key, ANY)
        assert found is not None
        assert found.session.items == len(found.items)
        seen[key].append(len(found.items))

    await asyncio.gather(*(work for n in range(15) for key in most for work in (add(key, n), read(key))))

    for key, capacity in most.items():
        await read(key)
        assert max(seen[key]) == seen[key][-1] == capacity
