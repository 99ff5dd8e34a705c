"""Use cases of the session monitor: what sessions hold and how they use it, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.sessions import monitoring_store as store
from prefrontal.graph.sessions.access_record import ALL_SESSIONS, AccessOperation
from prefrontal.graph.storage.paging import checked_first
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.sessions.monitoring_record import ActiveSessions, PatternsFilter, SessionPatterns
    from prefrontal.graph.storage.unit_of_work import Database, Tx

MOST = 500
"""So many sessions are looked at, the newest: one answer reads all their slots."""


class SessionMonitor:
    """Measures sessions."""

    def __init__(self, database: Database, catalog: Catalog, access_log: AccessLog) -> None:
        self._database = database
        self._limits = catalog.limits
        self._access_log = access_log

    async def measure_in(self, tx: Tx) -> list[ActiveSessions]:
        """Return what the active sessions of all organisations hold, by their types."""
        return await store.measure(tx)

    async def patterns(
        self, caller: Caller, wanted: PatternsFilter, first: int | None = None
    ) -> SessionPatterns:
        """Return how the caller's sessions used what they held, with up to `first` memories and names.

        Raises:
            InvalidInput: If the filter or the number is not valid.
        """
        # Of all sessions at once it is one access of none of them: its entry lies in the space.
        named = wanted.session_id or ALL_SESSIONS
        with self._access_log.access(caller, AccessOperation.GET_PATTERNS, named) as access:
            require(caller, Permission.READ)
            limit = checked_first(first)
            raise_all(limit_problems(wanted, self._limits, "filter"))
            found = await self._database.read(
                lambda tx: store.read_patterns(tx, caller, wanted, most=MOST, first=limit)
            )
            if wanted.session_id is not None and not found.sessions:
                access.finds_nothing()
            access.note_items(each.memory_uid for each in found.memories)
        return found
