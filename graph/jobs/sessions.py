"""The jobs of sessions: idle ones end (decision G-079), changed ones are compared, digests expire (G-075)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.journal.store import append_rows

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import JobTable
    from prefrontal.graph.sessions.correlation_service import SessionCorrelations
    from prefrontal.graph.sessions.service import SessionService
    from prefrontal.graph.storage.unit_of_work import Tx


class EndIdleSessions:
    """Ends idle sessions; texts that live in them alone are destroyed."""

    name = "end_idle_sessions"

    def __init__(self, catalog: Catalog, sessions: SessionService) -> None:
        """Store the tables and the use case."""
        self._catalog = catalog
        self._sessions = sessions

    @property
    def table(self) -> JobTable:
        """The interval, lease and batch size of the job."""
        return self._catalog.jobs.end_idle_sessions

    async def batch(self, tx: Tx, now: datetime) -> int:
        """End a batch of sessions and return how many."""
        ended = await self._sessions.end_idle_in(tx, now, self.table.batch)
        for org_id, change in ended:
            await append_rows(tx, org_id=org_id, actor_id=org_id, home=org_id, change=change, now=now)
        return len(ended)


class CorrelateSessions:
    """Compares sessions that changed with those that they may be related to."""

    name = "correlate_sessions"

    def __init__(self, catalog: Catalog, correlations: SessionCorrelations) -> None:
        """Store the tables and the use case."""
        self._catalog = catalog
        self._correlations = correlations

    @property
    def table(self) -> JobTable:
        """The interval, lease and batch size of the job."""
        return self._catalog.jobs.correlate_sessions

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Compare a batch of sessions and return how many."""
        return await self._correlations.compare_due_in(tx, now, self.table.batch)


class ExpireDigests:
    """Deletes what ended sessions were about once the look-back is over; what memories have stays."""

    name = "expire_digests"

    def __init__(self, catalog: Catalog, correlations: SessionCorrelations) -> None:
        """Store the tables and the use case."""
        self._catalog = catalog
        self._correlations = correlations

    @property
    def table(self) -> JobTable:
        """The interval, lease and batch size of the job."""
        return self._catalog.jobs.expire_digests

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Look at a batch of sessions and return how many."""
        return await self._correlations.expire_in(tx, now, self.table.batch)
