"""Durable memories as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.mentions import mentions_field
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, node_field, refs_field, space_field, turn_of
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.ids import Kind
from prefrontal.graph.memory.record import (
    ForgottenMemories,
    Memory,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    StepCondition,
)
from prefrontal.graph.search.record import Replacement, ReplacementReason, SearchKind
from prefrontal.graph.search.replacement import Note

strawberry.enum(MemoryKind, name="MemoryKind", description="The kind of a durable memory.")
strawberry.enum(
    MemoryStatus,
    name="MemoryStatus",
    description="ACTIVE: it is recalled. SUPERSEDED: a newer memory took its place. FORGOTTEN: it was taken "
    "back. ARCHIVED: only of an episode; a more important one took its room. RETIRED: only of a lesson; it "
    "is not shown until it is restored.",
)

strawberry.enum(
    ReplacementReason,
    name="ReplacementReason",
    description="Why a memory seems to replace an older one. OTHER_VALUE: both say the same but for a value. "
    "CHANGE: read together, the newer one changes what the older one says.",
)

if TYPE_CHECKING:

    class MemoryFilterInput:
        """The filter of `memories`, made from the record."""

else:
    MemoryFilterInput = input_type(MemoryFilter, "MemoryFilterInput")


@graphql_type_of(
    StepCondition,
    "Steps of plans: those of one of the action types that have the words of one of the phrases.",
    name="StepCondition",
)
class StepConditionType(RecordType):
    """Which steps a mandate is about."""

    action_types: list[str]
    phrases: list[str]


@graphql_type_of(
    Memory,
    "A durable memory: a mandate, capability, fact, skill, episode, message or lesson. It does not fade, "
    "unless `retainedUntil` says so; `supersede` replaces it, `forget` takes it back.",
    name="RememberedMemory",
)
class MemoryType(RecordType, Node):
    """A durable memory."""

    space = space_field()
    kind: MemoryKind
    content: str
    essential: bool = strawberry.field(description="True only for mandates that a context must not lack.")
    forbids: StepConditionType | None = strawberry.field(
        description="The steps of plans that a mandate forbids."
    )
    requires_confirmation: StepConditionType | None = strawberry.field(
        description="The steps that a mandate wants a person to confirm first."
    )
    confidence: float | None = strawberry.field(description="0–1, if it is not certain.")
    tags: list[str]
    entities = mentions_field("The people and things that the memory mentions by name.")
    happened_at: datetime = strawberry.field(description="When it was said or happened.")
    speaker: str | None = strawberry.field(description="Who said the message.")
    conversation: str | None = strawberry.field(description="The client's key of the message's conversation.")
    derived_from = refs_field(
        Kind.FACT, "derived_from", "The durable memories from which it was made; it is forgotten with them."
    )
    observations = refs_field(Kind.OBSERVATION, "derived_from", "The observations from which it was made.")
    metadata: JSON | None
    client_key: str | None
    status: MemoryStatus
    superseded_by = node_field(Kind.FACT, "superseded_by", "The newer memory that took its place.")
    created_at: datetime
    updated_at: datetime
    created_by = actor_field("by_uid", "Who stored the memory")
    version: int = strawberry.field(
        description="Pass it as `expectedVersion` to avoid overwriting a concurrent change."
    )
    live: bool = strawberry.field(
        description="Whether it is recalled: false once superseded, archived or forgotten."
    )
    importance: float | None = strawberry.field(
        description="How important it was for its turn, 0–1; only of what `commitTurn` selected."
    )
    retention: str | None = strawberry.field(
        description="The type of data by which it is kept; only of what `commitTurn` selected."
    )
    retained_until: datetime | None = strawberry.field(
        description="Until when it is kept; null if it stays until somebody forgets it."
    )
    turn = turn_of()


@graphql_type_of(
    Replacement,
    "A memory, and an older one that it seems to replace. Nothing is replaced by it: "
    "`supersede(input: {id: older, by: memory})` does that.",
    name="SeemingReplacement",
)
class ReplacementType(RecordType):
    """A memory that seems to replace an older one."""

    memory = node_field(Kind.FACT, "newer", "The newer memory.")
    older = node_field(Kind.FACT, "older", "The older memory; null if you may not read it any more.")
    reason: ReplacementReason


@strawberry.type(description="The memories, in the order of the input.")
class RememberPayload:
    """The result of `remember`."""

    memories: list[MemoryType]
    created: int = strawberry.field(
        description="How many of them are new; the others were known by their `clientKey`."
    )
    new: strawberry.Private[list[Memory]]

    @strawberry.field(
        description="The older memories of the same kind and space that new facts, skills, mandates and "
        "capabilities seem to replace, of the first twenty of these; null if that was not found out in time. "
        "It takes a search for each. Nothing is replaced: `supersede` does that."
    )
    async def seems_to_replace(self, info: Context) -> list[ReplacementType] | None:
        """Look for what the new memories seem to replace."""
        search, caller = info.context.services.search, await info.context.caller()
        notes = [
            Note(memory.uid, memory.scope_id, SearchKind(memory.kind), memory.content, memory.happened_at)
            for memory in self.new
        ]
        found = await search.seems_to_replace(caller, notes)
        return None if found is None else [ReplacementType.from_record(each) for each in found]


@strawberry.type(description="The older memory, and the newer one that took its place.")
class SupersedePayload:
    """The result of `supersede`."""

    memory: MemoryType = strawberry.field(description="The newer memory.")
    superseded: MemoryType = strawberry.field(description="The older memory.")


@strawberry.type(description="What was taken back.")
class ForgetPayload:
    """The result of `forget`."""

    memory: MemoryType
    others: list[MemoryType] = strawberry.field(
        description="The memories that went with it: those with the same text in its space, and those that "
        "were made from any of them."
    )
    observations = refs_field(
        Kind.OBSERVATION,
        "observations",
        "The observations of its space with the same text, which were archived.",
    )
    record: strawberry.Private[ForgottenMemories]
