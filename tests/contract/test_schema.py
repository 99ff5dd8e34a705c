"""Node classes, queries and database agree on labels, relationship types, properties and constraints."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from neomodel import StringProperty

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.node import Node
from prefrontal.graph.storage.queries import load_queries
from prefrontal.graph.storage.schema_of_nodes import (
    NodeSchema,
    Rule,
    actual_rules,
    declared_schema,
    node_classes,
)
from tests.contract.cypher_text import names_in
from tests.support.world import World

# Labels of what belongs to no organisation, and so has none of the properties of an organisation's nodes.
GLOBAL = {"Embedding", "Importing", "KeyLock", "Lease", "Migration", "TypeDefinition"}


@pytest.fixture(scope="module")
def declared() -> NodeSchema:
    return declared_schema(node_classes())


def undeclared(schema: NodeSchema, texts: Iterable[tuple[str, str]]) -> list[str]:
    """What statements name and no node class declares."""
    complaints: list[str] = []
    known = {**schema.labels, **schema.relationships}
    # A query about any memory may name what only some memories have.
    below = {label: {label} | {sub for sub, up in schema.parents.items() if label in up} for label in known}
    for where, text in texts:
        names = names_in(text)
        complaints += [f"{where}: label {label}" for label in sorted(names.labels - schema.labels.keys())]
        complaints += [f"{where}: type {kind}" for kind in sorted(names.types - schema.relationships.keys())]
        for owners, key in sorted(names.properties, key=str):
            reach = set().union(*(below.get(owner, set()) for owner in owners))
            if not any(key in known[owner] for owner in reach):
                complaints.append(f"{where}: {'|'.join(sorted(owners))}.{key}")
    return complaints


def test_every_name_in_a_query_is_declared(declared: NodeSchema) -> None:
    queries = load_queries(ROOT / "cypher").values()

    assert undeclared(declared, [(query.name, query.text) for query in queries]) == []


def test_the_reader_of_queries_sees_what_they_name() -> None:
    names = names_in(load_queries(ROOT / "cypher")["goals/create_goal"].text)

    assert names.labels == {"Goal", "Version", "Actor", "Observation", "Memory", "Topic"}
    assert names.types == {"MAY", "OF", "FOR", "CHILD_OF", "DERIVED_FROM", "EVIDENCES", "CONTRADICTS", "ON"}
    assert (frozenset({"EVIDENCES"}), "weight") in names.properties
    assert (frozenset({"Observation", "Memory"}), "scope_id") in names.properties


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("MATCH (g:Gaol) RETURN g", "q: label Gaol"),
        ("MATCH (g) WHERE g:Gaol RETURN g", "q: label Gaol"),
        ("MATCH (:Goal)-[:CHILD_FO]->(:Goal) RETURN 1", "q: type CHILD_FO"),
        ("MATCH (g:Goal {titel: 'x'}) RETURN g", "q: Goal.titel"),
        ("MATCH (g:Goal) WHERE g.prioritty > 1 RETURN g", "q: Goal.prioritty"),
        ("MATCH (g:Goal) RETURN g {.uid, .titel}", "q: Goal.titel"),
        ("MATCH (:Agent)-[m:MAY]->(:Space) WHERE m.untill IS NULL RETURN m", "q: MAY.untill"),
    ],
)
def test_a_name_that_is_not_declared_is_found(declared: NodeSchema, text: str, complaint: str) -> None:
    assert undeclared(declared, [("q", text)]) == [complaint]


def test_every_node_of_an_organisation_shares_the_common_properties(declared: NodeSchema) -> None:
    common = {"uid", "org_id", "scope_id", "name", "created_at", "by_uid"}

    assert {label for label, has in declared.labels.items() if not common <= has.keys()} == GLOBAL


async def test_the_database_has_exactly_the_declared_constraints_and_indexes(
    declared: NodeSchema, world: World
) -> None:
    assert await actual_rules(world.services.database) == declared.rules


async def test_a_rule_that_only_one_side_has_is_found(world: World) -> None:
    class Gadget(Node):
        composite_indexes = (("scope_id", "maker"),)

        maker = StringProperty(index=True)

    extra = declared_schema([Gadget]).rules
    declared = declared_schema(node_classes()).rules

    assert extra == {
        Rule("unique", "Gadget", ("uid",)),
        Rule("range", "Gadget", ("maker",)),
        Rule("range", "Gadget", ("scope_id", "maker")),
    }
    assert extra.isdisjoint(await actual_rules(world.services.database))
    found_by = ("content", "terms", "searchable_in", "uid")
    fewer = declared - {Rule("unique", "Request", ("org_id", "by_uid", "key"))}
    assert await actual_rules(world.services.database) != fewer
    assert await actual_rules(world.services.database) != {
        *declared - {Rule("fulltext", "Memory", found_by, "standard-no-stop-words")},
        Rule("fulltext", "Memory", found_by, "english"),
    }
    vector = ("embedding_a", "searchable_in", "kind", "expires_at")
    assert Rule("vector", "Memory", vector, "cosine none") in declared
    assert await actual_rules(world.services.database) != {
        *declared - {Rule("vector", "Memory", vector, "cosine none")},
        Rule("vector", "Memory", vector, "cosine none 384"),
    }
