"""The node class of summaries."""

from __future__ import annotations

from typing import ClassVar

from neomodel import ArrayProperty, IntegerProperty, RelationshipTo, StringProperty

from prefrontal.graph.node import Node, Properties


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
    entries = IntegerProperty(required=True, help_text="The number of log entries that the summary replaces.")

    goal = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "SUMMARISES")
    action = RelationshipTo("prefrontal.graph.cortex.actions.node.PendingAction", "SUMMARISES")
    evidence = RelationshipTo("prefrontal.graph.node.Memory", "RESTS_ON")
