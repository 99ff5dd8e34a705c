"""A key makes a change happen once, whoever sends it how often."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import Conflict, InvalidInput
from prefrontal.graph.journal.record import Change, Event, EventType
from prefrontal.graph.journal.service import ChangeWriter
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.unit_of_work import Tx
from tests.support.world import World


def writer(world: World) -> ChangeWriter:
    return ChangeWriter(world.services.database, world.clock, world.services.catalog)


class Work:
    """Emits one event and counts how often it was run."""

    def __init__(self, result: str = "first") -> None:
        self.result = result
        self.runs = 0

    async def __call__(self, _tx: Tx, _now: datetime) -> Change:
        self.runs += 1
        event = Event(type=EventType.SPACE_CREATED, aggregate="spc_x", aggregate_version=1, scope_id="spc_x")
        return Change(result={"uid": self.result}, events=(event,), turns=("turn-1",))


async def number_of_events(world: World) -> int:
    return (await world.counts()).get("OutboxEvent", 0)


async def test_the_first_result_is_given_again_and_nothing_is_written(world: World) -> None:
    caller, again = await world.caller(), Work("again")
    body = {"name": "x", "at": world.clock.now()}

    first = await writer(world).write(caller, Work(), operation="a", body=body, idempotency_key="k")
    after = await world.rows(
        "MATCH (n {org_id: $org}) RETURN elementId(n) AS id, properties(n) AS p ORDER BY id"
    )
    world.clock.advance(days=1)
    second = await writer(world).write(caller, again, operation="a", body=body, idempotency_key="k")

    assert first == second == {"uid": "first"}
    assert again.runs == 0
    assert (
        await world.rows("MATCH (n {org_id: $org}) RETURN elementId(n) AS id, properties(n) AS p ORDER BY id")
        == after
    )


@pytest.mark.parametrize(
    ("operation", "body"), [("a", {"name": "y"}), ("a", None), ("b", {"name": "x"}), ("a", [{"name": "x"}])]
)
async def test_another_body_or_operation_under_the_key_is_a_conflict(
    world: World, operation: str, body: Any
) -> None:
    caller, other = await world.caller(), Work("other")
    await writer(world).write(caller, Work(), operation="a", body={"name": "x"}, idempotency_key="k")
    before = await world.counts()

    with pytest.raises(Conflict) as caught:
        await writer(world).write(caller, other, operation=operation, body=body, idempotency_key="k")

    assert caught.value.field == "idempotencyKey"
    assert other.runs == 0
    assert await world.counts() == before


async def test_the_order_of_keys_in_a_body_is_no_difference(world: World) -> None:
    caller = await world.caller()
    await writer(world).write(caller, Work(), operation="a", body={"x": 1, "y": 2}, idempotency_key="k")

    again = await writer(world).write(
        caller, Work("again"), operation="a", body={"y": 2, "x": 1}, idempotency_key="k"
    )

    assert again == {"uid": "first"}


async def test_a_change_that_failed_leaves_its_key_free(world: World) -> None:
    caller = await world.caller()

    async def fail(tx: Tx, now: datetime) -> Change:
        raise LookupError("a defect")

    with pytest.raises(LookupError):
        await writer(world).write(caller, fail, operation="a", idempotency_key="k")

    assert "Request" not in await world.counts()
    assert await writer(world).write(caller, Work(), operation="b", idempotency_key="k") == {"uid": "first"}


@pytest.mark.alone
async def test_a_key_is_free_again_when_its_request_is_gone(world: World) -> None:
    caller = await world.caller()
    await writer(world).write(caller, Work(), operation="a", idempotency_key="k")
    (request,) = await world.rows("MATCH (r:Request {org_id: $org}) RETURN r.expires_at AS at")
    world.clock.advance(days=7)

    await world.services.jobs.run_once(world.services.jobs.named["delete_outdated"])

    assert request["at"].to_native() == world.clock.now()
    assert await writer(world).write(caller, Work("new"), operation="a", idempotency_key="k") == {
        "uid": "new"
    }


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "k\ud800"])
async def test_a_key_is_a_text_of_1_to_200_characters(world: World, key: str) -> None:
    caller, work = await world.caller(), Work()
    before = await world.counts()

    with pytest.raises(InvalidInput) as caught:
        await writer(world).write(caller, work, operation="a", idempotency_key=key)

    assert caught.value.field == "idempotencyKey"
    assert work.runs == 0
    assert await world.counts() == before


@pytest.mark.parametrize("key", ["x", "é" * 200, "a\nb", "'}) DETACH DELETE n //"])
async def test_a_key_may_be_any_text(world: World, key: str) -> None:
    caller = await world.caller()
    for _ in range(2):
        await writer(world).write(caller, Work(), operation="a", idempotency_key=key)

    assert await number_of_events(world) == 1


async def test_without_a_key_every_send_is_a_change(world: World) -> None:
    caller = await world.caller()
    for _ in range(2):
        await writer(world).write(caller, Work(), operation="a")

    assert await number_of_events(world) == 2
    assert "Request" not in await world.counts()


async def test_the_same_key_of_two_callers_is_two_keys(world: World) -> None:
    for agent in ("bot", "other"):
        caller = await world.caller(agent)
        await writer(world).write(caller, Work(agent), operation=agent, idempotency_key="k")

    assert await number_of_events(world) == 2


async def test_many_sends_at_once_write_once(world: World) -> None:
    caller = await world.caller()
    works = [Work(f"{number}") for number in range(10)]

    results = await asyncio.gather(
        *(writer(world).write(caller, work, operation="a", idempotency_key="k") for work in works)
    )

    assert len({result["uid"] for result in results}) == 1
    assert await number_of_events(world) == 1
    assert (await world.counts())["Turn"] == 1


async def test_two_processes_at_once_write_once(world: World, neo4j: Endpoint) -> None:
    caller = await world.caller()
    settings = world.services.settings

    async with connect(settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        theirs = build_services(settings, driver, clock=world.clock)
        others = ChangeWriter(theirs.database, world.clock, theirs.catalog)
        for number in range(5):
            results = await asyncio.gather(
                *(
                    each.write(caller, Work(name), operation="a", idempotency_key=f"k{number}")
                    for each, name in ((writer(world), "ours"), (others, "theirs"))
                )
            )
            assert results[0] == results[1]

    assert await number_of_events(world) == 5


async def test_at_once_with_another_body_one_wins_and_the_other_conflicts(world: World) -> None:
    caller = await world.caller()

    results = await asyncio.gather(
        *(writer(world).write(caller, Work(), operation=name, idempotency_key="k") for name in ("a", "b")),
        return_exceptions=True,
    )

    assert sorted(type(result).__name__ for result in results) == ["Conflict", "dict"]
    assert await number_of_events(world) == 1
