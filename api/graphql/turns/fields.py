"""Queries of turns."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.inputs import named
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turns.types import TraceConnection, TurnType
from prefrontal.graph.journal.record import TraceKind


@strawberry.type
class TurnQuery:
    """Queries of turns."""

    @strawberry.field(description="The turn with this client-chosen name, or null.")
    async def turn(self, info: Context, id: str) -> TurnType | None:
        """Return the turn."""
        named(id, "id", info.context.services.catalog.limits.key_characters)
        found = await info.context.services.turns.trace.get(await info.context.caller(), id)
        return TurnType.from_record(found) if found else None

    @strawberry.field(
        description="A page of the trace of a turn, in order of time; empty for an unknown turn."
    )
    async def turn_trace(
        self,
        info: Context,
        turn_id: str,
        kinds: list[TraceKind] | None = None,
        first: First = None,
        after: After = None,
    ) -> TraceConnection:
        """Return a page of the trace."""
        named(turn_id, "turnId", info.context.services.catalog.limits.key_characters)
        page = await info.context.services.turns.trace.trace(
            await info.context.caller(), turn_id, kinds=kinds, first=first, after=after
        )
        return TraceConnection.from_page(page)
