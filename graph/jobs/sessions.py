"""The job that ends sessions of working memory that were idle for too long (decision G-079)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.journal.store import append_rows

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import JobTable
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
