"""Node classes of the outbox."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty

from prefrontal.graph.node import Node, Properties


class EventCounter(Node):
    """The place of an organisation's last stamped event. Only the relay locks it: no writer waits for it."""

    accompanies = True

    org_id = StringProperty(
        required=True, index=True, help_text="The id is made of it: there is one for each."
    )
    seq = IntegerProperty(required=True)
    told = IntegerProperty(
        required=True,
        help_text="The last place that readers go by: a transaction after that of the stamps sets it.",
    )
    stamped_at = DateTimeNeo4jFormatProperty(required=True, help_text="When the relay last stamped.")


class Untold(EventCounter):
    """A counter whose readers have not been told of the last stamps yet."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("org_id",),)
