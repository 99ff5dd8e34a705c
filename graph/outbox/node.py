"""Node classes of the outbox."""

from __future__ import annotations

from typing import ClassVar

from neomodel import BooleanProperty, DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty

from prefrontal.graph.node import Node, Properties


class EventCounter(Node):
    """The place of an organisation's last stamped event. Only the relay locks it: no writer waits for it."""

    accompanies = True

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("unpublished", "org_id"),)

    org_id = StringProperty(
        required=True, index=True, help_text="The id is made of it: there is one for each."
    )
    seq = IntegerProperty(required=True)
    told = IntegerProperty(
        required=True,
        help_text="The last place that readers go by: a transaction after that of the stamps sets it.",
    )
    unpublished = BooleanProperty(
        required=True, help_text="Whether there may be events that readers go by and the broker lacks."
    )
    stamped_at = DateTimeNeo4jFormatProperty(required=True, help_text="When the relay last stamped.")


class Untold(EventCounter):
    """A counter whose readers have not been told of the last stamps yet."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("org_id",),)


class EventConsumer(Node):
    """A named reader of events, with its place: of an actor in its private space, of a broker in none.

    The space of the consumer of a broker is the id of the organisation.
    """

    accompanies = True

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "by_uid"),)

    key = StringProperty(required=True, help_text="Its name.")
    place = IntegerProperty(required=True, help_text="The last place that it has acknowledged.")
    moved_at = DateTimeNeo4jFormatProperty(required=True, help_text="When it last acknowledged.")
    failing_uid = StringProperty(help_text="The event that the broker refuses now.")
    attempts = IntegerProperty(help_text="How often the broker refused it.")
