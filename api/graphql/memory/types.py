"""Mandates and capabilities as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_at, space_at
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.graph.memory.record import Memory, MemoryKind

strawberry.enum(MemoryKind, name="MemoryKind", description="The kind of a permanent memory.")


@shows(
    Memory,
    "A mandate (a rule to follow) or a capability (something the agent can do).",
    name="RememberedMemory",
)
class MemoryType(Shown, Node):
    """A remembered mandate or capability."""

    space = space_at()
    kind: MemoryKind
    content: str
    essential: bool
    created_at: datetime
    updated_at: datetime
    created_by = actor_at("by_uid", "Who stored the memory")
    version: int
    live: bool = strawberry.field(description="False once it was taken back with `forget`.")


@strawberry.type(description="The stored memories, in the order of the input.")
class RememberPayload:
    """The result of `remember`."""

    memories: list[MemoryType]


@strawberry.type(description="The memory that was taken back.")
class ForgetPayload:
    """The result of `forget`."""

    memory: MemoryType
