"""Node classes of the journal. Trace entries, events and requests hold ids and codes, never content."""

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
    """One entry of a turn's trace: one decision."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "uid"),)

    kind = StringProperty(required=True)
    message = StringProperty(required=True)
    ids = ArrayProperty(StringProperty(), required=True)
    details = StringProperty(required=True, help_text="JSON of codes and numbers.")
    turn_uid = StringProperty(help_text="The id of the turn.")


class OutboxEvent(Node):
    """One change of one aggregate. Subscribers receive it, and the audit log lists it."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "uid"),
        ("scope_id", "by_uid", "uid"),
        ("scope_id", "type", "uid"),
        ("scope_id", "turn_uid", "uid"),
        ("aggregate", "uid"),
        ("aggregate", "type", "created_at"),
    )

    type = StringProperty(required=True)
    aggregate = StringProperty(required=True)
    aggregate_version = IntegerProperty(required=True)
    data = StringProperty(required=True, help_text="JSON of ids and codes.")
    turn_uid = StringProperty(help_text="The id of the turn.")


class Unsequenced(OutboxEvent):
    """An event that has not been given its place in the order of its organisation's events yet."""


class Version(Node):
    """One version of a versioned node: the fields that one change of the node changed."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("of_uid", "number"),)

    of_uid = StringProperty(required=True)
    number = IntegerProperty(required=True)
    changes = StringProperty(
        required=True, help_text="JSON of the new values; every field in a first version."
    )
    fields = ArrayProperty(StringProperty(), required=True, help_text="The names of the fields in `changes`.")
    before = StringProperty(help_text="JSON of the old values, for kinds without a stored first version.")
    request_key = StringProperty(help_text="The idempotency key of the request that made the version.")
    turn_uid = StringProperty(help_text="The id of the turn.")

    of_memory = RelationshipTo("prefrontal.graph.node.Memory", "OF")
    of_goal = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "OF")
    of_action = RelationshipTo("prefrontal.graph.cortex.actions.node.PendingAction", "OF")
    of_question = RelationshipTo("prefrontal.graph.cortex.questions.node.Question", "OF")
    of_story = RelationshipTo("prefrontal.graph.cortex.questions.node.Story", "OF")
    of_proposal = RelationshipTo("prefrontal.graph.registry.proposals.node.RegistryProposal", "OF")


class Request(Node):
    """A used idempotency key, with the ids that its request returned."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "by_uid", "key"),)

    key = StringProperty(required=True)
    body_hash = StringProperty(required=True)
    result = StringProperty(required=True, help_text="JSON of ids.")
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)
