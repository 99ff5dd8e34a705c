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
    most_counted: Count
    """Up to this number the events that wait for the relay are counted."""
