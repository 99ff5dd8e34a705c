"""What every node class shares. Node classes declare the graph's schema and have no behaviour.

Nothing imports them while the service runs: the queries under `cypher/` read and write, the migrations
under `cypher/schema/` make constraints and indexes, and tests hold all three to these declarations.

neomodel declares labels, properties, relationships and constraints on one property. What it has no words
for is declared in plain class attributes:

    composite_unique    uniqueness over several properties, one tuple each
    composite_indexes   range indexes over several properties, one tuple each
    fulltext            full-text indexes: analyzer by the tuple of their properties

Maps are JSON text in a `StringProperty`, since Neo4j stores no maps.
"""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    StringProperty,
    StructuredNode,
    StructuredRel,
)

Properties = tuple[str, ...]


class Node(StructuredNode):
    """What every node of an organisation has, so that indexes can filter and people can read it."""

    __abstract_node__ = True

    composite_unique: ClassVar[tuple[Properties, ...]] = ()
    composite_indexes: ClassVar[tuple[Properties, ...]] = ()
    fulltext: ClassVar[dict[Properties, str]] = {}

    uid = StringProperty(unique_index=True)
    org_id = StringProperty(required=True)
    scope_id = StringProperty(required=True, help_text="The one space it belongs to.")
    name = StringProperty(required=True, help_text="Its caption in Neo4j Browser.")
    created_at = DateTimeNeo4jFormatProperty(required=True)
    by_uid = StringProperty(required=True, help_text="The actor that made it.")


class ChangingNode(Node):
    """A node that is changed after it was made; its version rises with every change."""

    __abstract_node__ = True

    updated_at = DateTimeNeo4jFormatProperty(required=True)
    version = IntegerProperty(required=True)


class Memory(ChangingNode):
    """Everything recallable: one label, so that one full-text index serves every search."""

    fulltext: ClassVar[dict[Properties, str]] = {("content", "searchable_in"): "standard-no-stop-words"}

    kind = StringProperty(required=True)
    content = StringProperty(required=True)
    live = BooleanProperty(required=True)
    searchable_in = StringProperty(help_text="Its scope while it is live, so that text search finds it.")
    expires_at = DateTimeNeo4jFormatProperty(required=True)


class Link(StructuredRel):
    """A relationship that can end: ending it sets `until`, so that earlier times can be asked for."""

    since = DateTimeNeo4jFormatProperty(required=True)
    until = DateTimeNeo4jFormatProperty()
    by = StringProperty(required=True)
