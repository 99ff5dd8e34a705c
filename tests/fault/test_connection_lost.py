"""The connection breaks while a change is being committed: a real broken connection, by a proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from neo4j import AsyncDriver

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import OutcomeUnknown, TimedOut, Unavailable
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from prefrontal.graph.storage.circuit_breaker import CircuitBreaker
from tests.fault.conftest import world_at
from tests.support.database import bolt_address
from tests.support.proxy import Proxy, serving
from tests.support.world import World, forget

NIGHTLY = pytest.mark.nightly("a lost commit with a key and without one is tried with each change")


@pytest.fixture
async def line(
    settings: Settings, neo4j: Endpoint, driver: AsyncDriver
) -> AsyncIterator[tuple[Proxy, World]]:
    async with serving(Proxy(*bolt_address(neo4j))) as proxy:
        through = replace(neo4j, uri=f"bolt://{proxy.address}")
        async for world in world_at(settings, through):
            yield proxy, world
            await forget(driver, world.org)


async def stored(world: World) -> tuple[int, int, int]:
    counts = await world.counts()
    return counts.get("Observation", 0), counts.get("OutboxEvent", 0), counts.get("Request", 0)


async def test_with_a_key_a_lost_answer_is_resolved_and_the_change_happens_once(
    line: tuple[Proxy, World],
) -> None:
    proxy, world = line
    caller = await world.caller()
    proxy.lose_answers()

    (observation,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x")], idempotency_key="k"
    )

    assert proxy.dropped == 1
    assert await stored(world) == (1, 1, 1)
    # The second attempt found the key claimed: the first had been committed.
    assert world.statements.counts["scratch/create_observations"] == 1
    assert world.statements.counts["journal/claim_request"] == 2
    found = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.uid AS uid")
    assert found == [{"uid": observation.uid}]


async def test_with_a_key_a_lost_commit_is_resolved_and_the_change_happens_once(
    line: tuple[Proxy, World],
) -> None:
    proxy, world = line
    caller = await world.caller()
    proxy.lose_commits()

    (observation,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x")], idempotency_key="k"
    )

    assert proxy.dropped == 1
    assert await stored(world) == (1, 1, 1)
    assert world.statements.counts["scratch/create_observations"] == 2
    found = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.uid AS uid")
    assert found == [{"uid": observation.uid}]


async def test_a_read_whose_commit_is_lost_still_gives_what_was_read(line: tuple[Proxy, World]) -> None:
    proxy, world = line
    caller = await world.caller()
    (observation,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])
    proxy.lose_answers()

    page = await world.services.scratch.service.find(caller, ObservationFilter())

    assert proxy.dropped == 1
    assert [item.uid for item in page.items] == [observation.uid]


@pytest.mark.parametrize(("way", "written"), [("lose_answers", 1), ("lose_commits", 0)])
async def test_without_a_key_the_caller_is_told_that_nobody_knows(
    line: tuple[Proxy, World], way: str, written: int
) -> None:
    proxy, world = line
    caller = await world.caller()
    getattr(proxy, way)()

    with pytest.raises(OutcomeUnknown) as caught:
        await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])

    assert proxy.dropped == 1
    assert caught.value.code == "unavailable"
    assert "may or may not have been written" in caught.value.message
    assert "idempotencyKey" in caught.value.message
    # Sent once and not again behind the caller's back: there is no way to tell.
    assert world.statements.counts["scratch/create_observations"] == 1
    assert await stored(world) == (written, written, 0)


async def test_with_a_key_an_answer_lost_twice_is_told_and_can_be_asked_for_again(
    line: tuple[Proxy, World],
) -> None:
    proxy, world = line
    caller = await world.caller()
    drafts = [ObservationDraft(content="x")]
    proxy.lose_answers(2)

    with pytest.raises(OutcomeUnknown):
        await world.services.scratch.service.add(caller, drafts, idempotency_key="k")
    (observation,) = await world.services.scratch.service.add(caller, drafts, idempotency_key="k")

    assert proxy.dropped == 2
    assert await stored(world) == (1, 1, 1)
    found = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.uid AS uid")
    assert found == [{"uid": observation.uid}]


async def test_a_new_organisation_whose_answer_was_lost_is_not_made_twice(line: tuple[Proxy, World]) -> None:
    proxy, world = line
    proxy.lose_answers()

    with pytest.raises(Unavailable):
        await world.services.access.create_organisation(world.org + "-b")

    rows = await world.rows(
        "MATCH (o:Organisation {key: $key}) RETURN count(o) AS number", key=world.org + "-b"
    )
    assert rows == [{"number": 1}]


@NIGHTLY
async def test_a_commit_without_an_answer_is_waited_for_only_so_long(line: tuple[Proxy, World]) -> None:
    proxy, world = line
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="warm")])
    world.services.database.timeout_s = world.services.database.grace_s = 1.0
    proxy.keep_answers()

    with pytest.raises(OutcomeUnknown):
        await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])

    world.services.database.timeout_s = 30
    assert await stored(world) == (2, 2, 0)
    # One silent connection is no outage: whoever comes next is served.
    assert not world.services.database.breaker.is_open


async def test_with_a_key_a_commit_without_an_answer_is_resolved(line: tuple[Proxy, World]) -> None:
    proxy, world = line
    caller = await world.caller()
    # The plans of both attempts are there, so that a second is enough for the one that is answered.
    for _ in range(2):
        await world.services.scratch.service.add(
            caller, [ObservationDraft(content="warm")], idempotency_key="warm"
        )
    world.services.database.timeout_s = world.services.database.grace_s = 2.0
    proxy.keep_answers()

    (observation,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x")], idempotency_key="k"
    )

    assert await stored(world) == (2, 2, 2)
    found = await world.rows("MATCH (o:Observation {org_id: $org, content: 'x'}) RETURN o.uid AS uid")
    assert found == [{"uid": observation.uid}]


@NIGHTLY
@pytest.mark.parametrize("slow", [True, False])
@pytest.mark.parametrize("written", [True, False])
async def test_what_nobody_knows_stays_unknown_when_asking_again_fails(
    line: tuple[Proxy, World], monkeypatch: pytest.MonkeyPatch, written: bool, slow: bool
) -> None:
    proxy, world = line
    caller = await world.caller()
    database = world.services.database
    write, attempts = database.write, []

    async def write_once(work, **kwargs):
        attempts.append(work)
        if len(attempts) == 2 and slow:
            raise TimedOut("the deadline passed; nothing was written")
        if len(attempts) == 2:
            proxy.go_away()
        return await write(work, **kwargs)

    monkeypatch.setattr(database, "write", write_once)
    (proxy.lose_answers if written else proxy.lose_commits)()

    with pytest.raises(OutcomeUnknown) as caught:
        await world.services.scratch.service.add(caller, [ObservationDraft(content="x")], idempotency_key="k")
    proxy.come_back()

    # The second attempt alone would say that nothing was written, which is true of itself only.
    assert "nothing was written" not in caught.value.message
    assert len(attempts) == 2
    await asyncio.sleep(0.3)  # the next try of a database that was away
    assert await stored(world) == ((1, 1, 1) if written else (0, 0, 0))
    await world.services.scratch.service.add(caller, [ObservationDraft(content="x")], idempotency_key="k")
    assert await stored(world) == (1, 1, 1)


async def test_nobody_waits_for_a_database_that_is_known_to_be_away(line: tuple[Proxy, World]) -> None:
    proxy, world = line
    caller = await world.caller()
    seconds = [0.0]
    world.services.database.breaker = CircuitBreaker(lambda: seconds[0])
    proxy.go_away()
    with pytest.raises(Unavailable):
        await world.services.scratch.service.find(caller, ObservationFilter())
    before = proxy.connections

    for _ in range(100):
        with pytest.raises(Unavailable, match="the database does not answer; nothing was written"):
            await world.services.scratch.service.find(caller, ObservationFilter())
    assert proxy.connections == before  # all refused without a try
    seconds[0] += 0.25
    for _ in range(100):
        with pytest.raises(Unavailable):
            await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])
    tried = proxy.connections - before
    proxy.come_back()
    seconds[0] += 0.25
    page = await world.services.scratch.service.find(caller, ObservationFilter())

    assert 1 <= tried <= 2
    assert page.items == ()
    assert await stored(world) == (0, 0, 0)
