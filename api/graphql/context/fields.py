"""Queries and mutations of contexts."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.context.types import (
    AssembleContextPayload,
    ContextInput,
    ContextType,
    ReceiptType,
)
from prefrontal.api.graphql.input_types import record_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import turn_named
from prefrontal.graph.context.record import AssembleContext, Request
from prefrontal.graph.errors import NotFound


@strawberry.type
class ContextQuery:
    """Queries of contexts."""

    @strawberry.field(description="The context that `assembleContext` would return now; writes nothing.")
    async def preview_context(self, info: Context, input: ContextInput) -> ContextType:
        request, _ = record_of(input, Request)
        found = await info.context.services.context.preview(await info.context.caller(), request)
        return ContextType.from_record(found)

    @strawberry.field(description="The receipt of the newest context of a turn, or null.")
    async def context_receipt(self, info: Context, turn_id: str) -> ReceiptType | None:
        turn_id = await turn_named(info, turn_id)
        try:
            found = await info.context.services.context.receipt(await info.context.caller(), turn_id)
        except NotFound:
            return None
        return ReceiptType.from_record(found)


@strawberry.type
class ContextMutation:
    """Mutations of contexts."""

    @mutation(
        "Assembles the context for a prompt within a token budget, and stores a receipt.",
        "The context with its receipt, or the problem.",
    )
    async def assemble_context(self, info: Context, command: AssembleContext) -> AssembleContextPayload:
        context = await info.context.services.context.assemble(await info.context.caller(), command)
        return AssembleContextPayload(context=ContextType.from_record(context))
