"""Graph schema of action types that an organisation put in force for itself, or keeps as drafts."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, OneOrMore, StringProperty

from prefrontal.graph.node import ChangingNode, Properties
from prefrontal.graph.relations import (
    MADE,
    OF,
    TURN,
    VERSION,
)


class ActionType(ChangingNode):
    """An organisation's own definition of an action type; it overrides the file of the same id."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "type_id"),)

    type_id = StringProperty(
        required=True, help_text="The id that actions name; never changed, never deleted."
    )
    definition = StringProperty(help_text="The definition in force, JSON.")
    draft = StringProperty(help_text="The definition that waits for approval, JSON.")
    since = DateTimeNeo4jFormatProperty(help_text="When new actions could first have the type.")
    revision = IntegerProperty(
        required=True, help_text="The revision of the organisation's registry that wrote this node."
    )

    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION, OneOrMore)
