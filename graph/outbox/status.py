"""What an operator sees of the outbox: what waits, who works, who reads, and what no broker takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from prefrontal.graph.outbox import store
from prefrontal.graph.outbox.publisher import CONSUMER
from prefrontal.graph.outbox.record import DeadLetter, KnownConsumer, OutboxStatus

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.outbox_tables import OutboxTable
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_JOBS = ("relay_events", "publish_events")
_PAGE = 500


class OutboxOverview:
    """Looks at the outbox of all organisations."""

    def __init__(self, database: Database, clock: Clock, table: OutboxTable) -> None:
        self._database = database
        self._clock = clock
        self._most = table.most_counted

    async def status(self) -> OutboxStatus:
        """Return what waits, who holds the leases, and all consumers by organisation, actor and name."""
        now = self._clock.now()
        consumers: list[KnownConsumer] = []
        after = ""

        async def look(tx: Tx) -> OutboxStatus:
            return OutboxStatus(
                backlog=await store.measure_backlog(tx, self._most),
                unpublished=await store.measure_unpublished(tx, CONSUMER, self._most),
                leases=tuple(await store.list_leases(tx, _JOBS, now)),
                consumers=(),
            )

        async def more(tx: Tx) -> tuple[list[KnownConsumer], str]:
            return await store.list_all_consumers(tx, after=after, limit=_PAGE)

        found = await self._database.read(look)
        while True:
            page, after = await self._database.read(more)
            consumers += page
            if len(page) < _PAGE:
                break
        consumers.sort(key=lambda each: (each.org_key, each.actor or "", each.key))
        return found.model_copy(update={"consumers": tuple(consumers)})

    async def dead_letters(self) -> AsyncIterator[DeadLetter]:
        """Yield all dead letters, oldest first."""
        after = ""

        async def more(tx: Tx) -> list[DeadLetter]:
            return await store.list_dead_letters(tx, after=after, uid=None, limit=_PAGE)

        while letters := await self._database.read(more):
            for letter in letters:
                yield letter
            after = letters[-1].event.uid
