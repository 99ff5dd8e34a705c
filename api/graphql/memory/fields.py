"""Queries and mutations of durable memories."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.memory.types import (
    ForgetPayload,
    MemoryFilterInput,
    MemoryType,
    RememberPayload,
    SupersedePayload,
)
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.memory.record import Forget, MemoryFilter, Remember, Supersede


@strawberry.type
class MemoryQuery:
    """Queries of durable memories."""

    @strawberry.field(description="A durable memory; null if it is unknown or not readable.")
    async def memory(self, info: Context, id: strawberry.ID) -> MemoryType | None:
        return MemoryType.maybe(await info.context.loaders.memories.load(id))

    @strawberry.field(description="A page of durable memories, newest first; by default the active ones.")
    async def memories(
        self,
        info: Context,
        filter: MemoryFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[MemoryType]:
        memory, caller = info.context.services.memory, await info.context.caller()
        wanted = filter_of(filter, MemoryFilter)
        page = await memory.list(caller, wanted, first=first, after=after)
        return Connection.of(MemoryType, page, partial(memory.count, caller, wanted))


@strawberry.type
class MemoryMutation:
    """Mutations of durable memories."""

    @mutation(
        "Stores durable memories: all or none. They do not fade. Mandates and capabilities of the common "
        "space need a maintainer.",
        "The memories, or the problem; its field names the entry, e.g. `memories[3].content`.",
    )
    async def remember(self, info: Context, command: Remember) -> RememberPayload:
        """Store the memories."""
        done = await info.context.services.memory.remember(await info.context.caller(), command)
        shown = [MemoryType.from_record(memory) for memory in done.memories]
        new = [memory for memory in done.memories if memory.uid in done.created]
        return RememberPayload(memories=shown, created=len(new), new=new)

    @mutation(
        "Lets a newer memory take the place of an older one of its kind, which is not recalled any more: a "
        "new one (`memory`), or one that is stored already (`by`). The text and the history of the older one "
        "stay readable.",
        "The newer and the older memory, or the problem.",
    )
    async def supersede(self, info: Context, command: Supersede) -> SupersedePayload:
        """Let the newer memory take the place."""
        done = await info.context.services.memory.supersede(await info.context.caller(), command)
        return SupersedePayload(
            memory=MemoryType.from_record(done.newer), superseded=MemoryType.from_record(done.older)
        )

    @mutation(
        "Takes a memory back, with those of its space that have the same text and those that were made from "
        "them: they are not recalled any more, and their texts are not stored again in the space. "
        "Observations with the same text are archived. Their history stays readable.",
        "What was taken back, or the problem.",
    )
    async def forget(self, info: Context, command: Forget) -> ForgetPayload:
        """Take the memory back."""
        done = await info.context.services.memory.forget(await info.context.caller(), command)
        # Another mutation of the same request may have read the observations before.
        info.context.forget()
        return ForgetPayload(
            memory=MemoryType.from_record(done.memory),
            others=[MemoryType.from_record(memory) for memory in done.others],
            record=done,
        )
