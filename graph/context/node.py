"""Receipts of contexts."""

from __future__ import annotations

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty

from prefrontal.graph.node import Node


class ContextReceipt(Node):
    """What a context left out, and why; what it included are the turn's `SAW` relationships."""

    turn_key = StringProperty(required=True)
    budget = IntegerProperty(required=True)
    used = IntegerProperty(required=True)
    tokenizer = StringProperty(required=True)
    excluded = StringProperty(required=True, help_text="JSON.")
    excluded_counts = StringProperty(required=True, help_text="JSON.")
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)
