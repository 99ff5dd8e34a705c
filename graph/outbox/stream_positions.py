"""How far readers of each organisation may go, as this process knows it: wakes streams when there is more.

relay of this process    says so as soon as its transaction has ended
another process          is found by a look at the organisations that somebody here listens to
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.outbox import store
from prefrontal.graph.outbox.signal import Signal

if TYPE_CHECKING:
    from prefrontal.graph.config.outbox_tables import OutboxTable
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)


class StreamPositions:
    """Rings those who listen to an organisation when its readers may go further."""

    def __init__(self, database: Database, table: OutboxTable) -> None:
        self._database = database
        self._table = table
        self._bells: defaultdict[str, set[Signal]] = defaultdict(set)
        self._known: dict[str, int] = {}

    @contextlib.contextmanager
    def listening(self, org_id: str) -> Iterator[Signal]:
        """Return a signal that is set whenever readers of an organisation may go further."""
        bell = Signal()
        self._bells[org_id].add(bell)
        try:
            yield bell
        finally:
            self._bells[org_id].discard(bell)
            if not self._bells[org_id]:
                del self._bells[org_id]
                self._known.pop(org_id, None)

    def advance(self, heads: Mapping[str, int]) -> None:
        """Ring those who listen to the organisations whose readers may go further than before."""
        for org_id, head in heads.items():
            if org_id in self._bells and head > self._known.get(org_id, 0):
                self._known[org_id] = head
                for bell in self._bells[org_id]:
                    bell.set()

    def ring(self) -> None:
        """Ring everybody: streams end."""
        for bells in self._bells.values():
            for bell in bells:
                bell.set()

    async def look(self) -> None:
        """Look how far the readers of the organisations may go that somebody here listens to.

        Raises:
            PrefrontalError: If the database does not answer.
        """
        wanted = tuple(self._bells)
        if not wanted:
            return

        async def work(tx: Tx) -> dict[str, int]:
            return await store.list_stream_positions(tx, wanted)

        self.advance(await self._database.read(work))

    async def run_forever(self) -> None:
        """Look again and again, until cancelled; a failure is logged."""
        while True:
            await asyncio.sleep(self._table.look_seconds)
            try:
                await self.look()
            except PrefrontalError as error:
                log.warning("heads_not_read", code=error.code)
            except Exception:
                # A defect must not end the loop.
                log.exception("heads_not_read")
