"""What a client can call, and what it gets, is documented."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from graphql import GraphQLSchema, build_schema, is_introspection_type

from prefrontal.graph.config.settings import ROOT

SCHEMA: GraphQLSchema = build_schema((ROOT / "schema.graphql").read_text(encoding="utf-8"))
ROOTS = [kind for kind in (SCHEMA.query_type, SCHEMA.mutation_type, SCHEMA.subscription_type) if kind]
JSON_SCHEMAS = sorted(
    path for folder in ("docs", "registry") for path in (ROOT / folder).glob("*.schema.json")
)
FOREIGN = {"JsonValue"}
"""Definitions that a library brings: any JSON."""


@pytest.mark.covers("OPS-61")
def test_each_type_and_each_operation_of_the_schema_is_described() -> None:
    types = [each for each in SCHEMA.type_map.values() if not is_introspection_type(each)]
    operations = [(name, field) for root in ROOTS for name, field in root.fields.items()]

    assert len(types) > 300
    assert len(operations) > 100
    # What the roots are is said by GraphQL itself.
    assert [each.name for each in types if not each.description and each not in ROOTS] == []
    assert [name for name, field in operations if not field.description] == []


@pytest.mark.covers("OPS-61")
def test_a_page_says_what_each_operation_does() -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    named = set(re.findall(r"\w+", pages))

    assert sorted({name for root in ROOTS for name in root.fields} - named) == []


@pytest.mark.covers("OPS-61")
@pytest.mark.parametrize("path", JSON_SCHEMAS, ids=lambda path: path.name)
def test_each_definition_of_a_json_schema_is_described(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))

    assert schema["description"]
    definitions = schema["$defs"]
    assert [
        name for name in definitions if name not in FOREIGN and not definitions[name].get("description")
    ] == []


def test_there_are_json_schemas() -> None:
    assert [path.name for path in JSON_SCHEMAS] == [
        "fixtures.schema.json",
        "state_export.schema.json",
        "action_type.schema.json",
    ]
