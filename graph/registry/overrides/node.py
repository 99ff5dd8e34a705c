"""Action types that an organisation put in force for itself, or proposes to."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty

from prefrontal.graph.node import ChangingNode, Properties


class ActionType(ChangingNode):
    """An organisation's own definition of an action type; it stands before the file of the same id."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "type_id"),)

    type_id = StringProperty(required=True, help_text="What actions name; never changed, never deleted.")
    definition = StringProperty(help_text="What is in force, JSON.")
    draft = StringProperty(help_text="What waits to be approved, JSON.")
    since = DateTimeNeo4jFormatProperty(help_text="When new actions could have the type first.")
    revision = IntegerProperty(
        required=True, help_text="Which change of the organisation's registry wrote it."
    )
