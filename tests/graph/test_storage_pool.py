"""More requests than connections: whoever finds none free waits for one, for so long and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import Unavailable
from prefrontal.graph.storage import driver as driver_module
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.unit_of_work import Database
from tests.support.world import World


@asynccontextmanager
async def one_connection(world: World, neo4j: Endpoint, **changes: Any) -> AsyncIterator[Database]:
    settings = world.services.settings.model_copy(update={"pool_size": 1, **changes})
    async with connect(settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        ours = world.services.database
        yield Database(driver, ours.queries, database=ours.database, timeout_s=30)


async def test_who_finds_no_free_connection_waits_for_one(world: World, neo4j: Endpoint) -> None:
    held, go_on = asyncio.Event(), asyncio.Event()

    async def hold(tx) -> str:
        await tx.one("storage/list_migrations")
        held.set()
        await go_on.wait()
        return "held"

    async def pass_by(tx) -> str:
        await tx.one("storage/list_migrations")
        return "passed"

    async with one_connection(world, neo4j) as database:
        first = asyncio.create_task(database.read(hold))
        await held.wait()
        others = [asyncio.create_task(database.read(pass_by)) for _ in range(5)]
        await asyncio.sleep(0.05)
        meanwhile = [other.done() for other in others]
        go_on.set()
        answers = await asyncio.gather(first, *others)

    assert meanwhile == [False] * 5
    assert answers == ["held", *["passed"] * 5]


async def test_who_waited_in_vain_is_told_that_nothing_was_written(
    world: World, neo4j: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver_module, "CONNECT_TIMEOUT_S", 0.1)

    async def ask(tx) -> None:
        await tx.one("storage/list_migrations")

    async with one_connection(world, neo4j, query_timeout_s=0.3) as database:

        async def hold(tx) -> None:
            await tx.one("storage/list_migrations")
            with pytest.raises(Unavailable, match="all connections to the database are in use; nothing was"):
                await database.read(ask)

        await database.read(hold)
        # Being busy is no outage: whoever comes next is served.
        assert not database.outage.known
        await database.read(ask)
