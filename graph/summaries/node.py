"""Summaries."""

from __future__ import annotations

from typing import ClassVar

from neomodel import ArrayProperty, IntegerProperty, RelationshipTo, StringProperty

from prefrontal.graph.node import Node, Properties


class Summary(Node):
    """What happened to a goal or an action, in few words, with every piece of evidence."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("of_uid", "kind", "label"),)

    kind = StringProperty(required=True)
    of_uid = StringProperty(required=True)
    goal_id = StringProperty()
    label = StringProperty(required=True, help_text="What it is of, once.")
    text = StringProperty(required=True)
    refs = ArrayProperty(StringProperty(), required=True, help_text="Every piece of evidence.")
    upto = IntegerProperty(required=True, help_text="The last version it tells of.")
    entries = IntegerProperty(required=True, help_text="How many log entries it stands in for.")

    goal = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "SUMMARISES")
    action = RelationshipTo("prefrontal.graph.cortex.actions.node.PendingAction", "SUMMARISES")
    evidence = RelationshipTo("prefrontal.graph.node.Memory", "RESTS_ON")
