"""Mandates and capabilities as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.inputs import key_field, space_field, turn_field
from prefrontal.api.graphql.node import Node
from prefrontal.graph.memory.record import Memory, MemoryDraft, MemoryKind

strawberry.enum(MemoryKind, name="MemoryKind", description="What can be remembered until it is forgotten.")


@strawberry.type(name="RememberedMemory", description="A mandate to keep or a capability to use.")
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


@strawberry.input(description="Something to remember.")
class MemoryInput:
    """A new memory."""

    kind: MemoryKind
    content: str
    essential: bool = strawberry.field(
        default=True, description="For a mandate: a context that has no room for it says so."
    )

    def draft(self) -> MemoryDraft:
        """Return the draft."""
        return MemoryDraft(kind=self.kind, content=self.content, essential=self.essential)


@strawberry.input(description="Memories to keep, all or none.")
class RememberInput:
    """The input of `remember`."""

    memories: list[MemoryInput]
    space: strawberry.ID | None = space_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="What is remembered now, in the order given.")
class RememberPayload:
    """The result of `remember`."""

    memories: list[MemoryType]
