"""Records of the outbox: what the relay gives an order to, and what readers get."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.journal.command import Command
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.record import EventSeq, Key, Record


class UnorderedEvent(Record):
    """An event that has no place in the order of its organisation's events yet."""

    uid: str
    org_id: str
    aggregate: str
    aggregate_version: int


class Backlog(Record):
    """What the relay has not stamped yet."""

    waiting: int
    """How many events; counted up to a bound."""
    since: datetime | None
    """When the oldest of them happened; None if there are none."""
    untold: bool = False
    """Whether readers have yet to be told of stamps."""

    @property
    def is_due(self) -> bool:
        """Whether the relay has something to do."""
        return self.waiting > 0 or self.untold


class PublishedEvent(Record):
    """An event as a caller may see it."""

    uid: str
    seq: int
    source: str
    """Which organisation of the service it comes from, as a reference of CloudEvents."""
    type: EventType
    subject: str
    """The id of the changed record."""
    subject_version: int
    scope_id: str
    at: datetime
    by_uid: str
    turn: str | None
    """The name that its actor gave the turn."""
    data: dict[str, Any]
    """Ids and codes; without ids that the caller may not read."""


class EventPage(Record):
    """Events in the order of their places."""

    items: tuple[PublishedEvent, ...]
    upto: int
    """All events of the caller up to this place have been looked at: where the next page begins."""
    full: bool
    """Whether more may follow at once."""


class Consumer(Record):
    """A named reader of events, which goes on where it last acknowledged."""

    uid: str
    scope_id: str
    key: str
    place: int
    """The last place that it has acknowledged."""
    moved_at: datetime
    last: int
    """The last place that readers go by now."""

    @property
    def lag(self) -> int:
        """How many places lie between the two; those of events that it does not read count, too."""
        return max(0, self.last - self.place)


ConsumerName = Annotated[
    Key,
    Field(description="The name of your consumer, 1 to 200 characters. It is yours alone."),
]


class AcknowledgeEvents(Command):
    """A consumer and the last event that it has dealt with."""

    consumer: ConsumerName
    seq: Annotated[
        EventSeq, Field(description="The `seq` of the event: it and all before it need not come again.")
    ]


class ResetEventConsumer(Command):
    """A consumer and the place to go on behind."""

    consumer: ConsumerName
    seq: Annotated[
        EventSeq,
        Field(description="The `seq` to go on behind, earlier or later than now; 0 forgets the consumer."),
    ]


class Undelivered(Record):
    """The next events of an organisation that the broker lacks."""

    org_id: str
    org_key: str
    head: int
    """The last place that readers go by."""
    seq: int
    """The broker has all events up to here."""
    failing: str | None
    """The event that it refused last time."""
    attempts: int
    """How often it did."""
    events: tuple[PublishedEvent, ...]


class UnpublishedBacklog(Record):
    """What the broker lacks, counted up to a bound."""

    waiting: int
    """How many places lie between what it has and what readers go by, in all organisations."""
    since: datetime | None
    """When the oldest of these events happened; None if there are none."""
    dead: int
    """How many events are dead letters."""


class DeadLetter(Record):
    """An event that a broker refused for good."""

    event: PublishedEvent
    org_key: str
    consumer: str
    at: datetime
    """When it was last refused."""
    attempts: int
    reason: str
    """What the broker said."""


class ReplayResult(Record):
    """How sending dead letters again went."""

    sent: int
    refused: int


class KnownConsumer(Record):
    """A consumer as an operator sees it."""

    org_key: str
    actor: str | None
    """The key of the actor that it belongs to; None for the publisher's."""
    key: str
    place: int
    last: int
    """The last place that readers of the organisation go by."""
    moved_at: datetime
    failing: str | None
    """The event that the broker refuses now."""
    attempts: int

    @property
    def lag(self) -> int:
        """How many places lie between the two."""
        return max(0, self.last - self.place)


class JobLease(Record):
    """Who may run a job now."""

    job: str
    holder: str | None
    """The process that holds the lease; None if none does."""
    fence: int
    until: datetime
    worked_at: datetime | None
    """When a process last did a batch under the lease."""


class OutboxStatus(Record):
    """The state of the outbox as an operator sees it."""

    backlog: Backlog
    unpublished: UnpublishedBacklog
    leases: tuple[JobLease, ...]
    consumers: tuple[KnownConsumer, ...]
