"""Entities and what mentions them."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
    StructuredRel,
)

from prefrontal.graph.node import Node, Properties


class Mentions(StructuredRel):
    """That something mentions an entity; ids are repeated so that an index can walk an entity by time."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "entity_uid", "from_uid"),)

    count = IntegerProperty(required=True, help_text="How often it is named there.")
    scope_id = StringProperty(required=True, help_text="The space of what mentions it.")
    entity_uid = StringProperty(required=True)
    from_uid = StringProperty(required=True)


class NamedIn(StructuredRel):
    """How an entity was first spelled in a space; it counts only while something there mentions it."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    scope_id = StringProperty(required=True)
    entity_uid = StringProperty(required=True)
    key = StringProperty(required=True)
    name = StringProperty(required=True)
    kind = StringProperty()
    since = DateTimeNeo4jFormatProperty(required=True)


class Entity(Node):
    """The bearer of a name in an organisation; its caption is the key, since spellings belong to spaces."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True, help_text="The folded name.")

    named_in = RelationshipTo("prefrontal.graph.access.node.Space", "NAMED_IN", model=NamedIn)
