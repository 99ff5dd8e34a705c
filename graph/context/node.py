"""The node class of context receipts."""

from __future__ import annotations

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, One, StringProperty

from prefrontal.graph.node import Node
from prefrontal.graph.relations import RECEIVED, TURN


class ContextReceipt(Node):
    """The receipt of a context: what was left out and why.

    The turn's `SAW` relationships are what was included.
    """

    turn_key = StringProperty(required=True)
    budget = IntegerProperty(required=True)
    used = IntegerProperty(required=True)
    tokenizer = StringProperty(required=True)
    excluded = StringProperty(required=True, help_text="JSON.")
    excluded_counts = StringProperty(required=True, help_text="JSON.")
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)

    turn = RECEIVED.from_(TURN, One)
