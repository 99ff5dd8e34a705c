"""The node class of summaries."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import GOAL, MEMORY, PENDING_ACTION, RESTS_ON, SUMMARISES


class Summary(Node):
    """A short text about what happened to a goal or an action, with all of its evidence."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("of_uid", "kind", "label"),)

    kind = StringProperty(required=True)
    of_uid = StringProperty(required=True)
    goal_id = StringProperty()
    label = StringProperty(required=True, help_text="What the summary covers; unique per record and kind.")
    text = StringProperty(required=True)
    refs = ArrayProperty(StringProperty(), required=True, help_text="Every piece of evidence.")
    upto = IntegerProperty(required=True, help_text="The number of the last version covered.")
    seen_until = DateTimeNeo4jFormatProperty(
        help_text="The time of the last change of an action that a summary of a goal covers."
    )
    entries = IntegerProperty(required=True, help_text="The number of log entries that the summary replaces.")

    # A summary is of a goal or of an action.
    goal = SUMMARISES.to(GOAL, ZeroOrOne, group="of")
    action = SUMMARISES.to(PENDING_ACTION, ZeroOrOne, group="of")
    evidence = RESTS_ON.to(MEMORY)
