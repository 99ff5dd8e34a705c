"""The schema that the node classes declare and the schema a database has, as values that can be compared.

declared   each class's label, properties, relationships with their ends, constraints and indexes
actual     SHOW CONSTRAINTS and SHOW INDEXES, without the two token lookup indexes and without the
           indexes that back a constraint
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    One,
    OneOrMore,
    StringProperty,
    StructuredNode,
    ZeroOrMore,
    ZeroOrOne,
)

from prefrontal import graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from prefrontal.graph.storage.unit_of_work import Database

_TYPES: dict[type, str] = {
    StringProperty: "STRING",
    IntegerProperty: "INTEGER",
    FloatProperty: "FLOAT",
    BooleanProperty: "BOOLEAN",
    DateTimeNeo4jFormatProperty: "ZONED DATETIME",
}


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """One constraint or index."""

    kind: str
    """`unique`, `range`, `fulltext` or `vector`."""
    on: str
    """The label or the relationship type; of an index over several labels all of them, sorted, with `|`."""
    properties: tuple[str, ...]
    how: str | None = None
    """The analyzer of a full-text index; the similarity and the quantization of a vector index."""


@dataclass(frozen=True, slots=True)
class DeclaredProperty:
    """A property as a node class declares it."""

    type: str
    """The type as Cypher's `valueType()` names it, without `NOT NULL`."""
    required: bool


class Cardinality(StrEnum):
    """How many nodes an end of a relation leads to, written as in UML."""

    ONE = "1"
    ONE_OR_MORE = "1..*"
    ZERO_OR_ONE = "0..1"
    ZERO_OR_MORE = "0..*"

    @property
    def least(self) -> int:
        """The smallest number of nodes."""
        return int(self.value[0])

    @property
    def most(self) -> int | None:
        """The largest number of nodes, or None if there is none."""
        return None if self in {Cardinality.ONE_OR_MORE, Cardinality.ZERO_OR_MORE} else 1


_CARDINALITIES: dict[type, Cardinality] = {
    One: Cardinality.ONE,
    OneOrMore: Cardinality.ONE_OR_MORE,
    ZeroOrOne: Cardinality.ZERO_OR_ONE,
    ZeroOrMore: Cardinality.ZERO_OR_MORE,
}


class Edge(NamedTuple):
    """A relationship type between two labels."""

    start: str
    type: str
    end: str


@dataclass(frozen=True, slots=True, order=True)
class End:
    """One end of a relation, as the node class there declares it."""

    label: str
    name: str
    """The attribute of the node class."""
    type: str
    other: str
    """The label at the other end."""
    outgoing: bool | None
    """Whether the relation begins here; None if the attribute leads along it in both directions."""
    cardinality: Cardinality
    ends: bool
    """Whether links of the relation end by setting `until`; the cardinality counts those in force."""
    group: str | None = None
    """Of the ends of a node that have the same group, at most one leads to a node."""

    @property
    def edge(self) -> Edge:
        """The relation with its direction."""
        start, end = (self.other, self.label) if self.outgoing is False else (self.label, self.other)
        return Edge(start, self.type, end)


@dataclass(slots=True)
class NodeSchema:
    """Everything the node classes declare."""

    labels: dict[str, dict[str, DeclaredProperty]] = field(default_factory=dict)
    """The properties of each label, including the properties of its parent labels."""
    parents: dict[str, frozenset[str]] = field(default_factory=dict)
    """The further labels that nodes with a label carry."""
    relationships: dict[str, dict[str, DeclaredProperty]] = field(default_factory=dict)
    """The properties of each relationship type."""
    accompanying: set[str] = field(default_factory=set)
    """The labels of what is written along with any change, and the labels that other labels come with."""
    ends: set[End] = field(default_factory=set)
    """Every end of every relation."""
    rules: set[Rule] = field(default_factory=set)

    @property
    def edges(self) -> set[Edge]:
        """Every relationship type with the labels between which it is declared."""
        return {end.edge for end in self.ends}

    def kinds_of(self, label: str) -> list[str]:
        """Return the labels whose nodes also have this label, sorted."""
        return sorted(sub for sub, above in self.parents.items() if label in above)


def node_classes() -> tuple[type[Any], ...]:
    """Return every node class of the project, found in the modules named `node`."""
    for module in pkgutil.walk_packages(graph.__path__, f"{graph.__name__}."):
        if module.name.rpartition(".")[2] == "node":
            importlib.import_module(module.name)
    found: list[type[Any]] = []
    open_: list[type[Any]] = list(StructuredNode.__subclasses__())
    while open_:
        cls = open_.pop()
        open_ += cls.__subclasses__()
        if cls.__module__.startswith(f"{graph.__name__}.") and "__label__" in vars(cls):
            found.append(cls)
    return tuple(sorted(found, key=lambda cls: str(cls.__name__)))


def declared_schema(classes: Iterable[type[Any]]) -> NodeSchema:
    """Return the schema that the node classes declare."""
    schema = NodeSchema()
    spanned: dict[type[Any], set[str]] = {}
    for cls in classes:
        label = str(cls.__label__)
        schema.labels[label] = {name: _declared(prop) for name, prop in cls.__all_properties__}
        schema.parents[label] = frozenset(cls.inherited_labels()) - {label}
        schema.accompanying |= schema.parents[label]
        if getattr(cls, "accompanies", False):
            schema.accompanying.add(label)
        schema.rules |= _rules_of(cls, label, dict(cls.__all_properties__))
        for base in cls.__mro__:
            if "__label__" not in vars(base):
                spanned.setdefault(base, set()).add(label)
        inherited = dict(above.__all_relationships__) if (above := _label_above(cls)) else {}
        for name, relationship in cls.__all_relationships__:
            if name not in inherited:
                schema.ends.add(_end(label, name, relationship))
            kind, model = relationship.definition["relation_type"], relationship.definition["model"]
            properties = dict(model.defined_properties(aliases=False, rels=False)) if model else {}
            schema.relationships.setdefault(kind, {}).update(
                {name: _declared(prop) for name, prop in properties.items()}
            )
            if model:
                schema.rules |= _rules_of(model, kind, properties)
    for base, labels in spanned.items():
        schema.rules |= _searches_of(vars(base), "|".join(sorted(labels)))
    return schema


async def actual_rules(database: Database) -> set[Rule]:
    """Return the constraints and indexes the database has."""
    constraints = await database.implicit(
        "SHOW CONSTRAINTS YIELD type, labelsOrTypes, properties, ownedIndex "
        "RETURN type, labelsOrTypes, properties, ownedIndex"
    )
    indexes = await database.implicit(
        "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options, owningConstraint "
        "WHERE type <> 'LOOKUP' AND owningConstraint IS NULL RETURN *"
    )
    rules = {
        Rule(
            "unique" if "UNIQUENESS" in row["type"] else row["type"].lower(),
            "|".join(sorted(row["labelsOrTypes"])),
            tuple(row["properties"]),
        )
        for row in constraints
    }
    return rules | {
        Rule(
            row["type"].lower(),
            "|".join(sorted(row["labelsOrTypes"])),
            tuple(row["properties"]),
            _how(row["options"]["indexConfig"]),
        )
        for row in indexes
    }


def _how(config: dict[str, Any]) -> str | None:
    if "vector.similarity_function" in config:
        parts = ("vector.similarity_function", "vector.quantization.type", "vector.dimensions")
        return " ".join(str(config[part]).lower() for part in parts if part in config)
    analyzer = config.get("fulltext.analyzer")
    return None if analyzer is None else str(analyzer)


def _rules_of(cls: type[Any], on: str, properties: dict[str, Any]) -> set[Rule]:
    # Only the label's own rules: the rules of an inherited property belong to the parent label.
    own = vars(cls)
    inherited = {name for name, _ in above.__all_properties__} if (above := _label_above(cls)) else set()
    rules = {
        Rule("unique" if prop.unique_index else "range", on, (name,))
        for name, prop in properties.items()
        if (prop.unique_index or prop.index) and name not in inherited
    }
    rules |= {Rule("unique", on, parts) for parts in own.get("composite_unique", ())}
    rules |= {Rule("range", on, parts) for parts in own.get("composite_indexes", ())}
    return rules | _searches_of(own, on)


def _searches_of(own: Mapping[str, Any], on: str) -> set[Rule]:
    """Return the full-text and vector indexes that a class declares."""
    rules = {Rule("vector", on, parts, "cosine none") for parts in own.get("vectors", ())}
    return rules | {
        Rule("fulltext", on, parts, analyzer) for parts, analyzer in own.get("fulltext", {}).items()
    }


def _label_above(cls: type[Any]) -> Any:
    """Return the class of the next label above, or None."""
    return next((base for base in cls.__mro__[1:] if "__label__" in vars(base)), None)


def _end(label: str, name: str, relationship: Any) -> End:
    relationship.lookup_node_class()
    definition = relationship.definition
    # neomodel's directions: 1 out, -1 in, 0 both.
    direction = int(definition["direction"])
    managers = relationship.manager.__mro__
    return End(
        label=label,
        name=name,
        type=definition["relation_type"],
        other=str(definition["node_class"].__label__),
        outgoing=direction > 0 if direction else None,
        cardinality=next(_CARDINALITIES[base] for base in managers if base in _CARDINALITIES),
        ends=bool(definition["model"]) and "until" in definition["model"].defined_properties(),
        group=definition["exclusion_group"],
    )


def _declared(prop: Any) -> DeclaredProperty:
    required = bool(prop.required or prop.unique_index)
    if isinstance(prop, ArrayProperty):
        return DeclaredProperty(f"LIST<{_TYPES[type(prop.base_property)]} NOT NULL>", required)
    return DeclaredProperty(_TYPES[type(prop)], required)
