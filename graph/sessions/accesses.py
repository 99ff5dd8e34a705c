"""Counts what sessions deliver: a delivery of an item is an access of it (decision G-086).

    note     after an answer: remembers one access of each item that it has; writes nothing
    flush    a moment later: adds what was remembered, `count + n` and the latest time, one statement for
             many

So a query stays a read, and no answer waits for a count. What a process remembers is bounded: beyond `most`
of `capacity.yaml` the accesses of further items are dropped, which a metric and the log say. An item that
left meanwhile is left alone, also if it came back: an access counts for the slot that was shown.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import structlog

from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.sessions import store
from prefrontal.graph.sessions.record import Accesses

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.session_tables import AccessesTable
    from prefrontal.graph.storage.unit_of_work import Database

log = structlog.get_logger(__name__)


class Shown(NamedTuple):
    """A slot of a session whose item was delivered."""

    session: str
    item_id: str
    since: datetime


class AccessCounts:
    """The accesses that this process has yet to write."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        table: AccessesTable,
        *,
        on_counted: Callable[[str, int], None] | None = None,
    ) -> None:
        """Store the database, the clock and the bounds.

        `on_counted` is called with `written` or `dropped` and a number of accesses, for a metric.
        """
        self._database = database
        self._clock = clock
        self._table = table
        self._on_counted = on_counted or (lambda _outcome, _number: None)
        self._noted: dict[Shown, tuple[int, datetime]] = {}
        self._dropped = 0
        self._flushing = asyncio.Lock()

    def note(self, shown: Iterable[Shown], at: datetime) -> None:
        """Remember one access of each delivered item."""
        for each in shown:
            self._add(each, 1, at)

    async def flush(self) -> int:
        """Write what was remembered; return the number of items.

        What cannot be written is remembered on.

        Raises:
            PrefrontalError: If the database does not take it.
        """
        async with self._flushing:
            if self._dropped:
                log.warning("accesses_dropped", number=self._dropped)
                self._dropped = 0
            written = 0
            while self._noted:
                batch = [*self._noted.items()][: self._table.batch]
                for shown, _ in batch:
                    del self._noted[shown]
                try:
                    written += await self._write(batch)
                except PrefrontalError:
                    for shown, (number, at) in batch:
                        self._add(shown, number, at)
                    raise
            return written

    async def run_forever(self) -> None:
        """Write what was remembered again and again, until cancelled; a failure is logged."""
        while True:
            await asyncio.sleep(self._table.every_seconds)
            try:
                # Who is cancelled meanwhile lets the statement end: nothing is written twice.
                await asyncio.shield(self.flush())
            except PrefrontalError as error:
                log.warning("accesses_not_counted", code=error.code)
            except Exception:
                # A defect must not end the loop.
                log.exception("accesses_not_counted")

    async def _write(self, batch: list[tuple[Shown, tuple[int, datetime]]]) -> int:
        sessions: dict[str, list[Accesses]] = defaultdict(list)
        for shown, (number, at) in batch:
            sessions[shown.session].append(
                Accesses(
                    # The zone as stored: for the database, one instant in two zones is not the same time.
                    item_id=shown.item_id,
                    since=shown.since.astimezone(UTC),
                    number=number,
                    at=at,
                )
            )
        now = self._clock.now()
        found = await self._database.write(lambda tx: store.count_accesses(tx, sessions, now))
        self._on_counted("written", sum(number for _, (number, _) in batch))
        return found

    def _add(self, shown: Shown, number: int, at: datetime) -> None:
        noted = self._noted.get(shown)
        if noted is None and len(self._noted) >= self._table.most:
            self._dropped += number
            self._on_counted("dropped", number)
            return
        before, latest = noted or (0, at)
        self._noted[shown] = (before + number, max(latest, at))
