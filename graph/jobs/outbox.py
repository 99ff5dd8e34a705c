"""The jobs that stamp events and publish them: one process at a time does each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.jobs.table_job import TableJob

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.outbox.publisher import Publisher, Round
    from prefrontal.graph.outbox.record import Backlog, UnpublishedBacklog
    from prefrontal.graph.outbox.relay import Relay
    from prefrontal.graph.outbox.signal import Signal
    from prefrontal.graph.storage.unit_of_work import Tx


class RelayEvents(TableJob):
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
        super().__init__(catalog)
        self._relay = relay
        self._on_stamped = on_stamped
        self._on_told = on_told
        self._on_backlog = on_backlog
        self._stamped: tuple[int, dict[str, int]] = (0, {})

    @property
    def signal(self) -> Signal:
        """The signal of commits."""
        return self._relay.signal

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


class PublishEvents(TableJob):
    """Publishes events to a broker, as soon as the relay of this process has told of some."""

    name = "publish_events"

    def __init__(
        self,
        catalog: Catalog,
        publisher: Publisher,
        *,
        on_round: Callable[[Round], None] | None = None,
        on_unpublished: Callable[[UnpublishedBacklog, datetime], None] | None = None,
    ) -> None:
        """Store the tables and the publisher.

        `on_round` is called after each committed round, and `on_unpublished` with what the broker lacks,
        before each run.
        """
        super().__init__(catalog)
        self._publisher = publisher
        self._on_round = on_round
        self._on_unpublished = on_unpublished
        self._round: Round | None = None

    @property
    def signal(self) -> Signal:
        """The signal of the relay."""
        return self._publisher.signal

    @property
    def gather_seconds(self) -> float:
        """The relay has gathered already."""
        return 0

    async def is_due(self, now: datetime) -> bool:
        """Return whether the broker lacks an event, and was not away a moment ago."""
        found = await self._publisher.backlog()
        if self._on_unpublished is not None:
            self._on_unpublished(found, now)
        return found.waiting > 0 and not self._publisher.is_resting(now)

    async def prepare(self) -> None:
        """Send the next events: that needs no transaction, and may take as long as the broker takes."""
        self._round = await self._publisher.send_round()

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Store how far the broker has the events; return how many were sent."""
        if self._round is None:
            return 0
        await self._publisher.store_in(tx, self._round, now)
        return self._round.sent

    def committed(self) -> None:
        """Go on behind the round, now that it is committed."""
        if self._round is not None:
            self._publisher.round_committed(self._round)
            if self._on_round is not None:
                self._on_round(self._round)

    @property
    def goes_on(self) -> bool:
        """Whether the broker may lack more, and takes it now."""
        return self._round is not None and self._round.more
