"""The use case of events: a caller reads those in its spaces, in their order, from any place on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.outbox import store
from prefrontal.graph.outbox.record import EventPage
from prefrontal.graph.outbox.visible import ids_in, visible
from prefrontal.graph.storage.paging import checked_first

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.history.service import HistoryService
    from prefrontal.graph.journal.record import EventType
    from prefrontal.graph.outbox.consumers import ConsumerService
    from prefrontal.graph.storage.unit_of_work import Database, Tx

MOST_PLACES = 2**53 - 1
"""The largest number that every JSON reader takes exactly."""


class EventService:
    """Reads events for callers."""

    def __init__(self, database: Database, history: HistoryService, consumers: ConsumerService) -> None:
        self._database = database
        self._consumers = consumers
        self._history = history

    async def page(
        self,
        caller: Caller,
        *,
        after: int = 0,
        types: Sequence[EventType] | None = None,
        first: int | None = None,
    ) -> EventPage:
        """Return the next events of the caller after a place, in their order.

        Args:
            caller: Who reads.
            after: The `seq` of the last event that the caller has; 0 for the beginning.
            types: Only events of these types.
            first: The page size.

        Raises:
            InvalidInput: If the page size or the place is not valid.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        if not 0 <= after <= MOST_PLACES:
            raise InvalidInput("the `seq` of an event, or 0 for all events", field="after")

        async def work(tx: Tx) -> EventPage:
            found, head = await store.list_events(tx, caller, types, after=after, limit=limit)
            named = {uid for event in found for uid in ids_in(event.data)}
            readable = await self._history.readable_in(tx, caller, named) if named else frozenset()
            full = len(found) == limit
            return EventPage(
                items=tuple(
                    event.model_copy(update={"data": visible(event.data, event.subject, readable)})
                    for event in found
                ),
                upto=found[-1].seq if full else max(after, head),
                full=full,
            )

        return await self._database.read(work)

    async def start_seq(self, caller: Caller, after: int | None, consumer: str | None) -> int:
        """Return the place to begin behind.

        Args:
            caller: Who reads.
            after: The place that the caller names.
            consumer: The consumer of the caller whose place counts if it is the later one.

        Returns:
            The later of the two; without either, the last place that readers go by now.
        """
        if consumer is None:
            return await self.now(caller) if after is None else after
        return max(after or 0, await self._consumers.acknowledged_seq(caller, consumer))

    async def now(self, caller: Caller) -> int:
        """Return the last place that readers of the caller's organisation go by."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> int:
            return (await store.list_stream_positions(tx, [caller.org_id])).get(caller.org_id, 0)

        return await self._database.read(work)
