"""Mutations of mandates and capabilities."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.memory.types import ForgetPayload, MemoryType, RememberPayload
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.memory.record import Forget, Remember


@strawberry.type
class RecallMutation:
    """Mutations of mandates and capabilities."""

    @mutation(
        "Stores mandates and capabilities: all or none. Those of the common space need a maintainer.",
        "The stored memories, or the problem.",
    )
    async def remember(self, info: Context, command: Remember) -> RememberPayload:
        """Store the memories."""
        stored = await info.context.services.memory.remember(await info.context.caller(), command)
        return RememberPayload(memories=[MemoryType.from_record(memory) for memory in stored])

    @mutation(
        "Takes a mandate or capability back: contexts leave it out from now on. Its history stays readable.",
        "The memory that was taken back, or the problem.",
    )
    async def forget(self, info: Context, command: Forget) -> ForgetPayload:
        """Take the memory back."""
        forgotten = await info.context.services.memory.forget(await info.context.caller(), command)
        return ForgetPayload(memory=MemoryType.from_record(forgotten))
