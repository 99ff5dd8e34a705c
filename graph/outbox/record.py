"""Records of the outbox: what the relay gives an order to."""

from __future__ import annotations

from datetime import datetime

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
