"""Mandates and capabilities as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.inputs import key_field, space_field, turn_field
from prefrontal.api.graphql.node import Node
from prefrontal.graph.memory.record import Memory, MemoryDraft, MemoryKind

strawberry.enum(MemoryKind, name="MemoryKind", description="The kind of a permanent memory.")


@strawberry.type(
    name="RememberedMemory",
    description="A mandate (a rule to follow) or a capability (something the agent can do).",
)
class MemoryType(Node):
    """A remembered mandate or capability."""

    space: strawberry.ID
    kind: MemoryKind
    content: str
    essential: bool
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int

    @classmethod
    def from_record(cls, m: Memory) -> MemoryType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(m.uid),
            space=strawberry.ID(m.scope_id),
            kind=m.kind,
            content=m.content,
            essential=m.essential,
            created_at=m.created_at,
            updated_at=m.updated_at,
            created_by=strawberry.ID(m.by_uid),
            version=m.version,
        )


@strawberry.input(description="A mandate or capability to store.")
class MemoryInput:
    """A new memory."""

    kind: MemoryKind
    content: str
    essential: bool = strawberry.field(
        default=True,
        description="Only for a mandate: a context without room for an essential mandate reports it in "
        "`missingMandates`.",
    )

    def draft(self) -> MemoryDraft:
        """Return the draft."""
        return MemoryDraft(kind=self.kind, content=self.content, essential=self.essential)


@strawberry.input(description="Memories to store: all or none.")
class RememberInput:
    """The input of `remember`."""

    memories: list[MemoryInput]
    space: strawberry.ID | None = space_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The stored memories, in the order of the input.")
class RememberPayload:
    """The result of `remember`."""

    memories: list[MemoryType]
