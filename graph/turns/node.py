"""Graph schema of turns, and of what each turn saw, made and proposed."""

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


class Made(StructuredRel):
    """A turn created or changed a node; one relationship for a turn and a node."""

    since = DateTimeNeo4jFormatProperty(required=True, help_text="When the turn first wrote the node.")
    operation = StringProperty(required=True, help_text="The type of that event, e.g. goal.created.")


class Turn(ChangingNode):
    """One step of an agent; `key` is the client's id of the turn."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True)

    saw_memories = RelationshipTo("prefrontal.graph.node.Memory", "SAW", model=Saw)
    saw_goals = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "SAW", model=Saw)
    made_memories = RelationshipTo("prefrontal.graph.node.Memory", "MADE", model=Made)
    made_goals = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "MADE", model=Made)
    made_actions = RelationshipTo("prefrontal.graph.cortex.actions.node.PendingAction", "MADE", model=Made)
    made_questions = RelationshipTo("prefrontal.graph.cortex.questions.node.Question", "MADE", model=Made)
    made_stories = RelationshipTo("prefrontal.graph.cortex.questions.node.Story", "MADE", model=Made)
    made_proposals = RelationshipTo(
        "prefrontal.graph.registry.proposals.node.RegistryProposal", "MADE", model=Made
    )
    made_action_types = RelationshipTo(
        "prefrontal.graph.registry.overrides.node.ActionType", "MADE", model=Made
    )
    proposals = RelationshipTo(
        "prefrontal.graph.registry.proposals.node.RegistryProposal", "PROPOSED", model=Proposed
    )
    receipts = RelationshipTo("prefrontal.graph.context.node.ContextReceipt", "RECEIVED")
    trace = RelationshipTo("prefrontal.graph.journal.node.TraceEvent", "LOGGED")
