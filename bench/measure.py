"""Timing of operations; the unit is timed after every run, so that both see the machine in the same state.

The unit is a Bolt `RETURN 1` in a read transaction function. An operation's result is a multiple of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

from neo4j import READ_ACCESS, AsyncManagedTransaction
from neo4j.exceptions import DriverError, Neo4jError

from bench.cleanup import remove_since
from bench.disk import Bytes, weigh
from bench.operations import Operation, WrongAnswer
from bench.statements import Profile, profiled
from bench.web import statements_so_far
from bench.world import World
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.errors import PrefrontalError

LEAST_ROUNDS = 5
FAILURES = (WrongAnswer, PrefrontalError)
# Warm-up runs writes as well; what they add is deleted at this interval, before it changes the size much.
_CLEAN_EVERY_S = 5.0

Tick = Callable[[float], None]
"""Called with the completed part of a phase, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one operation at one size; times in milliseconds."""

    name: str
    title: str
    size: int
    n: int
    clients: int
    """How many clients ran the operation at once, each one run after the other."""
    p50_ms: float
    p95_ms: float
    p99_ms: float
    runs_per_s: float
    """Runs of all clients per second; between them each client also ran its preparation and the unit."""
    unit_p50_ms: float
    unit_p95_ms: float
    multiple: float
    aim: float | None
    rows_per_s: float | None
    aim_rows_per_s: float | None
    statements: int
    statements_p50_ms: float | None
    """The time from sending a statement to its last row, for all statements of a run; the rest of the run is
    Python code and the commit. None for HTTP operations, and for those of several clients."""
    statement_names: tuple[str, ...]
    db_hits: int | None
    covers: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether the operation meets its aim."""
        if self.aim is not None:
            return self.multiple <= self.aim
        if self.aim_rows_per_s is not None and self.rows_per_s is not None:
            return self.rows_per_s >= self.aim_rows_per_s
        return True

    def as_json(self) -> dict[str, Any]:
        """Return all values, and whether the aim is met."""
        return {**asdict(self), "met": self.met}


@dataclass
class _Samples:
    """The times of an operation's runs, in seconds."""

    times: list[float] = field(default_factory=list)
    units: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    """The time of all statements of each run."""
    names: tuple[str, ...] = ()
    seconds: float = 0.0
    """From the first start to the last end."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the percentile by nearest rank: the smallest value that `share` of all values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


async def unit(world: World) -> float:
    """Return the seconds of `RETURN 1` in a read transaction function: the lower bound of a read."""
    database = world.services.database
    started = time.perf_counter()
    async with database.driver.session(
        database=database.database, default_access_mode=READ_ACCESS
    ) as session:
        await session.execute_read(_return_one)
    return time.perf_counter() - started


async def weigh_world(world: World, server: EmbeddedNeo4j) -> Bytes:
    """Return the bytes of the database; the server is restarted, and answers again."""
    # The driver notices that its connections are gone, and says so.
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    found = await asyncio.to_thread(weigh, server, world.services.database.database)
    for _ in range(60):
        try:
            await unit(world)
        except (DriverError, Neo4jError):
            await asyncio.sleep(0.5)
        else:
            break
    logging.getLogger("neo4j").setLevel(logging.NOTSET)
    return found


async def _return_one(tx: AsyncManagedTransaction) -> int:
    record = await (await tx.run("RETURN 1")).single(strict=True)
    return int(record[0])


async def run_once(world: World, operation: Operation) -> float:
    """Return the seconds of one run; its preparation is not counted."""
    prepared = await operation.prepare(world) if operation.prepare else None
    world.statements.clear()
    started = time.perf_counter()
    await operation.run(world, prepared)
    return time.perf_counter() - started


async def warm_up(world: World, operations: Sequence[Operation], seconds: float, tick: Tick) -> None:
    """Run all operations in turn until the time is over, and delete what they wrote.

    Failures are ignored here: an operation that fails now fails again when it is measured, and is reported
    then.
    """
    started = cleaned = time.perf_counter()
    since = datetime.now(UTC)
    for operation in cycle(operations):
        now = time.perf_counter()
        if now - started >= seconds:
            break
        if now - cleaned >= _CLEAN_EVERY_S:
            await _clean(world, since)
            cleaned = time.perf_counter()
        with contextlib.suppress(*FAILURES):
            await run_once(world, operation)
        await unit(world)
        tick(min(1.0, (now - started) / seconds))
    await _clean(world, since)
    tick(1.0)


async def measure(
    world: World, operation: Operation, *, rounds: int, seconds: float, clients: int = 1
) -> tuple[Result, list[Profile]]:
    """Return the operation's times at the present size, and the profiles of its statements.

    The measurement ends after `rounds` runs of each client, or after `seconds` but at least five runs.
    Everything the operation wrote is deleted, even after a failure: leftovers would distort all later
    measurements. The aim is for one client.
    """
    since = datetime.now(UTC)
    try:
        samples = await _sample(world, operation, rounds * clients, seconds, clients)
        with profiled() as profiles:
            prepared = await operation.prepare(world) if operation.prepare else None
            profiles.clear()
            before = await statements_so_far(world.http) if operation.http and world.http else 0
            await operation.run(world, prepared)
            statements = (
                await statements_so_far(world.http) - before
                if operation.http and world.http
                else len(samples.names)
            )
    finally:
        if operation.writes:
            await _clean(world, since)
    return _result(world, operation, samples, profiles, statements, clients), profiles


async def _sample(world: World, operation: Operation, rounds: int, seconds: float, clients: int) -> _Samples:
    samples = _Samples()
    started = time.perf_counter()
    begun = 0

    async def client() -> None:
        nonlocal begun
        while begun < rounds:
            if time.perf_counter() - started >= seconds and len(samples.times) >= LEAST_ROUNDS:
                break
            begun += 1
            samples.times.append(await run_once(world, operation))
            samples.names = tuple(world.statements.names)
            samples.waits.append(world.statements.seconds)
            samples.units.append(await unit(world))

    running = [asyncio.ensure_future(client()) for _ in range(clients)]
    try:
        await asyncio.gather(*running)
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    samples.seconds = time.perf_counter() - started
    return samples


async def _clean(world: World, since: datetime) -> None:
    database = world.services.database
    await remove_since(database.driver, database.database, world.org_ids, since)


def _result(
    world: World,
    operation: Operation,
    samples: _Samples,
    profiles: list[Profile],
    statements: int,
    clients: int,
) -> Result:
    times, units = samples.times, samples.units
    p50, unit_p50 = percentile(times, 0.5), percentile(units, 0.5)
    alone = clients == 1
    per_s = len(times) / samples.seconds
    return Result(
        name=operation.name,
        title=operation.title,
        size=world.size,
        n=len(times),
        p50_ms=p50 * 1000,
        clients=clients,
        p95_ms=percentile(times, 0.95) * 1000,
        p99_ms=percentile(times, 0.99) * 1000,
        runs_per_s=per_s,
        unit_p50_ms=unit_p50 * 1000,
        unit_p95_ms=percentile(units, 0.95) * 1000,
        multiple=p50 / unit_p50,
        aim=operation.aim if alone else None,
        rows_per_s=(operation.rows / p50 if alone else operation.rows * per_s) if operation.rows else None,
        aim_rows_per_s=operation.rows_per_s if alone else None,
        statements=statements if alone or operation.http else len(profiles),
        statements_p50_ms=percentile(samples.waits, 0.5) * 1000 if alone and not operation.http else None,
        statement_names=samples.names if alone else tuple(profile.name for profile in profiles),
        db_hits=None if operation.http else sum(profile.db_hits for profile in profiles),
        covers=operation.covers,
    )
