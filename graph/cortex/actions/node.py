"""Pending actions."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
)

from graph.node import ChangingNode, Properties


class PendingAction(ChangingNode):
    """A concrete next step towards a goal."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "status", "uid"),)

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
    metadata = StringProperty(help_text="JSON.")
    created_from_turn_id = StringProperty()

    goal = RelationshipTo("graph.cortex.goals.node.Goal", "ADVANCES")
