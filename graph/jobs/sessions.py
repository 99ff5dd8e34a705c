"""The jobs of sessions: idle ones end (G-079), changed ones are compared, digests expire (G-075).

Another one measures what active sessions hold, for the metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.jobs.table_job import TableJob
from prefrontal.graph.journal.store import append_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.record import Change
    from prefrontal.graph.sessions.correlation_service import SessionCorrelations
    from prefrontal.graph.sessions.monitoring import SessionMonitor
    from prefrontal.graph.sessions.monitoring_record import ActiveSessions
    from prefrontal.graph.sessions.service import SessionService
    from prefrontal.graph.storage.unit_of_work import Tx


class EndIdleSessions(TableJob):
    """Ends idle sessions; texts that live in them alone are destroyed."""

    name = "end_idle_sessions"

    def __init__(
        self, catalog: Catalog, sessions: SessionService, *, on_change: Callable[[Change], None] | None = None
    ) -> None:
        """Store the tables and the use case; `on_change` is called with each committed change."""
        super().__init__(catalog)
        self._sessions = sessions
        self._on_change = on_change or (lambda _change: None)
        self._done: list[Change] = []

    async def batch(self, tx: Tx, now: datetime) -> int:
        """End a batch of sessions and return how many."""
        # A retry of the transaction starts with an empty result.
        self._done = []
        ended = await self._sessions.end_idle_in(tx, now, self.table.batch)
        for org_id, change in ended:
            await append_rows(tx, org_id=org_id, actor_id=org_id, home=org_id, change=change, now=now)
            self._done.append(change)
        return len(ended)

    def committed(self) -> None:
        """Report the changes of the last batch, now that they are committed."""
        for change in self._done:
            self._on_change(change)


class CorrelateSessions(TableJob):
    """Compares sessions that changed with those that they may be related to."""

    name = "correlate_sessions"

    def __init__(self, catalog: Catalog, correlations: SessionCorrelations) -> None:
        super().__init__(catalog)
        self._correlations = correlations

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Compare a batch of sessions and return how many."""
        return await self._correlations.compare_due_in(tx, now, self.table.batch)


class ExpireDigests(TableJob):
    """Deletes what ended sessions were about once the look-back is over; what memories have stays."""

    name = "expire_digests"

    def __init__(self, catalog: Catalog, correlations: SessionCorrelations) -> None:
        super().__init__(catalog)
        self._correlations = correlations

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Look at a batch of sessions and return how many."""
        return await self._correlations.expire_in(tx, now, self.table.batch)


class MeasureSessions(TableJob):
    """Reads what active sessions hold, for the gauges of the process that runs it.

    The lease is held for a moment only, so each process that runs jobs measures once in each interval.
    """

    name = "measure_sessions"

    def __init__(
        self,
        catalog: Catalog,
        monitor: SessionMonitor,
        *,
        on_measured: Callable[[Iterable[ActiveSessions]], None],
    ) -> None:
        """Store the tables and the use case; `on_measured` is called with what was read."""
        super().__init__(catalog)
        self._monitor = monitor
        self._on_measured = on_measured
        self._found: Iterable[ActiveSessions] = ()

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Measure; nothing is left to do then."""
        del now
        self._found = await self._monitor.measure_in(tx)
        return 0

    def committed(self) -> None:
        """Show what was read."""
        self._on_measured(self._found)
