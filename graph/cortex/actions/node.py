"""Pending actions."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
)

from prefrontal.graph.node import ChangingNode, Link, Properties


class Awaits(Link):
    """That an action asked for a type that was unknown, and is a task of the user's until it has one."""

    name = StringProperty(required=True, help_text="The type, as it was written.")
    owner = StringProperty(help_text="The owner that was asked for.")


class PendingAction(ChangingNode):
    """A concrete next step towards a goal."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("scope_id", "open", "owner", "sort_key"),
        ("scope_id", "open", "owner", "due_key"),
        ("type", "escalated", "overdue_from"),
        ("awaiting", "uid"),
    )
    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)

    goal_id = StringProperty()
    type = StringProperty(required=True)
    title = StringProperty(required=True)
    description = StringProperty()
    owner = StringProperty(required=True)
    priority = StringProperty(required=True)
    priority_rank = IntegerProperty(required=True)
    effort = FloatProperty()
    status = StringProperty(required=True)
    due_at = DateTimeNeo4jFormatProperty()
    blocking = BooleanProperty(required=True)
    requires_confirmation = BooleanProperty(required=True)
    auto_complete = BooleanProperty(required=True)
    density = FloatProperty(required=True, help_text="Priority through effort.")
    open = BooleanProperty(required=True, help_text="Neither completed nor cancelled.")
    sort_key = StringProperty(required=True, help_text="Its place among others by utility; ends in its uid.")
    due_key = StringProperty(required=True, help_text="Its place among others by due time; ends in its uid.")
    evidence_refs = ArrayProperty(StringProperty(), required=True)
    confirmed_by = StringProperty()
    confirmed_at = DateTimeNeo4jFormatProperty()
    result = StringProperty(help_text="JSON.")
    completed_at = DateTimeNeo4jFormatProperty()
    archived_at = DateTimeNeo4jFormatProperty()
    escalated_at = DateTimeNeo4jFormatProperty()
    escalated = BooleanProperty(required=True, help_text="Already, for the due time it has.")
    overdue_from = DateTimeNeo4jFormatProperty(help_text="Its due time, as long as it is open.")
    awaiting = BooleanProperty(help_text="True while it waits for an event, else not there.")
    awaited_id = StringProperty(help_text="What the event is to happen to.")
    awaited_type = StringProperty(help_text="The event it waits for.")
    event_at = DateTimeNeo4jFormatProperty(help_text="When that event happened.")
    compacted_at = DateTimeNeo4jFormatProperty(help_text="When a summary took the place of its log.")
    client_key = StringProperty(help_text="Its caller's own name for it.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock it while something is decided.")
    metadata = StringProperty(help_text="JSON.")
    created_from_turn_id = StringProperty()

    goal = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "ADVANCES")
    proposal = RelationshipTo(
        "prefrontal.graph.registry.proposals.node.RegistryProposal", "AWAITS", model=Awaits
    )
