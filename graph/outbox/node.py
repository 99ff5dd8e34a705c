"""Node classes of the outbox."""

from __future__ import annotations

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty

from prefrontal.graph.node import Node


class EventCounter(Node):
    """The place of an organisation's last stamped event. Only the relay locks it: no writer waits for it."""

    accompanies = True

    org_id = StringProperty(unique_index=True)
    seq = IntegerProperty(required=True)
    stamped_at = DateTimeNeo4jFormatProperty(required=True, help_text="When the relay last stamped.")
