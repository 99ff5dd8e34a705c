"""Node classes of access control: organisations, actors and spaces."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    One,
    OneOrMore,
    StringProperty,
)

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import (
    ACTOR,
    FOR,
    GOAL,
    IN,
    MAY,
    OFFERED,
    ORGANISATION,
    PENDING_ACTION,
    SPACE,
)


class Organisation(Node):
    """A tenant. Organisations share no data."""

    key = StringProperty(unique_index=True, help_text="The organisation's key in tokens.")
    registry_revision = IntegerProperty(
        help_text="Raised by every change of the organisation's action types."
    )
    stored = IntegerProperty(
        help_text="The number of records when they were last counted, for the limit on them."
    )
    locked_at = DateTimeNeo4jFormatProperty(
        help_text="Written to lock the organisation's registry for a change."
    )

    actors = IN.from_(ACTOR)
    spaces = IN.from_(SPACE, OneOrMore)


class Actor(Node):
    """An agent, a person or a device. The node also has the label of its kind."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "kind", "key"),)

    kind = StringProperty(required=True)
    key = StringProperty(required=True, help_text="The actor's key in tokens.")
    home_id = StringProperty(required=True, help_text="The id of the actor's private space.")
    granted_at = DateTimeNeo4jFormatProperty(help_text="Written to lock the actor while a grant changes.")

    organisation = IN.to(ORGANISATION, One)
    spaces = MAY.to(SPACE)
    offered_spaces = OFFERED.to(SPACE)
    shared_goals = MAY.to(GOAL)
    goals = FOR.from_(GOAL)
    actions = FOR.from_(PENDING_ACTION)


class Agent(Actor):
    """A program that acts on behalf of a person or an organisation."""

    accompanies = True


class Person(Actor):
    """A human being."""


class Device(Actor):
    """A machine that adds observations."""


class Space(Node):
    """A container of nodes. Every node belongs to one space, and access is granted per space."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True)
    kind = StringProperty(required=True, help_text="private, shared or common.")
    version = IntegerProperty(
        required=True, help_text="Raised by every change of who may do what in it, and how."
    )
    links_devices = BooleanProperty(
        help_text="Of a person's own space: whether sessions on different devices may be related."
    )

    organisation = IN.to(ORGANISATION, One)
    actors = MAY.from_(ACTOR)
    offered_to = OFFERED.from_(ACTOR)
