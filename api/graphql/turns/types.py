"""Turns and their trace as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.graph.journal.record import TraceEntry, TraceKind
from prefrontal.graph.turns.record import Turn
from prefrontal.graph.turns.trace import TracePage

strawberry.enum(TraceKind, name="TraceKind", description="The kind of a trace entry.")


@strawberry.type(
    name="Turn",
    description="A turn: one cycle of an agent's work, from assembling the context to the commit.",
)
class TurnType(Node):
    """A turn."""

    key: str = strawberry.field(description="The client's name for the turn.")
    space: strawberry.ID
    created_at: datetime
    created_by: strawberry.ID

    @classmethod
    def from_record(cls, turn: Turn) -> TurnType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(turn.uid),
            key=turn.key,
            space=strawberry.ID(turn.scope_id),
            created_at=turn.created_at,
            created_by=strawberry.ID(turn.by_uid),
        )


@strawberry.type(name="TraceEntry", description="An entry of a turn's trace.")
class TraceEntryType:
    """A trace entry."""

    id: strawberry.ID
    created_at: datetime
    turn_id: str | None
    kind: TraceKind
    message: str
    ids: list[strawberry.ID] = strawberry.field(description="The ids of the records that the entry concerns.")
    details: JSON = strawberry.field(description="Codes and numbers, never content.")

    @classmethod
    def from_record(cls, entry: TraceEntry) -> TraceEntryType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(entry.uid),
            created_at=entry.created_at,
            turn_id=entry.turn,
            kind=entry.kind,
            message=entry.message,
            ids=[strawberry.ID(uid) for uid in entry.ids],
            details=JSON(entry.details),
        )


@strawberry.type(description="A page of a turn's trace, oldest first.")
class TraceConnection:
    """A page of a trace."""

    nodes: list[TraceEntryType]
    page_info: PageInfo

    @classmethod
    def from_page(cls, page: TracePage) -> TraceConnection:
        """Return the connection of a page."""
        return cls(
            nodes=[TraceEntryType.from_record(entry) for entry in page.items],
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )
