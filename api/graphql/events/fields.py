"""Events in GraphQL: a query from any place on, and a subscription."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import strawberry

from prefrontal.api.graphql.events.types import EventNode
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scalars import Seq
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.storage.paging import DEFAULT_FIRST, MOST_FIRST

Types = Annotated[
    list[EventType] | None, strawberry.argument(description="Only these kinds of change; all by default.")
]


_ALL = Seq(0)


@strawberry.type
class EventQuery:
    """Queries of events."""

    @strawberry.field(
        description="The events in the spaces that you may read, behind a place, in their order. Pass the "
        "`seq` of the last one as `after` to go on: each event comes once. Fewer than `first` mean that "
        "there are no more now."
    )
    async def events(
        self,
        info: Context,
        after: Annotated[
            Seq, strawberry.argument(description="The `seq` of the last event that you have; 0 for all.")
        ] = _ALL,
        types: Types = None,
        first: Annotated[
            int | None,
            strawberry.argument(description=f"The most events, 1 to {MOST_FIRST}; default {DEFAULT_FIRST}."),
        ] = None,
    ) -> list[EventNode]:
        """Return the events."""
        page = await info.context.services.outbox.events.page(
            await info.context.caller(), after=after, types=types, first=first
        )
        return [EventNode.from_record(event) for event in page.items]


@strawberry.type
class EventSubscription:
    """Subscriptions to events."""

    @strawberry.subscription(
        description="The events in the spaces that you may read, as they are committed, each once and in "
        "their order. With `after`, first those behind that place. It ends when your token does, or your "
        "right to read; subscribe again with the last `seq`."
    )
    async def events(
        self,
        info: Context,
        after: Annotated[
            Seq | None,
            strawberry.argument(
                description="The `seq` of the last event that you have; default: from now on."
            ),
        ] = None,
        types: Types = None,
    ) -> AsyncGenerator[EventNode, None]:
        """Yield the events."""
        streams = info.context.services.outbox.streams
        async with aclosing(streams.follow(info.context.renew, after=after, types=types)) as found:
            async for event in found:
                if event is not None:
                    yield EventNode.from_record(event)
