"""Base classes of the node classes, which declare the graph's schema and have no behaviour.

The running service does not import node classes. The queries under `cypher/` read and write the graph, and
the migrations under `cypher/schema/` create constraints and indexes. Tests compare the queries, the
migrations and the database with these declarations.

neomodel declares labels, properties, relationships and constraints on one property. Class attributes declare
the rest, which neomodel cannot express:

    composite_unique    uniqueness over several properties, one tuple each
    composite_indexes   range indexes over several properties, one tuple each
    fulltext            full-text indexes: the tuple of indexed properties, mapped to the name of the analyzer
    vectors             vector indexes by cosine: the vector, and the properties that a search filters by
                        Full-text and vector indexes of a base class without a label span the labels of its
                        classes.
    accompanies         whether nodes are written along with any change; counts of what a change wrote leave
                        them out unless they are named

Maps are stored as JSON text in a `StringProperty`, because a Neo4j property cannot hold a map.
"""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    StringProperty,
    StructuredNode,
)

from prefrontal.graph.relations import (
    CHECKPOINT,
    HOLDS,
    KEEPS,
    MADE,
    OF,
    REMEMBERED,
    RESTS_ON,
    SAW,
    SESSION,
    SUMMARY,
    TURN,
    VERSION,
)

Properties = tuple[str, ...]


class Node(StructuredNode):
    """The properties of every node: its id, its organisation and space, a caption, and its creation."""

    __abstract_node__ = True

    composite_unique: ClassVar[tuple[Properties, ...]] = ()
    composite_indexes: ClassVar[tuple[Properties, ...]] = ()
    fulltext: ClassVar[dict[Properties, str]] = {}
    vectors: ClassVar[tuple[Properties, ...]] = ()
    accompanies: ClassVar[bool] = False

    uid = StringProperty(unique_index=True)
    org_id = StringProperty(required=True)
    scope_id = StringProperty(required=True, help_text="The id of the one space that the node belongs to.")
    name = StringProperty(required=True, help_text="The node's caption in Neo4j Browser.")
    created_at = DateTimeNeo4jFormatProperty(required=True)
    by_uid = StringProperty(required=True, help_text="The id of the actor that created the node.")


class ChangingNode(Node):
    """A node that can change after its creation. Every change raises its version by one."""

    __abstract_node__ = True

    updated_at = DateTimeNeo4jFormatProperty(required=True)
    version = IntegerProperty(required=True)


class Searchable(ChangingNode):
    """A node whose text can be searched, by its words and by its vector in one of two slots."""

    __abstract_node__ = True
    # Of a node that lacks a vector, so that neomodel finds its class in every state.
    __optional_labels__: ClassVar[list[str]] = ["Unembedded"]

    kind = StringProperty(required=True)
    content = StringProperty(required=True, help_text="The text that is searched.")
    searchable_in = StringProperty(
        help_text="The space's id while the node can be found, for text search; else unset."
    )
    terms = StringProperty(help_text="The stems that the node is found by; none once it is forgotten.")
    embedding_a = ArrayProperty(FloatProperty(), help_text="The vector of the text in slot a.")
    embedded_a = StringProperty(help_text="The name of the encoder that made `embedding_a`.")
    embedding_b = ArrayProperty(FloatProperty(), help_text="The vector of the text in slot b.")
    embedded_b = StringProperty(help_text="The name of the encoder that made `embedding_b`.")


class Plan(Searchable):
    """A node of the Frontal Cortex whose text can be searched: a goal, a question or a story.

    One full-text index spans their labels, and one vector index for each slot. Unlike memories they do not
    expire.
    """

    __abstract_node__ = True

    fulltext: ClassVar[dict[Properties, str]] = {
        ("content", "terms", "searchable_in", "uid"): "standard-no-stop-words"
    }
    vectors: ClassVar[tuple[Properties, ...]] = (
        ("embedding_a", "searchable_in", "kind"),
        ("embedding_b", "searchable_in", "kind"),
    )


class Memory(Searchable):
    """A memory: an observation, or one that does not fade.

    All of them share this label, so one full-text index serves them, and one vector index for each slot.
    """

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "by_uid"),)

    fulltext: ClassVar[dict[Properties, str]] = {
        ("content", "terms", "searchable_in", "uid"): "standard-no-stop-words"
    }
    vectors: ClassVar[tuple[Properties, ...]] = (
        ("embedding_a", "searchable_in", "kind", "expires_at"),
        ("embedding_b", "searchable_in", "kind", "expires_at"),
    )

    live = BooleanProperty(required=True)
    expires_at = DateTimeNeo4jFormatProperty(required=True)

    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION)
    seen_by = SAW.from_(TURN)
    summaries = RESTS_ON.from_(SUMMARY)
    derived = RESTS_ON.from_(REMEMBERED)
    held_by = HOLDS.from_(SESSION)
    kept_by = KEEPS.from_(CHECKPOINT)
