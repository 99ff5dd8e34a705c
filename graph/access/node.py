"""Organisations, actors and spaces: who asks, and where they may read and write."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, RelationshipTo, StringProperty

from prefrontal.graph.node import Link, Node, Properties


class Organisation(Node):
    """A tenant; nothing is shared between two of them."""

    key = StringProperty(unique_index=True, help_text="What tokens name.")
    registry_revision = IntegerProperty(help_text="Rises with every change of its own action types.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock its registry while that changes.")


class May(Link):
    """What an actor may do in a space, or with a goal and everything below it."""

    permission = StringProperty(required=True)
    granted_by = StringProperty(required=True)


class Actor(Node):
    """Somebody or something that acts; it also has the label of its kind."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "kind", "key"),)

    kind = StringProperty(required=True)
    key = StringProperty(required=True, help_text="What tokens name.")
    home_id = StringProperty(required=True, help_text="Its private space.")
    granted_at = DateTimeNeo4jFormatProperty(help_text="Written to lock the actor while a grant changes.")

    spaces = RelationshipTo("prefrontal.graph.access.node.Space", "MAY", model=May)
    goals = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "MAY", model=May)


class Agent(Actor):
    """A program that acts on behalf of a person or an organisation."""


class Person(Actor):
    """A human being."""


class Device(Actor):
    """A machine that notices things."""


class Space(Node):
    """Where memories belong, and to which access is granted."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True)
    kind = StringProperty(required=True, help_text="private, shared or common.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock it while goals are founded in it.")
    version = IntegerProperty(required=True, help_text="Rises with every grant and revocation.")
