"""All reads of a request share one transaction; nothing is lost when it fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.errors import NotFound, TimedOut, Unavailable
from prefrontal.graph.storage.driver import pipelined
from prefrontal.graph.storage.shared_read import ExpectedRow
from prefrontal.graph.storage.unit_of_work import Database, Tx
from tests.graph.test_storage_tx import probes
from tests.support.world import World


@pytest.fixture
def sessions(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The access modes of the sessions that were opened."""
    opened: list[str] = []
    driver = world.services.database.driver
    real = driver.session

    def session(**config: Any) -> Any:
        opened.append(config["default_access_mode"])
        return real(**config)

    monkeypatch.setattr(driver, "session", session)
    return opened


async def _many(tx: Tx) -> list[int]:
    return [row["x"] for row in await tx.many("probe/many")]


async def test_reads_side_by_side_share_one_transaction(world: World, sessions: list[str]) -> None:
    database = probes(world)
    async with database.read_transaction():
        found = await asyncio.gather(*(database.read(_many) for _ in range(5)))
    assert found == [[1, 2]] * 5
    assert sessions == ["READ"]
    await database.read(_many)
    assert sessions == ["READ", "READ"]


async def test_without_a_read_nothing_is_opened(world: World, sessions: list[str]) -> None:
    async with probes(world).read_transaction():
        pass
    assert sessions == []


async def test_what_is_read_after_a_write_is_read_after_it(world: World, sessions: list[str]) -> None:
    database = probes(world)

    async def write(tx: Tx) -> None:
        await tx.execute("probe/write", org_id=world.org_id)

    async with database.read_transaction():
        await database.read(_many)
        await database.write(write)
        await database.read(_many)
    assert sessions == ["READ", "WRITE", "READ"]


async def test_an_error_of_ours_leaves_the_transaction_to_the_others(
    world: World, sessions: list[str]
) -> None:
    database = probes(world)

    async def refuse(_: Tx) -> None:
        raise NotFound("nothing here")

    async with database.read_transaction():
        with pytest.raises(NotFound):
            await database.read(refuse)
        assert await database.read(_many) == [1, 2]
    assert sessions == ["READ"]


async def _endless(tx: Tx) -> Any:
    return await tx.one("probe/endless")


async def test_a_deadline_of_one_read_ends_it_and_the_next_has_a_transaction_of_its_own(
    world: World, sessions: list[str]
) -> None:
    database = probes(world)
    async with database.read_transaction():
        await database.read(_many)
        with pytest.raises(TimedOut):
            await database.read(_endless, timeout_s=0.05)
        assert await database.read(_many) == [1, 2]
    assert sessions == ["READ", "READ"]


async def test_the_deadline_of_the_whole_is_told_to_the_read_that_had_it_all(
    world: World, sessions: list[str]
) -> None:
    base = probes(world)
    database = Database(base.driver, base.queries, database="neo4j", timeout_s=0.5)
    # The statement is not tried once more with the time of one that is planned first.
    database.cold_s = 0.5
    async with database.read_transaction():
        with pytest.raises(TimedOut):
            await database.read(_endless)
    assert sessions == ["READ"]


def expecting(world: World) -> Database:
    database = probes(world)
    caller = "access/find_caller"
    queries = {**database.queries, caller: world.services.database.queries[caller]}
    return Database(database.driver, queries, database="neo4j", timeout_s=30)


async def test_a_read_that_was_late_together_with_an_expected_row_has_its_time_alone(
    world: World, sessions: list[str]
) -> None:
    database = expecting(world)
    async with database.read_transaction() as shared:
        database.speculate(
            ExpectedRow("access/find_caller", {"org_key": world.org, "actors": []}, {"spaces": []})
        )
        with pytest.raises(TimedOut):
            await database.read(_endless, timeout_s=0.05)
        assert sessions == ["READ", "READ"]
        # No statement has confirmed the row.
        assert shared.expected is not None


async def test_an_expected_row_is_confirmed_by_the_first_statement_that_can(
    world: World, sessions: list[str]
) -> None:
    database = expecting(world)
    params = {"org_key": world.org, "actors": []}

    async def values(tx: Tx) -> Any:
        return await tx.one("probe/values")

    async def find(tx: Tx) -> Any:
        return await tx.optional("access/find_caller", **params)

    row = await database.read(find)
    assert row is not None
    for expected, confirmed in ((row, True), (row | {"registry_revision": -1}, False)):
        sessions.clear()
        async with database.read_transaction() as shared:
            database.speculate(ExpectedRow("access/find_caller", params, expected))
            # A list of rows cannot have another row beside it.
            assert await database.read(_many) == [1, 2]
            assert shared.expected is not None
            assert (await database.read(values)).keys() == {"at", "more"}
            assert shared.expected is None
            assert await database.verify(shared) is confirmed
        assert sessions == ["READ"]


@pytest.mark.parametrize("changed", [False, True])
async def test_nothing_is_written_for_an_expected_row_that_has_changed(world: World, changed: bool) -> None:
    database = expecting(world)
    params = {"org_key": world.org, "actors": []}

    async def find(tx: Tx) -> Any:
        return await tx.optional("access/find_caller", **params)

    async def write(tx: Tx) -> None:
        await tx.execute("probe/write", org_id=world.org_id)

    row = await database.read(find)
    async with database.read_transaction():
        database.speculate(
            ExpectedRow("access/find_caller", params, row | ({"registry_revision": -1} if changed else {}))
        )
        if changed:
            with pytest.raises(Unavailable):
                await database.write(write)
        else:
            await database.write(write)


async def test_a_lost_transaction_costs_the_reads_nothing(world: World, sessions: list[str]) -> None:
    database = probes(world)
    async with database.read_transaction() as shared:
        await database.read(_many)
        assert shared._tx is not None
        # As a server that was restarted does, between two statements.
        shared._tx._connection.kill()
        assert await asyncio.gather(database.read(_many), database.read(_many)) == [[1, 2]] * 2
    assert sessions == ["READ"] * 3


async def test_who_is_cancelled_leaves_the_others_alone(world: World, sessions: list[str]) -> None:
    database = probes(world)
    async with database.read_transaction():
        running = asyncio.Event()

        async def endless(tx: Tx) -> Any:
            running.set()
            return await _endless(tx)

        task = asyncio.create_task(database.read(endless))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await database.read(_many) == [1, 2]
    assert sessions == ["READ", "READ"]


async def test_the_driver_still_has_the_switch_that_saves_a_round_trip(world: World) -> None:
    async with world.services.database.driver.session() as session:
        assert not session._pipelined_begin
        with pipelined(session):
            assert session._pipelined_begin
