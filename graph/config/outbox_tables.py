"""Models of the table of the outbox."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from prefrontal.graph.config.table import Count, Table

Seconds = Annotated[float, Field(gt=0)]


class PublishTable(Table):
    """How events are published to a broker."""

    organisations: Annotated[int, Field(ge=1, le=1000)]
    """Of how many organisations a round publishes events."""
    page: Annotated[int, Field(ge=1, le=1000)]
    """How many events of each a round publishes."""
    pending: Annotated[int, Field(ge=1, le=4000)]
    """How many messages wait for the broker's answer at once."""
    answer_seconds: Seconds
    """How long the broker may take to answer."""
    round_seconds: Seconds
    """How long a round may take; shorter than the lease of the job, so that no other process publishes."""
    retry_seconds: Seconds
    """How long the publisher waits after a broker was not reached, or refused an event."""
    attempts: Count
    """After so many refusals an event becomes a dead letter."""
    duplicate_seconds: Seconds
    """For how long a stream that the publisher makes recognises an event that it already has."""


class OutboxTable(Table):
    """`outbox.yaml`: how events are stamped and delivered."""

    gather_seconds: Annotated[float, Field(ge=0)]
    """How long the relay waits after a commit, so that a batch has more than one event."""
    look_seconds: Seconds
    """How often a process looks for what another process has stamped, while somebody follows events."""
    page: Annotated[int, Field(ge=1, le=100)]
    """How many events a stream reads at once."""
    silent_seconds: Seconds
    """After so long without an event a stream says that it is alive, and looks its caller up again."""
    most_counted: Count
    """Up to this number the events that wait for the relay are counted."""
    stalled_seconds: Seconds
    """When the oldest event has waited so long for its place, the relay counts as standing still."""
    most_consumers: Count
    """How many named consumers an actor may have."""
    publish: PublishTable
