"""More requests than connections: whoever finds none free waits for one, for so long and no longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from neo4j.exceptions import ConstraintError, TransientError

from prefrontal.graph.bootstrap.metrics import Metrics
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import Unavailable
from prefrontal.graph.storage import driver as driver_module
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.pool import pool_of
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
        assert not database.breaker.is_open
        await database.read(ask)


async def test_the_pool_says_what_is_used_and_who_waits(world: World, neo4j: Endpoint) -> None:
    held, go_on = asyncio.Event(), asyncio.Event()

    async def hold(tx) -> None:
        await tx.one("storage/list_migrations")
        held.set()
        await go_on.wait()

    async def pass_by(tx) -> None:
        await tx.one("storage/list_migrations")

    async with one_connection(world, neo4j) as database:
        metrics = Metrics()
        metrics.database.watch(pool_of(database.driver), 1)

        def told() -> dict[str, float]:
            value = metrics.registry.get_sample_value
            names = ("in_use", "idle", "most")
            found = {name: value("prefrontal_database_connections", {"state": name}) for name in names}
            found["waiting"] = value("prefrontal_database_waiting")
            found["waited"] = value("prefrontal_database_wait_seconds_count")
            return found

        assert told() == {"in_use": 0, "idle": 0, "most": 1, "waiting": 0, "waited": 0}
        first = asyncio.create_task(database.read(hold))
        await held.wait()
        assert told() == {"in_use": 1, "idle": 0, "most": 1, "waiting": 0, "waited": 1}
        others = [asyncio.create_task(database.read(pass_by)) for _ in range(3)]
        while pool_of(database.driver).waiting < 3:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0)
        assert told() == {"in_use": 1, "idle": 0, "most": 1, "waiting": 3, "waited": 1}
        go_on.set()
        await asyncio.gather(first, *others)
        assert told() == {"in_use": 0, "idle": 1, "most": 1, "waiting": 0, "waited": 4}
        assert (
            metrics.registry.get_sample_value("prefrontal_database_wait_seconds_bucket", {"le": "+Inf"}) == 4
        )
        assert metrics.registry.get_sample_value("prefrontal_database_wait_seconds_sum") > 0


async def test_a_transaction_that_runs_again_is_counted_by_its_cause(world: World) -> None:
    database = world.services.database
    seen: list[tuple[str, str]] = []
    again = Database(
        database.driver,
        database.queries,
        database=database.database,
        timeout_s=30,
        retry_time_s=5,
        on_retry=lambda mode, cause: seen.append((mode, cause)),
    )
    causes = iter(
        [
            TransientError._hydrate_neo4j(code="Neo.TransientError.Transaction.DeadlockDetected"),
            ConstraintError._hydrate_neo4j(
                code="Neo.ClientError.Schema.ConstraintValidationFailed",
                message="Cannot delete node<1>, because it still has relationships",
            ),
            TransientError._hydrate_neo4j(code="Neo.TransientError.General.MemoryPoolOutOfMemoryError"),
        ]
    )

    async def work(tx) -> str:
        await tx.one("storage/list_migrations")
        if (cause := next(causes, None)) is not None:
            raise cause
        return "done"

    assert await again.write(work) == "done"
    assert seen == [("write", "deadlock"), ("write", "outrun"), ("write", "busy")]
    assert await again.read(work) == "done"
    assert len(seen) == 3
