"""Use cases of the session monitor: what sessions hold, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.sessions import monitoring_store as store

if TYPE_CHECKING:
    from prefrontal.graph.sessions.monitoring_record import ActiveSessions
    from prefrontal.graph.storage.unit_of_work import Tx


class SessionMonitor:
    """Measures sessions."""

    async def measure_in(self, tx: Tx) -> list[ActiveSessions]:
        """Return what the active sessions of all organisations hold, by their types."""
        return await store.measure(tx)
