"""Events as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.scalars import Seq
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.outbox.record import Consumer, PublishedEvent

strawberry.enum(
    EventType,
    name="Operation",
    description="A kind of change: the kind of record and the operation. Events have the same names in lower "
    "case, e.g. `goal.created`.",
)


@graphql_type_of(
    PublishedEvent,
    "A change that was committed, with the attributes of a CloudEvent. It has ids and codes, never content.",
    name="Event",
    rename={"time": "at", "by": "by_uid"},
)
class EventNode(RecordType):
    """An event."""

    id: strawberry.ID = strawberry.field(description="The same event has the same id, wherever it arrives.")
    source: str = strawberry.field(description="`/organisations/` and the key of your organisation.")
    type: str = strawberry.field(
        description="What happened, e.g. `goal.created`: the name of the `Operation` in lower case."
    )
    subject: strawberry.ID = strawberry.field(description="The id of the changed record.")
    subject_version: int = strawberry.field(
        description="The version of the record after the change. Of two events of a record, the one with "
        "the higher version is the later one."
    )
    time: datetime
    seq: Seq = strawberry.field(
        description="The place among the events of your organisation. The numbers between two events of "
        "yours are events that you may not read, or did not ask for."
    )
    space: strawberry.ID = strawberry.field(description="The space of the changed record.")
    by: strawberry.ID = strawberry.field(
        description="The actor that made the change, or the organisation if the service did."
    )
    turn: str | None = strawberry.field(description="The name that its actor gave the turn of the change.")
    data: JSON = strawberry.field(
        description="Ids and codes. An id of a record that you may not read, or that is gone, is null, or "
        "left out of its list."
    )


@graphql_type_of(
    Consumer,
    "A named reader of events of yours, and the place up to which it has acknowledged them.",
    name="EventConsumer",
    rename={"name": "key", "acknowledged": "place", "acknowledged_at": "moved_at"},
)
class EventConsumerType(RecordType):
    """A consumer."""

    name: str
    acknowledged: Seq = strawberry.field(
        description="The last event that it has acknowledged, or the place to which it was reset."
    )
    acknowledged_at: datetime = strawberry.field(description="When that was.")
    last: Seq = strawberry.field(description="The last event of your organisation now.")
    lag: Seq = strawberry.field(
        description="How many places lie between the two; events that you may not read count, too."
    )


@strawberry.type(description="The consumer as it is now.")
class AcknowledgeEventsPayload:
    """The result of `acknowledgeEvents`."""

    consumer: EventConsumerType


@strawberry.type(description="The consumer as it is now; after a reset to 0, as it was at its end.")
class ResetEventConsumerPayload:
    """The result of `resetEventConsumer`."""

    consumer: EventConsumerType
