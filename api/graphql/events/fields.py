"""Events in GraphQL: a query from any place on, and a subscription."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import strawberry

from prefrontal.api.graphql.events.types import (
    AcknowledgeEventsPayload,
    EventConsumerType,
    EventNode,
    ResetEventConsumerPayload,
)
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.permissions import DECIDES
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scalars import Seq
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.outbox.record import AcknowledgeEvents, ResetEventConsumer
from prefrontal.graph.storage.paging import DEFAULT_FIRST, MOST_FIRST

Types = Annotated[
    list[EventType] | None, strawberry.argument(description="Only these kinds of change; all by default.")
]

ConsumerArgument = Annotated[
    str | None,
    strawberry.argument(
        description="The name of a consumer of yours: begin behind the last event that it has acknowledged, "
        "or behind `after` if that is later."
    ),
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
        consumer: ConsumerArgument = None,
    ) -> list[EventNode]:
        events, caller = info.context.services.outbox.events, await info.context.caller()
        place = await events.start_seq(caller, after, consumer)
        page = await events.page(caller, after=place, types=types, first=first)
        return [EventNode.from_record(event) for event in page.items]

    @strawberry.field(
        description="The `seq` of the last event of your organisation that readers may have now; 0 if there "
        "is none. Ask for it, read the records that you need, and then subscribe `after` it: no change in "
        "between is missed."
    )
    async def last_event(self, info: Context) -> Seq:
        return Seq(await info.context.services.outbox.events.now(await info.context.caller()))

    @strawberry.field(
        description="Your named consumers that have acknowledged events, by name, each with what is left."
    )
    async def event_consumers(self, info: Context) -> list[EventConsumerType]:
        found = await info.context.services.outbox.consumers.list(await info.context.caller())
        return [EventConsumerType.from_record(each) for each in found]


@strawberry.type
class EventMutation:
    """Mutations of consumers of events."""

    @mutation(
        "Says that a consumer of yours has dealt with an event and all before it, so that they do not come "
        "again. It never goes back. A new name begins a consumer.",
        "The consumer, or the problem.",
        requires=DECIDES,
    )
    async def acknowledge_events(self, info: Context, command: AcknowledgeEvents) -> AcknowledgeEventsPayload:
        done = await info.context.services.outbox.consumers.acknowledge(await info.context.caller(), command)
        return AcknowledgeEventsPayload(consumer=EventConsumerType.from_record(done))

    @mutation(
        "Moves a consumer of yours to another place: an earlier one brings events again, a later one leaves "
        "some out, and 0 forgets the consumer.",
        "The consumer, or the problem.",
        requires=DECIDES,
    )
    async def reset_event_consumer(
        self, info: Context, command: ResetEventConsumer
    ) -> ResetEventConsumerPayload:
        """Move the consumer."""
        done = await info.context.services.outbox.consumers.reset(await info.context.caller(), command)
        return ResetEventConsumerPayload(consumer=EventConsumerType.from_record(done))


@strawberry.type
class EventSubscription:
    """Subscriptions to events."""

    @strawberry.subscription(
        description="The events in the spaces that you may read, as they are committed, each once and in "
        "their order. With `after` or `consumer`, first those behind that place. It ends when your token "
        "does, or your right to read; subscribe again with the last `seq`."
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
        consumer: ConsumerArgument = None,
    ) -> AsyncGenerator[EventNode, None]:
        streams = info.context.services.outbox.streams
        following = streams.follow(info.context.renew, after=after, types=types, consumer=consumer)
        async with aclosing(following) as found:
            async for event in found:
                if event is not None:
                    yield EventNode.from_record(event)
