"""The job that stamps events: one process at a time gives them their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import JobTable
    from prefrontal.graph.outbox.record import Backlog
    from prefrontal.graph.outbox.relay import Relay
    from prefrontal.graph.outbox.signal import Signal
    from prefrontal.graph.storage.unit_of_work import Tx


class RelayEvents:
    """Stamps events in bounded batches, as soon as a commit of this process says that there are some."""

    name = "relay_events"

    def __init__(
        self,
        catalog: Catalog,
        relay: Relay,
        *,
        on_stamped: Callable[[int, Mapping[str, int]], None] | None = None,
        on_backlog: Callable[[Backlog, datetime], None] | None = None,
    ) -> None:
        """Store the tables and the relay.

        `on_stamped` is called after each committed batch with the number of its events and the last place of
        each of their organisations, `on_backlog` with what is left, before each run.
        """
        self._catalog = catalog
        self._relay = relay
        self._on_stamped = on_stamped
        self._on_backlog = on_backlog
        self._stamped: tuple[int, dict[str, int]] = (0, {})

    @property
    def table(self) -> JobTable:
        """The interval, lease and batch size of the job."""
        return self._catalog.jobs.relay_events

    @property
    def woken(self) -> Signal:
        """The signal of commits."""
        return self._relay.woken

    @property
    def gather_seconds(self) -> float:
        """How long to wait after a commit."""
        return self._catalog.outbox.gather_seconds

    async def is_due(self, now: datetime) -> bool:
        """Return whether an event waits: a look costs less than the lease."""
        backlog = await self._relay.backlog()
        if self._on_backlog is not None:
            self._on_backlog(backlog, now)
        return backlog.waiting > 0

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Stamp up to a batch of events, and earlier versions of their aggregates; return how many."""
        self._stamped = await self._relay.stamp_in(tx, now, self.table.batch)
        return self._stamped[0]

    def committed(self) -> None:
        """Say what was stamped, now that it is committed."""
        if self._stamped[0] and self._on_stamped is not None:
            self._on_stamped(*self._stamped)
