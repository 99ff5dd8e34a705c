"""Graph schema of turns, and of what each turn saw and proposed."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
    StructuredRel,
)

from prefrontal.graph.node import ChangingNode, Properties


class Saw(StructuredRel):
    """The context of a turn included a memory or a goal, at a certain place."""

    receipt_uid = StringProperty(required=True)
    section = StringProperty(required=True)
    rank = IntegerProperty(required=True)
    tokens = IntegerProperty(required=True)
    score = FloatProperty(required=True)
    reason = StringProperty(required=True)


class Proposed(StructuredRel):
    """A turn proposed a change of the registry, or used an unknown type for which a proposal exists."""

    at = DateTimeNeo4jFormatProperty(required=True)


class Turn(ChangingNode):
    """One step of an agent; `key` is the client's id of the turn."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True)

    saw_memories = RelationshipTo("prefrontal.graph.node.Memory", "SAW", model=Saw)
    saw_goals = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "SAW", model=Saw)
    proposals = RelationshipTo(
        "prefrontal.graph.registry.proposals.node.RegistryProposal", "PROPOSED", model=Proposed
    )
    receipts = RelationshipTo("prefrontal.graph.context.node.ContextReceipt", "RECEIVED")
    trace = RelationshipTo("prefrontal.graph.journal.node.TraceEvent", "LOGGED")
