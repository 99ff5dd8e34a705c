"""Models of the table of the outbox."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from prefrontal.graph.config.table import Count, Table

Seconds = Annotated[float, Field(gt=0)]


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
