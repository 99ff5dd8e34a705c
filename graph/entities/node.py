"""Node classes of entities, their names in spaces, and the relationships that mention entities."""

from __future__ import annotations

from typing import ClassVar

from neomodel import IntegerProperty, RelationshipTo, StringProperty, StructuredRel

from prefrontal.graph.node import Node, Properties


class Mentions(StructuredRel):
    """A memory mentions an entity. The ids are copied to the relationship for an index in order of time."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "entity_uid", "from_uid"),)

    count = IntegerProperty(
        required=True, help_text="The number of times the memory's text names the entity."
    )
    scope_id = StringProperty(required=True, help_text="The space of the memory.")
    entity_uid = StringProperty(required=True)
    from_uid = StringProperty(required=True)


class Entity(Node):
    """A named thing of an organisation.

    The caption is the folded name, because spellings belong to spaces.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True, help_text="The folded name.")


class Name(Node):
    """The first spelling of an entity in a space.

    It is valid only while a memory there mentions the entity. It is a node and not a relationship to the
    space, because a new relationship would lock the space for all other writers.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True, help_text="The folded name, the key of the entity.")
    kind = StringProperty()
    entity_uid = StringProperty(required=True)

    spells = RelationshipTo("prefrontal.graph.entities.node.Entity", "SPELLS")
