"""Periodic work: one process at a time, in batches, and nothing after the lease is lost."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.config.tables import JobTable
from prefrontal.graph.errors import Unavailable
from prefrontal.graph.jobs.periodic import DeleteOutdated
from prefrontal.graph.jobs.runner import JobRunner, LeaseLost
from prefrontal.graph.journal.turns import turn_row
from prefrontal.graph.storage.unit_of_work import Tx
from tests.support.world import World

pytestmark = pytest.mark.alone


@dataclass
class CountDown:
    """A job with a given amount of work; each batch leaves a mark in the graph."""

    org_id: str
    left: int
    size: int = 10
    now: list[datetime] | None = None

    @property
    def name(self) -> str:
        return f"count_down_{self.org_id}"

    @property
    def table(self) -> JobTable:
        return JobTable(every_seconds=60, lease_seconds=30, batch=self.size)

    async def batch(self, tx: Tx, now: datetime) -> int:
        done = min(self.left, self.size)
        await tx.execute(
            "journal/append_entries",
            org_id=self.org_id,
            actor_id=self.org_id,
            home=self.org_id,
            now=now,
            turns=[turn_row(f"{self.left}", actor_id=self.org_id, home=self.org_id, now=now)],
            traces=[],
            events=[],
            requests=[],
            made=[],
            versions=[],
        )
        self.left -= done
        return done


def runner(world: World, **kwargs: Any) -> JobRunner:
    return JobRunner(world.services.database, world.clock, [], **kwargs)


async def marks(world: World) -> list[str]:
    rows = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN t.key AS key ORDER BY toInteger(key) DESC")
    return [row["key"] for row in rows]


async def test_one_of_two_processes_has_the_lease(world: World) -> None:
    one, other, job = runner(world), runner(world), CountDown(world.org_id, 5)

    leases = await asyncio.gather(one.acquire(job), other.acquire(job))
    holder = one if leases[0] else other
    (lease,) = [lease for lease in leases if lease]

    assert (lease.owner, lease.fence) == (holder.owner, 1)
    assert await (other if holder is one else one).run_once(job) is None
    assert await marks(world) == []


async def test_ten_at_once_do_the_work_once(world: World) -> None:
    jobs = [CountDown(world.org_id, 5) for _ in range(10)]

    results = await asyncio.gather(*(runner(world).run_once(job) for job in jobs))

    # Who comes when the first is done may run again; nobody runs beside another.
    assert results.count(None) == len([job for job in jobs if job.left == 5])
    assert await marks(world) == ["5"]


async def test_who_is_cancelled_while_it_acquires_leaves_no_lease(world: World) -> None:
    class Cancelled(JobRunner):
        async def acquire(self, job: Any) -> Any:
            await super().acquire(job)
            raise asyncio.CancelledError

    job = CountDown(world.org_id, 5)
    with pytest.raises(asyncio.CancelledError):
        await Cancelled(world.services.database, world.clock, []).run_once(job)

    assert await runner(world).run_once(job) == 5


async def test_who_is_cancelled_while_it_gives_the_lease_back_leaves_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute, releases = Tx.execute, asyncio.Event()

    async def slowly(tx: Tx, query: str, **params: Any) -> Any:
        if query == "storage/release_lease":
            releases.set()
        return await execute(tx, query, **params)

    monkeypatch.setattr(Tx, "execute", slowly)
    job = CountDown(world.org_id, 5)
    running = asyncio.create_task(runner(world).run_once(job))
    await releases.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert await marks(world) == ["5"]
    job.left = 5
    assert await runner(world).run_once(job) == 5


async def test_the_fence_rises_with_every_holder_and_not_with_a_renewal(world: World) -> None:
    one, other, job = runner(world), runner(world), CountDown(world.org_id, 5)

    first = await one.acquire(job)
    world.clock.advance(seconds=29)
    renewed = await one.acquire(job)
    world.clock.advance(seconds=29)
    refused = await other.acquire(job)
    world.clock.advance(seconds=1)
    taken = await other.acquire(job)
    world.clock.advance(seconds=30)
    back = await one.acquire(job)

    assert first is not None
    assert renewed == first
    assert refused is None
    assert taken is not None
    assert back is not None
    assert [lease.fence for lease in (first, taken, back)] == [1, 2, 3]


async def test_a_process_that_slept_past_its_lease_writes_nothing(world: World) -> None:
    one, other, job = runner(world), runner(world), CountDown(world.org_id, 5)
    lease = await one.acquire(job)
    assert lease is not None
    world.clock.advance(seconds=31)
    await other.acquire(job)

    with pytest.raises(LeaseLost):
        await one.run_batch(job, lease)

    assert await marks(world) == []


async def test_the_same_process_under_an_older_fence_writes_nothing(world: World) -> None:
    one, other, job = runner(world), runner(world), CountDown(world.org_id, 5)
    old = await one.acquire(job)
    assert old is not None
    world.clock.advance(seconds=31)
    await other.acquire(job)
    world.clock.advance(seconds=31)
    new = await one.acquire(job)
    assert new is not None

    with pytest.raises(LeaseLost):
        await one.run_batch(job, old)

    assert await one.run_batch(job, new) == 5


async def test_a_lease_that_is_lost_between_batches_ends_the_run(world: World) -> None:
    one, other, job = runner(world), runner(world), CountDown(world.org_id, 25)
    taken: list[Any] = []

    class Sleepy(CountDown):
        async def batch(self, tx: Tx, now: datetime) -> int:
            done = await super().batch(tx, now)
            if self.left == 15:
                # The process sleeps here; when it wakes up its lease is over and somebody else's.
                world.clock.advance(seconds=31)
            return done

    sleepy = Sleepy(world.org_id, 25)
    original = one.acquire

    async def acquire_late(which: Any) -> Any:
        if sleepy.left == 15 and not taken:
            taken.append(await other.acquire(job))
        return await original(which)

    one.acquire = acquire_late  # type: ignore[method-assign]
    done = await one.run_once(sleepy)

    assert done == 10
    assert await marks(world) == ["25"]
    assert taken[0].fence == 2
    # The lease is still the other's: giving it back is only for who has it.
    assert await other.run_batch(job, taken[0]) == 10


async def test_a_run_goes_on_until_less_than_a_batch_was_left(world: World) -> None:
    told: list[int] = []
    reported: list[tuple[str, int]] = []
    job = CountDown(world.org_id, 25)

    done = await runner(world, on_done=lambda *args: reported.append(args)).run_once(job, told.append)

    assert done == 25
    assert told == [10, 20, 25]
    assert reported == [(job.name, 25)]
    assert await marks(world) == ["25", "15", "5"]


async def test_the_lease_is_given_back_after_the_run_and_after_a_failure(world: World) -> None:
    class Failing(CountDown):
        async def batch(self, tx: Tx, now: datetime) -> int:
            await super().batch(tx, now)
            raise Unavailable("the disk is full")

    one, other = runner(world), runner(world)
    with pytest.raises(Unavailable):
        await one.run_once(Failing(world.org_id, 5))
    failed = await marks(world)
    after = await other.run_once(CountDown(world.org_id, 5))

    assert failed == []
    assert after == 5


async def test_requests_and_receipts_go_after_their_retention(world: World) -> None:
    await world.rows(
        "UNWIND [[6, 29], [7, 30], [8, 31]] AS days "
        "CREATE (:Request {uid: $org + 'r' + days[0], org_id: $org, by_uid: 'x', key: 'k' + days[0], "
        "expires_at: $now + duration({days: 7 - days[0]})}) "
        "CREATE (:Turn {uid: $org + 't' + days[0], org_id: $org, scope_id: $org, key: 'k' + days[0]})"
        "-[:RECEIVED]->(:ContextReceipt {uid: $org + 'c' + days[1], org_id: $org, "
        "expires_at: $now + duration({days: 30 - days[1]})})",
        now=world.clock.now(),
    )

    await world.services.jobs.run_once(DeleteOutdated(world.services.catalog))
    rows = await world.rows(
        "MATCH (n:Request|ContextReceipt {org_id: $org}) RETURN n.uid AS uid ORDER BY uid"
    )

    assert [row["uid"].removeprefix(world.org_id) for row in rows] == ["c29", "r6"]
    assert (await world.counts())["Turn"] == 3


async def test_more_than_a_batch_of_old_requests_goes_in_one_run(world: World) -> None:
    catalog = world.services.catalog
    table = catalog.jobs.delete_outdated.model_copy(update={"batch": 7})
    jobs = catalog.jobs.model_copy(update={"delete_outdated": table})
    await world.rows(
        "UNWIND range(1, 30) AS i CREATE (:Request {uid: $org + i, org_id: $org, by_uid: 'x', key: 'k' + i, "
        "expires_at: $now})",
        now=world.clock.now(),
    )

    await world.services.jobs.run_once(DeleteOutdated(catalog.model_copy(update={"jobs": jobs})))

    assert "Request" not in await world.counts()


class Watched(JobRunner):
    """A process that runs its jobs; the results of its runs."""

    def __init__(self, world: World, job: CountDown) -> None:
        super().__init__(world.services.database, world.clock, [job])
        self.results: list[int | None] = []
        self._ran = asyncio.Event()

    async def run_once(self, *given: Any, **more: Any) -> int | None:
        done = await super().run_once(*given, **more)
        self.results.append(done)
        self._ran.set()
        return done

    async def first_run(self) -> int | None:
        """The result of the first run of a process that has just started."""
        running = asyncio.create_task(self.run_forever())
        await self._ran.wait()
        running.cancel()
        await asyncio.wait([running])
        (done,) = self.results
        return done


async def test_a_process_whose_clock_has_jumped_since_the_last_run_does_nothing(world: World) -> None:
    job = CountDown(world.org_id, 5)
    assert await Watched(world, job).first_run() == 5
    job.left = 4

    world.clock.advance(days=400)
    with capture_logs() as logs:
        # Nor does the next process, or one that starts again: who only asked for the lease did not work.
        for _ in range(3):
            assert await Watched(world, job).first_run() is None
            world.clock.advance(minutes=1)
    assert [entry["event"] for entry in logs] == ["clock_jumped"] * 3
    assert (job.left, await marks(world)) == (4, ["5"])

    # The clock is set right.
    world.clock.advance(days=-400)
    assert await Watched(world, job).first_run() == 4
    assert await marks(world) == ["5", "4"]


class Loses(CountDown):
    """A job with a library that loses a cancellation, and with a day between its runs."""

    began = asyncio.Event()

    @property
    def table(self) -> JobTable:
        return super().table.model_copy(update={"every_seconds": 86_400})

    async def batch(self, *_: Any) -> int:
        self.began.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return 0


async def test_a_process_that_is_told_to_stop_stops_also_if_a_library_loses_that(world: World) -> None:
    job = Loses(world.org_id, 1)
    running = asyncio.create_task(JobRunner(world.services.database, world.clock, [job]).run_forever())
    await job.began.wait()

    running.cancel()
    await asyncio.wait([running])

    assert running.cancelled()
