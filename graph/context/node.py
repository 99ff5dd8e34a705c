"""The node class of context receipts."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    One,
    StringProperty,
)

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import RECEIVED, TURN


class ContextReceipt(Node):
    """The receipt of a context: what it included, in lists of the same length, and what was left out and why.

    A job creates the turn's `SAW` relationships from the lists, and removes `link_at`.
    """

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "by_uid"),)

    turn_key = StringProperty(required=True)
    budget = IntegerProperty(required=True)
    used = IntegerProperty(required=True)
    tokenizer = StringProperty(required=True)
    excluded = StringProperty(required=True, help_text="JSON.")
    excluded_counts = StringProperty(required=True, help_text="JSON.")
    excluded_uids = ArrayProperty(StringProperty(), required=True)
    included_uids = ArrayProperty(StringProperty(), required=True)
    included_sections = ArrayProperty(StringProperty(), required=True)
    included_ranks = ArrayProperty(IntegerProperty(), required=True)
    included_tokens = ArrayProperty(IntegerProperty(), required=True)
    included_scores = ArrayProperty(FloatProperty(), required=True)
    included_reasons = ArrayProperty(StringProperty(), required=True)
    included_via = ArrayProperty(StringProperty(), help_text="Empty where the prompt itself led to the item.")
    included_parts = ArrayProperty(StringProperty(), help_text="JSON.")
    included_passages = ArrayProperty(
        StringProperty(), help_text="JSON; empty where the item was shown as a whole."
    )
    included_paths = ArrayProperty(StringProperty(), help_text="JSON.")
    included_contradicts = ArrayProperty(StringProperty(), help_text="JSON.")
    link_at = DateTimeNeo4jFormatProperty(index=True)
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)

    turn = RECEIVED.from_(TURN, One)
