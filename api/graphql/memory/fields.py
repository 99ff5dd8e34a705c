"""Mutations of mandates and capabilities."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.memory.types import MemoryType, RememberInput, RememberPayload
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context


@strawberry.type
class RecallMutation:
    """Mutations of mandates and capabilities."""

    @strawberry.mutation(description="Stores mandates and capabilities: all or none.", extensions=[WRITES])
    async def remember(
        self,
        info: Context,
        input: RememberInput,
    ) -> Annotated[
        RememberPayload | Problem,
        strawberry.union("RememberResult", description="The stored memories, or the problem."),
    ]:
        """Store the memories."""
        stored = await info.context.services.memory.remember(
            await info.context.caller(),
            [memory.draft() for memory in input.memories],
            space=input.space,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return RememberPayload(memories=[MemoryType.from_record(memory) for memory in stored])
