"""Records of the outbox: what the relay gives an order to, and what readers get."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from prefrontal.graph.journal.record import EventType
from prefrontal.graph.record import Record


class Waiting(Record):
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
