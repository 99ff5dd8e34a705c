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
        on_stamped: Callable[[int], None] | None = None,
        on_told: Callable[[Mapping[str, int]], None] | None = None,
        on_backlog: Callable[[Backlog, datetime], None] | None = None,
    ) -> None:
        """Store the tables and the relay.

        `on_stamped` is called after each committed batch with the number of its events, `on_told` with the
        last place that readers may go by, of each organisation, and `on_backlog` with what waits, before
        each run.
        """
        self._catalog = catalog
        self._relay = relay
        self._on_stamped = on_stamped
        self._on_told = on_told
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
        return backlog.is_due

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Tell readers of the batch before, and stamp up to a batch of events; return how many."""
        self._stamped = await self._relay.stamp_in(tx, now, self.table.batch)
        return self._stamped[0]

    def committed(self) -> None:
        """Say what was stamped, and how far readers may go, now that it is committed."""
        stamped, told = self._stamped
        if stamped and self._on_stamped is not None:
            self._on_stamped(stamped)
        if told and self._on_told is not None:
            self._on_told(told)

    @property
    def goes_on(self) -> bool:
        """Whether readers have to be told of the last batch: a transaction after it does that."""
        return self._stamped[0] > 0
