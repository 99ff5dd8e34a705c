"""What is written beside every change. Traces, events and requests hold ids and codes, never content."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
)

from prefrontal.graph.node import Node, Properties


class TraceEvent(Node):
    """One decision, as a turn's trace tells it."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "uid"),)

    kind = StringProperty(required=True)
    message = StringProperty(required=True)
    ids = ArrayProperty(StringProperty(), required=True)
    details = StringProperty(required=True, help_text="JSON of codes and numbers.")
    turn_key = StringProperty()


class OutboxEvent(Node):
    """One change of one aggregate, for whoever subscribes and for the audit log."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "uid"),
        ("scope_id", "by_uid", "uid"),
        ("scope_id", "type", "uid"),
        ("scope_id", "turn_key", "uid"),
        ("aggregate", "uid"),
        ("aggregate", "type", "created_at"),
    )

    type = StringProperty(required=True)
    aggregate = StringProperty(required=True)
    aggregate_version = IntegerProperty(required=True)
    data = StringProperty(required=True, help_text="JSON of ids and codes.")
    turn_key = StringProperty()


class Unsequenced(OutboxEvent):
    """An event that has no place in its organisation's order yet."""


class Version(Node):
    """The fields that one change of a versioned node changed."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("of_uid", "number"),)

    of_uid = StringProperty(required=True)
    number = IntegerProperty(required=True)
    changes = StringProperty(required=True, help_text="JSON; of the first version, every field.")
    fields = ArrayProperty(StringProperty(), required=True, help_text="What `changes` says something of.")
    before = StringProperty(help_text="JSON; what the fields were, where no first version is stored.")
    request_key = StringProperty(help_text="The idempotency key it was made under.")
    turn_key = StringProperty()

    of_memory = RelationshipTo("prefrontal.graph.node.Memory", "OF")
    of_goal = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "OF")
    of_action = RelationshipTo("prefrontal.graph.cortex.actions.node.PendingAction", "OF")
    of_question = RelationshipTo("prefrontal.graph.cortex.questions.node.Question", "OF")
    of_story = RelationshipTo("prefrontal.graph.cortex.questions.node.Story", "OF")
    of_proposal = RelationshipTo("prefrontal.graph.registry.proposals.node.RegistryProposal", "OF")


class Request(Node):
    """An idempotency key that was used, and the ids it gave."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "by_uid", "key"),)

    key = StringProperty(required=True)
    body_hash = StringProperty(required=True)
    result = StringProperty(required=True, help_text="JSON of ids.")
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)
