"""The runner of periodic jobs: a lease with fencing, bounded batches, an injected clock.

Any number of processes may run it. For each job, one process holds the lease and works; the others try again
later. Each batch first checks, in its own transaction and under the lease's lock, that the process still
holds the lease under the same fence: a process that was suspended past its lease writes nothing more.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import structlog

from prefrontal.graph.errors import PrefrontalError, cause_of
from prefrontal.graph.jobs.clock_watch import ClockWatch

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.tables import JobTable
    from prefrontal.graph.outbox.signal import Signal
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)


class Job(Protocol):
    """One periodic job."""

    @property
    def name(self) -> str:
        """The job's name, used by its lease, its metric and its log lines."""
        ...

    @property
    def table(self) -> JobTable:
        """The interval between runs, the length of the lease, and the batch size."""
        ...

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Do one batch inside the transaction and return how much was done.

        A number below the batch size means that nothing is left.
        """
        ...


@runtime_checkable
class CommitAwareJob(Protocol):
    """A job that acts once its batch is committed: it counts the batch, or moves its position."""

    def committed(self) -> None:
        """Called after the last batch was committed."""
        ...


@runtime_checkable
class PreparingJob(Protocol):
    """A job with slow work that needs no transaction, e.g. making texts."""

    async def prepare(self) -> None:
        """Called before each batch, outside of its transaction."""
        ...


@runtime_checkable
class WakeableJob(Protocol):
    """A job that a commit of this process wakes: others' work is found by a look at every interval."""

    @property
    def signal(self) -> Signal:
        """Set when there is work."""
        ...

    @property
    def gather_seconds(self) -> float:
        """How long to wait once it is set, so that a batch has more to do."""
        ...

    async def is_due(self, now: datetime) -> bool:
        """Return whether there is work; a look that takes no lease."""
        ...


@runtime_checkable
class ContinuingJob(Protocol):
    """A job that may have a further batch to do, although the last one was no full one."""

    @property
    def goes_on(self) -> bool:
        """Whether there is a further batch."""
        ...


_ANY_TIME = frozenset(
    {"link_included", "await_events", "embed_memories", "renew_terms", "relay_events", "publish_events"}
)


class LeaseLost(Exception):
    """Another process holds the lease; the batch was rolled back."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run a job; the fence number rises with every change of holder."""

    owner: str
    fence: int
    last: datetime | None = field(default=None, compare=False)
    """When a process last did a batch under the lease, by its clock; None if none ever did."""


class JobRunner:
    """Runs jobs when they are due."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        jobs: Sequence[Job],
        *,
        on_done: Callable[[str, int], None] | None = None,
        span: Callable[[str], AbstractContextManager[Callable[..., None]]] | None = None,
    ) -> None:
        """Store the jobs.

        `on_done` is called with job name and amount after each run, for a metric; `span` gives each run a
        span of a trace.
        """
        self._database = database
        self._clock = clock
        self._jobs = jobs
        self._on_done = on_done
        self._span = span
        self.owner = secrets.token_hex(8)

    @property
    def named(self) -> dict[str, Job]:
        """The jobs by their names."""
        return {job.name: job for job in self._jobs}

    async def acquire(self, job: Job) -> Lease | None:
        """Return the lease of a job, or None while another process holds it."""
        now = self._clock.now()

        async def work(tx: Tx) -> Lease | None:
            row = await tx.one(
                "storage/acquire_lease",
                name=f"job:{job.name}",
                owner=self.owner,
                now=now,
                seconds=job.table.lease_seconds,
            )
            return Lease(row["owner"], row["fence"], row["last"]) if row["owner"] == self.owner else None

        return await self._database.write(work)

    async def run_batch(self, job: Job, lease: Lease) -> int:
        """Run one batch under the lease and return how much was done.

        Raises:
            LeaseLost: If another process has taken over the lease; nothing was written.
        """
        if isinstance(job, PreparingJob):
            await job.prepare()
        now = self._clock.now()

        async def work(tx: Tx) -> int:
            row = await tx.one(
                "jobs/check_fence", name=f"job:{job.name}", owner=lease.owner, fence=lease.fence, now=now
            )
            if not row["held"]:
                raise LeaseLost(job.name)
            return await job.batch(tx, now)

        done = await self._database.write(work)
        if isinstance(job, CommitAwareJob):
            job.committed()
        return done

    async def run_once(
        self,
        job: Job,
        progress: Callable[[int], None] | None = None,
        *,
        watch: ClockWatch | None = None,
    ) -> int | None:
        """Run a job until nothing is left and return how much was done.

        Returns None if another process holds the lease, or `watch` does not believe the clock.
        """
        if self._span is None:
            return await self._run_once(job, progress, watch)
        with self._span(job.name) as ended:
            done = await self._run_once(job, progress, watch)
            ended(f"job {job.name}", "ok" if done is not None else "left", **{"prefrontal.done": done or 0})
            return done

    async def _run_once(
        self, job: Job, progress: Callable[[int], None] | None, watch: ClockWatch | None
    ) -> int | None:
        done = 0
        try:
            # Who is cancelled while it acquires may have acquired: it releases too.
            lease = await self.acquire(job)
            if lease is None:
                return None
            if watch is not None and not watch.believes(self._clock.now(), lease.last):
                log.warning("clock_jumped", job=job.name, last=str(lease.last))
                return None
            while True:
                step = await self.run_batch(job, lease)
                done += step
                if progress:
                    progress(done)
                if step < job.table.batch and not (isinstance(job, ContinuingJob) and job.goes_on):
                    break
                renewed = await self.acquire(job)
                if renewed != lease:
                    break
        except LeaseLost:
            log.warning("lease_lost", job=job.name)
        finally:
            await self._release(job)
        if self._on_done:
            self._on_done(job.name, done)
        return done

    async def _release(self, job: Job) -> None:
        async def work(tx: Tx) -> None:
            await tx.execute("storage/release_lease", name=f"job:{job.name}", owner=self.owner)

        async def release() -> None:
            with contextlib.suppress(PrefrontalError):
                # A lease that cannot be released expires on its own.
                await self._database.write(work)

        # A process that is told to stop gives its leases back first: else each job waits for its lease.
        releasing = asyncio.ensure_future(release())
        try:
            await asyncio.shield(releasing)
        except asyncio.CancelledError:
            await releasing
            raise

    async def run_forever(self) -> None:
        """Run every job when it is due, until cancelled; a failed run is logged and repeated later."""
        async with asyncio.TaskGroup() as group:
            for job in self._jobs:
                group.create_task(self._repeat(job))

    async def _repeat(self, job: Job) -> None:
        # A job that goes by no time of the data runs with any clock.
        watch = None if job.name in _ANY_TIME else ClockWatch()
        while not _is_cancelled():
            try:
                due = not isinstance(job, WakeableJob) or await job.is_due(self._clock.now())
                done = await self.run_once(job, watch=watch) if due else None
                if done and not isinstance(job, WakeableJob):
                    log.info("job_done", job=job.name, done=done)
            except PrefrontalError as error:
                log.warning("job_failed", job=job.name, code=error.code, cause=cause_of(error))
            except Exception:
                # A defect in one run must not stop the other jobs, nor later runs of this one.
                log.exception("job_failed", job=job.name)
            if not _is_cancelled():
                await self._wait(job)
        raise asyncio.CancelledError

    async def _wait(self, job: Job) -> None:
        """Wait until a job is to run again: for its time, or until it is woken."""
        if not isinstance(job, WakeableJob):
            await asyncio.sleep(job.table.every_seconds)
        elif await job.signal.wait(job.table.every_seconds):
            await asyncio.sleep(job.gather_seconds)


def _is_cancelled() -> bool:
    """Return whether this task was told to stop, also if a library has lost the cancellation."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
