"""The use case of following events: a stream that reads from the graph by its place, whenever there is more.

    pulled      the next events are read when the receiver has taken those before: nothing piles up, and a
                slow receiver delays nobody
    by place    each event once, in order; who comes back with the last `seq` goes on behind it
    who asks    is looked up again before each read, and after each pause: rights that end count at once
    how many    a caller has a bounded number of streams

No stream keeps events: the graph does.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.errors import RateLimited, Unavailable
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.outbox_tables import OutboxTable
    from prefrontal.graph.journal.record import EventType
    from prefrontal.graph.outbox.record import PublishedEvent
    from prefrontal.graph.outbox.service import EventService
    from prefrontal.graph.outbox.stream_positions import StreamPositions

Who = Callable[[], "Awaitable[Caller]"]
"""Returns the caller as it is now; raises if its token or its rights have ended."""


class EventStreams:
    """Follows events for callers of this process."""

    def __init__(
        self, events: EventService, positions: StreamPositions, table: OutboxTable, *, most: int
    ) -> None:
        """Store the parts.

        Args:
            events: Reads events.
            positions: Says when there are more.
            table: The size of a page, and how long a stream is silent.
            most: How many streams an actor has at once; 0 is no limit.
        """
        self._events = events
        self._positions = positions
        self._table = table
        self._most = most
        self._open: Counter[tuple[str, str]] = Counter()
        self._closing = False

    @property
    def number(self) -> int:
        """How many streams are open."""
        return self._open.total()

    def close(self) -> None:
        """End all streams: the process stops."""
        self._closing = True
        self._positions.ring()

    async def follow(
        self,
        who: Who,
        *,
        after: int | None = None,
        types: Sequence[EventType] | None = None,
        consumer: str | None = None,
    ) -> AsyncGenerator[PublishedEvent | None, None]:
        """Yield the caller's events behind a place, and None after each while in which there was none.

        The first item is None: then the stream has begun, and no event is missed from there on.

        Args:
            who: Who follows, asked again and again.
            after: The place; None for what happens from now on.
            types: Only events of these types.
            consumer: The name of a consumer of the caller, whose place counts if it is the later one.

        Raises:
            InvalidInput: If the name of the consumer is empty or too long.
            RateLimited: If the actor has too many streams.
            Unauthenticated: If the token or the actor has ended.
            Forbidden: If the caller may not read.
            Unavailable: If the process stops, or the database does not answer.
        """
        caller = await who()
        with self._admitted(caller), self._positions.listening(caller.org_id) as bell:
            place = await self._events.start_seq(caller, after, consumer)
            page = await self._events.page(caller, after=place, types=types, first=self._table.page)
            yield None
            while True:
                for event in page.items:
                    yield event
                if not page.full and not await bell.wait(self._table.silent_seconds):
                    yield None
                if self._closing:
                    raise Unavailable("the service stops; connect again and go on behind the last event")
                caller = await who()
                page = await self._events.page(caller, after=page.upto, types=types, first=self._table.page)

    @contextlib.contextmanager
    def _admitted(self, caller: Caller) -> Iterator[None]:
        key = (caller.org_id, caller.actor_id)
        if self._closing:
            raise Unavailable("the service stops; connect again in a moment")
        if self._most and self._open[key] >= self._most:
            raise RateLimited(
                f"this caller follows events in {counted(self._most, 'stream')}, which is the limit; "
                "end one of them first",
                retry_after=1,
            )
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]
