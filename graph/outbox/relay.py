"""The relay: gives each committed event its place in the order of its organisation's events.

    writers    create `OutboxEvent:Unsequenced` in their transactions, and lock nothing in common
    relay      takes the oldest of them, batch by batch, and stamps `seq`: 1, 2, 3 … without a gap for each
               organisation
    readers    read up to `told`, the last place of the batches that are committed. A batch is told of by the
               transaction after it: while its own commit is applied, a reader might find event 6 before 5,
               go on behind 6, and never read 5

One process stamps at a time: the relay is a job, whose lease and fence the transaction of each batch checks.
A process that is killed leaves a batch stamped as a whole, or not at all.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.outbox import store
from prefrontal.graph.outbox.rules import in_order

if TYPE_CHECKING:
    from prefrontal.graph.config.outbox_tables import OutboxTable
    from prefrontal.graph.outbox.record import Backlog
    from prefrontal.graph.outbox.signal import Signal
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class Relay:
    """Stamps events."""

    def __init__(self, database: Database, table: OutboxTable, *, signal: Signal) -> None:
        self._database = database
        self._table = table
        self.signal = signal

    async def stamp_in(self, tx: Tx, now: datetime, batch: int) -> tuple[int, dict[str, int]]:
        """Tell readers of the batch before, and stamp up to a batch of events.

        A batch also has the events of its aggregates with earlier versions.

        Returns:
            How many were stamped, and the last place that readers go by, of each organisation that they are
            told of.
        """
        positions = await store.advance_stream_positions(tx, now)
        found = await store.find_waiting(tx, batch)
        if found:
            await store.stamp(tx, in_order(found), now)
        return len(found), positions

    async def backlog(self) -> Backlog:
        """Return what is not stamped yet."""

        async def work(tx: Tx) -> Backlog:
            return await store.measure_backlog(tx, self._table.most_counted)

        return await self._database.read(work)
