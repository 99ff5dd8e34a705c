"""The schema that the node classes declare and the schema a database has, as values that can be compared.

declared   each class's label, properties, relationships, constraints and indexes
actual     SHOW CONSTRAINTS and SHOW INDEXES, without the two token lookup indexes and without the
           indexes that back a constraint
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    StringProperty,
    StructuredNode,
)

from prefrontal import graph

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """`unique`, `range` or `fulltext`."""
    on: str
    """The label or the relationship type."""
    properties: tuple[str, ...]
    analyzer: str | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """A property as a node class declares it."""

    type: str
    """The type as Cypher's `valueType()` names it, without `NOT NULL`."""
    required: bool


@dataclass(slots=True)
class NodeSchema:
    """Everything the node classes declare."""

    labels: dict[str, dict[str, Declared]] = field(default_factory=dict)
    """The properties of each label, including the properties of its parent labels."""
    parents: dict[str, frozenset[str]] = field(default_factory=dict)
    """The further labels that nodes with a label carry."""
    relationships: dict[str, dict[str, Declared]] = field(default_factory=dict)
    """The properties of each relationship type."""
    rules: set[Rule] = field(default_factory=set)


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
    for cls in classes:
        label = str(cls.__label__)
        schema.labels[label] = {name: _declared(prop) for name, prop in cls.__all_properties__}
        schema.parents[label] = frozenset(cls.inherited_labels()) - {label}
        schema.rules |= _rules_of(cls, label, dict(cls.__all_properties__))
        for _, relationship in cls.__all_relationships__:
            kind, model = relationship.definition["relation_type"], relationship.definition["model"]
            properties = dict(model.defined_properties(aliases=False, rels=False)) if model else {}
            schema.relationships.setdefault(kind, {}).update(
                {name: _declared(prop) for name, prop in properties.items()}
            )
            if model:
                schema.rules |= _rules_of(model, kind, properties)
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
            "|".join(row["labelsOrTypes"]),
            tuple(row["properties"]),
        )
        for row in constraints
    }
    return rules | {
        Rule(
            row["type"].lower(),
            "|".join(row["labelsOrTypes"]),
            tuple(row["properties"]),
            row["options"]["indexConfig"].get("fulltext.analyzer"),
        )
        for row in indexes
    }


def _rules_of(cls: type[Any], on: str, properties: dict[str, Any]) -> set[Rule]:
    # Only the label's own rules: the rules of an inherited property belong to the parent label.
    own = vars(cls)
    above: Any = next((base for base in cls.__mro__[1:] if "__label__" in vars(base)), None)
    inherited = {name for name, _ in above.__all_properties__} if above else set()
    rules = {
        Rule("unique" if prop.unique_index else "range", on, (name,))
        for name, prop in properties.items()
        if (prop.unique_index or prop.index) and name not in inherited
    }
    rules |= {Rule("unique", on, parts) for parts in own.get("composite_unique", ())}
    rules |= {Rule("range", on, parts) for parts in own.get("composite_indexes", ())}
    return rules | {
        Rule("fulltext", on, parts, analyzer) for parts, analyzer in own.get("fulltext", {}).items()
    }


def _declared(prop: Any) -> Declared:
    required = bool(prop.required or prop.unique_index)
    if isinstance(prop, ArrayProperty):
        return Declared(f"LIST<{_TYPES[type(prop.base_property)]} NOT NULL>", required)
    return Declared(_TYPES[type(prop)], required)
