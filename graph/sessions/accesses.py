"""Counts what sessions deliver: a delivery of an item is an access of it (decision G-086).

Each delivery is noted after the answer, and written with others a moment later: `count + n` and the latest
time, one statement for many (`graph/journal/batcher.py`). An item that left meanwhile is left alone, also if
it came back: an access counts for the slot that was shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.journal.batcher import Batcher
from prefrontal.graph.sessions import store
from prefrontal.graph.sessions.record import Accesses

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.session_tables import BatcherTable
    from prefrontal.graph.storage.unit_of_work import Database


class Delivery(NamedTuple):
    """A slot of a session whose item was delivered."""

    session: str
    item_id: str
    since: datetime


class Times(NamedTuple):
    """How often an item was delivered, and when it was last."""

    number: int
    at: datetime


class AccessCounts:
    """Counts the accesses of items."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        table: BatcherTable,
        *,
        on_counted: Callable[[str, int], None] | None = None,
    ) -> None:
        """Store the database, the clock and the bounds.

        `on_counted` is called with `written` or `dropped` and a number of accesses, for a metric.
        """
        self._database = database
        self._clock = clock
        self.batcher: Batcher[Delivery, Times] = Batcher(
            "accesses",
            table,
            self._write,
            added=lambda first, second: Times(first.number + second.number, max(first.at, second.at)),
            weight=lambda times: times.number,
            on_counted=on_counted,
        )

    def note(self, shown: Iterable[Delivery], at: datetime) -> None:
        """Remember one access of each delivered item."""
        for each in shown:
            self.batcher.note(each, Times(1, at))

    async def _write(self, batch: list[tuple[Delivery, Times]]) -> int:
        sessions: dict[str, list[Accesses]] = defaultdict(list)
        for shown, times in batch:
            sessions[shown.session].append(
                Accesses(
                    # The zone as stored: for the database, one instant in two zones is not the same time.
                    item_id=shown.item_id,
                    since=shown.since.astimezone(UTC),
                    number=times.number,
                    at=times.at,
                )
            )
        now = self._clock.now()
        return await self._database.write(lambda tx: store.count_accesses(tx, sessions, now))
