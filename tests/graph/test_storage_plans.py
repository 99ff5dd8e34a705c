"""A statement has one plan, and making it does not count against the deadline of a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.errors import TimedOut
from prefrontal.graph.storage.circuit_breaker import CircuitBreaker
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.queries import parse_query
from prefrontal.graph.storage.shared_read import ExpectedRow
from prefrontal.graph.storage.unit_of_work import Database, Tx
from tests.graph.test_storage_tx import probes
from tests.support.database import embedded
from tests.support.thinned import first_by_day
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("a read that is late with a new statement, above")

ENDLESS, QUICK = 2_000_000_000, 10


class Work:
    """A unit of work whose statement takes too long in its first runs, as on a cold server."""

    def __init__(self, late: int, org_id: str | None = None) -> None:
        self.late, self.org_id, self.runs = late, org_id, 0

    async def __call__(self, tx: Tx) -> int:
        self.runs += 1
        if self.org_id is not None:
            await tx.execute("probe/write", org_id=self.org_id)
        return (await tx.one("probe/counting", most=ENDLESS if self.runs <= self.late else QUICK))["x"]


@pytest.fixture
def database(world: World) -> Iterator[Database]:
    """A database with a short deadline, for which all statements are new."""
    base = probes(world)
    caller = "access/find_caller"
    queries = {**base.queries, caller: world.services.database.queries[caller]}
    database = Database(base.driver, queries, database="neo4j", timeout_s=0.2)
    database.cold_s = 60.0
    yield database
    assert not database.breaker.is_open


async def late(database: Database, *, runs: int, **given: Any) -> None:
    """A work that is always late runs so many times."""
    work = Work(late=9)
    with pytest.raises(TimedOut):
        await database.read(work, **given)
    assert work.runs == runs


@pytest.mark.parametrize("way", first_by_day(["expected", "shared", "alone"], "a read with the caller's"))
async def test_a_read_that_is_late_with_a_new_statement_has_the_time_of_a_cold_server(
    world: World, database: Database, way: str
) -> None:
    work = Work(late=2 if way == "expected" else 1)
    if way == "alone":
        assert await database.read(work) == QUICK
    else:
        async with database.read_transaction():
            if way == "expected":
                # The two statements together are late too, so each of them runs alone.
                params = {"org_key": world.org, "actors": []}
                database.speculate(ExpectedRow("access/find_caller", params, {"spaces": []}))
            assert await database.read(work) == QUICK
    assert work.runs == work.late + 1

    # From now on the statement has a plan: what is late is slow.
    await late(database, runs=1)


async def test_a_write_that_is_late_with_a_new_statement_happens_once(
    world: World, database: Database
) -> None:
    work = Work(late=1, org_id=world.org_id)
    assert await database.write(work) == QUICK
    assert (work.runs, (await world.counts())["Probe"]) == (2, 1)


@NIGHTLY
async def test_a_statement_that_is_late_on_a_cold_server_too_has_no_more_time(database: Database) -> None:
    database.cold_s = 0.4
    await late(database, runs=2)
    await late(database, runs=1)


@pytest.mark.nightly("a late read with a new statement is tried with each change")
async def test_a_deadline_of_the_callers_own_counts_everything_unless_it_says_otherwise(
    database: Database,
) -> None:
    database.timeout_s = 60.0
    await late(database, runs=1, timeout_s=0.2)
    work = Work(late=1)
    assert await database.read(work, timeout_s=0.2, first_plan_counts=False) == QUICK
    assert work.runs == 2


@NIGHTLY
async def test_after_an_outage_every_statement_is_new(database: Database) -> None:
    seconds = [0.0]
    database.breaker = CircuitBreaker(lambda: seconds[0])
    await database.read(Work(late=0))
    await late(database, runs=1)

    # As when the server was restarted: its plans are gone.
    database.breaker.record_failure()
    seconds[0] += 1
    work = Work(late=1)
    assert await database.read(work) == QUICK
    assert work.runs == 2


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.nightly("tests/unit/storage/test_queries.py has what is sent")
async def test_a_statement_has_one_plan_whatever_the_types_of_its_parameters_are(settings: Settings) -> None:
    with embedded(settings) as server:
        async with connect(settings, server.bolt_uri, server.user, server.password) as driver:
            query = parse_query("probe/echo", ECHO, Path("probe/echo.cypher"))
            database = Database(driver, {query.name: query}, database="neo4j", timeout_s=30)

            async def plans(*values: object) -> str:
                """What the server says of how many plans it has after the statement ran with each value."""
                await driver.execute_query("CALL db.clearQueryCaches()")
                for value in values:
                    assert await database.read(lambda tx, x=value: tx.one("probe/echo", x=x)) == {"x": value}
                records, _, _ = await driver.execute_query("CALL db.clearQueryCaches()")
                return str(records[0]["value"])

            assert await plans(None, 1, 1.5, "x", [], ["x"], {"x": 1}) == await plans("x")


ECHO = """// Gives back what it is given.
// mode: read, returns: one, scope: system - a probe of a test
CYPHER 25
RETURN $x AS x"""
