"""A database with the migrations from before the baseline is adopted, or refused with what to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import MigrationError
from prefrontal.graph.storage.baseline import LAST_COMMIT, AppliedMigration
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import Migration, applied_migrations, migrate
from prefrontal.graph.storage.unit_of_work import Database
from tests.support.former import ALTERED, FORMER, UNMENDED, record
from tests.support.statements import StatementCounter
from tests.support.world import World

pytestmark = pytest.mark.alone

LATER = Migration(2, "0002_probe", "two", ("CREATE INDEX probe IF NOT EXISTS FOR (n:Probe) ON (n.p)",))
RECORDS = "MATCH (m:Migration) RETURN m {.*} AS m ORDER BY m.number"


@pytest.fixture
async def shipped(world: World) -> AsyncIterator[Migration]:
    """The baseline; its record is put back afterwards."""
    before = await world.rows(RECORDS)
    yield world.services.migrations[0]
    await world.rows("MATCH (m:Migration) DELETE m")
    await world.rows("UNWIND $rows AS row CREATE (m:Migration) SET m = row.m", rows=before)
    await world.rows("DROP INDEX probe IF EXISTS")


async def put(world: World, applied: tuple[AppliedMigration, ...]) -> None:
    await world.rows("MATCH (m:Migration) DELETE m")
    await world.rows(record(applied), now=world.clock.now())


@pytest.mark.parametrize("former", [FORMER, UNMENDED], ids=["as they are", "one before it was mended"])
async def test_a_database_with_all_of_them_gets_the_record_of_the_baseline_and_nothing_is_run(
    world: World, shipped: Migration, former: tuple[AppliedMigration, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    database, ran = world.services.database, list[str]()
    really = database.implicit
    schema = await really("SHOW INDEXES YIELD name, createStatement RETURN * ORDER BY name")
    await put(world, former)

    async def implicit(text: str) -> Any:
        ran.append(text)
        return await really(text)

    monkeypatch.setattr(database, "implicit", implicit)
    assert await migrate(database, (shipped,), world.clock) == []

    # What the lock needs, and whether all indexes are there.
    assert [text.split(" ")[:3] for text in ran] == [
        ["CREATE", "CONSTRAINT", "lease_name"],
        ["CREATE", "CONSTRAINT", "migration_number"],
        ["SHOW", "INDEXES", "YIELD"],
    ]
    assert await applied_migrations(database) == (AppliedMigration(1, "0001_baseline", shipped.checksum),)
    assert await really("SHOW INDEXES YIELD name, createStatement RETURN * ORDER BY name") == schema
    # From then on it is a database like any other.
    world.statements.clear()
    assert await migrate(database, (shipped,), world.clock) == []
    assert world.statements.names == ["storage/list_migrations"]


async def test_two_processes_adopt_it_once_and_go_on_with_later_migrations(
    world: World, neo4j: Endpoint, shipped: Migration
) -> None:
    ours = world.services.database
    await put(world, FORMER)

    async with connect(world.services.settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        counter = StatementCounter()
        theirs = Database(driver, ours.queries, database=ours.database, timeout_s=30, observers=[counter])
        results = await asyncio.gather(
            *(migrate(each, (shipped, LATER), world.clock) for each in (ours, theirs))
        )

    assert sorted(results) == [[], ["0002_probe"]]
    assert await applied_migrations(ours) == (
        AppliedMigration(1, "0001_baseline", shipped.checksum),
        AppliedMigration(2, "0002_probe", "two"),
    )
    assert (world.statements.counts + counter.counts)["storage/delete_migrations"] == 1


@pytest.mark.parametrize(
    ("former", "said"),
    [
        (FORMER[:44], f"schema 0044 from before the baseline: start it once with commit {LAST_COMMIT}"),
        (FORMER[:1], f"schema 0001 from before the baseline: start it once with commit {LAST_COMMIT}"),
        (ALTERED, "other migrations than those up to 0045 of commit"),
        ((*FORMER[:20], *FORMER[21:]), "other migrations than those up to 0045 of commit"),
        (
            (*FORMER, AppliedMigration(46, "0046_more", "a")),
            "other migrations than those up to 0045 of commit",
        ),
    ],
    ids=["at 44", "at 1", "one checksum altered", "without one", "with one more"],
)
async def test_any_other_is_refused_with_what_to_do_and_nothing_is_written(
    world: World, shipped: Migration, former: tuple[AppliedMigration, ...], said: str
) -> None:
    await put(world, former)
    everything = "MATCH (n) WHERE n:Migration OR n:Lease RETURN n {.*} AS n ORDER BY n.number"
    before = await world.rows(everything)

    with pytest.raises(MigrationError, match=said):
        await migrate(world.services.database, (shipped, LATER), world.clock)

    assert await world.rows(everything) == before
    assert not await world.rows("SHOW INDEXES YIELD name WHERE name = 'probe' RETURN name")
