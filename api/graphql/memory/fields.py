"""Mutations of mandates and capabilities."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.memory.types import MemoryType, RememberPayload
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.memory.record import Remember


@strawberry.type
class RecallMutation:
    """Mutations of mandates and capabilities."""

    @mutation("Stores mandates and capabilities: all or none.", "The stored memories, or the problem.")
    async def remember(self, info: Context, command: Remember) -> RememberPayload:
        """Store the memories."""
        stored = await info.context.services.memory.remember(await info.context.caller(), command)
        return RememberPayload(memories=[MemoryType.from_record(memory) for memory in stored])
