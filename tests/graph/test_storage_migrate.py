"""Applying migrations: once, in order, by one process at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from neo4j.exceptions import ClientError
from structlog.testing import capture_logs

from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import MigrationError, Unavailable
from prefrontal.graph.storage import schema
from prefrontal.graph.storage.baseline import AppliedMigration
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import Migration, applied_migrations, migrate
from prefrontal.graph.storage.unit_of_work import Database
from tests.support.statements import StatementCounter
from tests.support.world import World

pytestmark = pytest.mark.alone

INDEX = "CREATE INDEX probe_{n} IF NOT EXISTS FOR (n:Probe) ON (n.p{n})"


@pytest.fixture
async def more(world: World) -> AsyncIterator[tuple[Migration, ...]]:
    """The shipped migrations and two more, which are taken back afterwards."""
    shipped = world.services.migrations
    number = len(shipped)
    yield (
        *shipped,
        Migration(number + 1, f"{number + 1:04d}_probe", "one", (INDEX.format(n=1), INDEX.format(n=2))),
        Migration(number + 2, f"{number + 2:04d}_probe", "two", (INDEX.format(n=3),)),
    )
    await world.rows("MATCH (m:Migration) WHERE m.number > $number DELETE m", number=number)
    for name in await probe_indexes(world):
        await world.services.database.implicit(f"DROP INDEX {name}")


async def probe_indexes(world: World) -> list[str]:
    rows = await world.services.database.implicit(
        "SHOW INDEXES YIELD name WHERE name STARTS WITH 'probe' RETURN name"
    )
    return sorted(row["name"] for row in rows)


def records(*migrations: Migration) -> tuple[AppliedMigration, ...]:
    return tuple(AppliedMigration(each.number, each.name, each.checksum) for each in migrations)


def schema_lease(world: World):
    return world.rows("MATCH (l:Lease {name: 'schema'}) RETURN l.owner AS owner, l.fence AS fence")


async def test_a_database_that_is_up_to_date_is_only_read(world: World) -> None:
    before = await schema_lease(world)

    assert await migrate(world.services.database, world.services.migrations, world.clock) == []

    assert world.statements.names == ["storage/list_migrations"]
    assert await schema_lease(world) == before


async def test_a_new_database_has_what_the_migrations_create_and_do_not_drop(world: World) -> None:
    declared = {"lease_name", "migration_number"}  # what the lock of the migrations needs
    for migration in world.services.migrations:
        for statement in migration.statements:
            if found := re.match(r"(?:CYPHER 25 )?(CREATE|DROP) .*?(?:INDEX|CONSTRAINT) (\w+)", statement):
                (declared.add if found[1] == "CREATE" else declared.discard)(found[2])
    shown = "YIELD name, type WHERE type <> 'LOOKUP' RETURN name"
    there = await world.services.database.implicit(f"SHOW INDEXES {shown}")

    assert {row["name"] for row in there} == declared
    assert await applied_migrations(world.services.database) == records(*world.services.migrations)


async def test_two_processes_at_once_apply_each_migration_once(
    world: World, neo4j: Endpoint, more: tuple[Migration, ...]
) -> None:
    ours = world.services.database
    progress: list[str] = []

    def tell(_done: int, _total: int, name: str) -> None:
        progress.append(name)

    async with connect(world.services.settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        theirs = Database(driver, ours.queries, database=ours.database, timeout_s=30)
        results = await asyncio.gather(
            migrate(ours, more, world.clock, tell), migrate(theirs, more, world.clock, tell)
        )

    names = [migration.name for migration in more[-2:]]
    assert sorted(results) == [[], names]
    assert progress == names
    assert await probe_indexes(world) == ["probe_1", "probe_2", "probe_3"]
    assert await applied_migrations(ours) == records(*more)
    assert [row["owner"] for row in await schema_lease(world)] == [""]


async def test_progress_is_told_before_each_migration(world: World, more: tuple[Migration, ...]) -> None:
    told: list[tuple[int, int, str]] = []

    await migrate(world.services.database, more, world.clock, lambda *args: told.append(args))

    assert told == [(0, 2, more[-2].name), (1, 2, more[-1].name)]


async def test_an_edited_file_is_refused_and_nothing_is_applied(
    world: World, more: tuple[Migration, ...]
) -> None:
    edited = (replace(more[0], checksum="0" * 64), *more[1:])

    with pytest.raises(MigrationError, match="was edited after it had been applied"):
        await migrate(world.services.database, edited, world.clock)

    assert await probe_indexes(world) == []


async def test_a_newer_database_is_refused(world: World, more: tuple[Migration, ...]) -> None:
    await migrate(world.services.database, more, world.clock)

    with pytest.raises(MigrationError, match="it was used by a newer version"):
        await migrate(world.services.database, world.services.migrations, world.clock)


async def test_a_migration_that_stopped_half_way_is_mended_by_the_next_start(
    world: World, more: tuple[Migration, ...]
) -> None:
    database = world.services.database
    *rest, first, second = more
    broken = replace(first, statements=(first.statements[0], "CREATE NONSENSE"))

    with pytest.raises(ClientError):
        await migrate(database, (*rest, broken, second), world.clock)
    half = await probe_indexes(world)
    applied = await applied_migrations(database)
    owner = [row["owner"] for row in await schema_lease(world)]
    mended = await migrate(database, more, world.clock)

    assert half == ["probe_1"]
    assert applied == records(*rest)
    assert owner == [""]
    assert mended == [first.name, second.name]
    assert await probe_indexes(world) == ["probe_1", "probe_2", "probe_3"]


async def test_the_lock_of_a_process_that_died_runs_out(world: World, more: tuple[Migration, ...]) -> None:
    database = world.services.database

    async def hold(tx) -> None:
        await tx.one("storage/acquire_lease", name="schema", owner="dead", now=world.clock.now(), seconds=120)

    await database.write(hold)
    waiting = asyncio.create_task(migrate(database, more, world.clock))
    while "storage/acquire_lease" not in world.statements.names[1:]:  # noqa: ASYNC110 - a counter
        await asyncio.sleep(0.01)
    meanwhile = await probe_indexes(world)
    world.clock.advance(seconds=121)

    assert meanwhile == []
    assert await waiting == [migration.name for migration in more[-2:]]


async def test_the_lock_is_renewed_as_long_as_an_index_takes(
    world: World, more: tuple[Migration, ...], neo4j: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, clock = world.services.database, world.clock
    monkeypatch.setattr(schema, "_RENEW_SECONDS", 0.01)
    monkeypatch.setattr(schema, "_WAIT_SECONDS", 0.01)
    slow, ready, implicit = asyncio.Event(), asyncio.Event(), ours.implicit

    async def build(text: str):
        if text.startswith("CALL db.awaitIndexes"):
            slow.set()
            await ready.wait()
        return await implicit(text)

    async def renewals(count: int) -> None:
        wanted = world.statements.counts["storage/acquire_lease"] + count
        while world.statements.counts["storage/acquire_lease"] < wanted:  # noqa: ASYNC110 - a counter
            await asyncio.sleep(0.01)

    monkeypatch.setattr(ours, "implicit", build)
    async with connect(world.services.settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        counter = StatementCounter()
        theirs = Database(driver, ours.queries, database=ours.database, timeout_s=30, observers=[counter])
        working = asyncio.create_task(migrate(ours, more, clock))
        await slow.wait()
        waiting = asyncio.create_task(migrate(theirs, more, clock))
        # The index takes ten minutes, each of them longer than what is left of the lease without renewal.
        for _ in range(10):
            clock.advance(seconds=60)
            await renewals(2)
        tries = counter.counts["storage/acquire_lease"]
        while counter.counts["storage/acquire_lease"] < tries + 3:  # noqa: ASYNC110 - a counter
            await asyncio.sleep(0.01)
        held = await schema_lease(world)
        meanwhile = waiting.done()
        ready.set()
        results = [await working, await waiting]

    assert held[0]["owner"] != ""
    assert not meanwhile
    # The other process tried all the while, was never let in, and finds nothing left to do.
    assert counter.counts["storage/acquire_lease"] > 3
    assert counter.counts["storage/record_migrations"] == 0
    assert results == [[migration.name for migration in more[-2:]], []]
    assert [(row["owner"], row["fence"]) for row in await schema_lease(world)] == [("", held[0]["fence"] + 1)]


async def test_a_lock_that_cannot_be_renewed_is_said_and_the_migration_goes_on(
    world: World, more: tuple[Migration, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = world.services.database
    monkeypatch.setattr(schema, "_RENEW_SECONDS", 0.01)
    renew, implicit, tried = schema._lock, database.implicit, asyncio.Event()
    answers = iter([True, Unavailable("away"), False])

    async def lock(*args) -> bool:
        answer = next(answers, None)
        if isinstance(answer, Unavailable):
            raise answer
        if answer is None:
            tried.set()
        return await renew(*args) if answer is not False else False

    async def build(text: str):
        if text.startswith("CALL db.awaitIndexes"):
            await tried.wait()
        return await implicit(text)

    monkeypatch.setattr(schema, "_lock", lock)
    monkeypatch.setattr(database, "implicit", build)
    with capture_logs() as logs:
        applied = await migrate(database, more, world.clock)

    assert applied == [migration.name for migration in more[-2:]]
    assert [entry["event"] for entry in logs if entry["event"].startswith("migration_lock")] == [
        "migration_lock_not_renewed",
        "migration_lock_lost",
    ]
