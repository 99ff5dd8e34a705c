"""What the log says about an operation: names of the schema, never texts of the client."""

from __future__ import annotations

import pytest
from graphql import parse
from strawberry.types import ExecutionContext

from prefrontal.api.graphql.operation import is_mutation, root_fields
from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.config.settings import Settings

SCHEMA = build_schema(Settings())


def executed(document: str | None, name: str | None = None) -> ExecutionContext:
    made = ExecutionContext(document, SCHEMA, (), provided_operation_name=name)  # type: ignore[call-arg]
    made.graphql_document = None if document is None else parse(document)
    return made


@pytest.mark.parametrize(
    ("document", "name", "fields", "mutates"),
    [
        (None, None, {}, False),
        ("{ pendingActions { totalCount } }", None, {"pendingActions": "pending_actions"}, False),
        ("{ secret: me { orgId } goals { totalCount } }", None, {"secret": "me", "goals": "goals"}, False),
        (
            (
                "query A { ...f ... on Query { me { orgId } } } "
                "fragment f on Query { ...f x: goals { totalCount } }"
            ),
            "A",
            {"x": "goals", "me": "me"},
            False,
        ),
        # Neither was checked when a request took too long.
        ("{ secret ...secret __typename }", None, {}, False),
        ("query A { me { orgId } } mutation B { it: forget(input: {}) { ok } }", "B", {"it": "forget"}, True),
        ("query A { me { orgId } } mutation B { it: forget(input: {}) { ok } }", "C", {}, False),
        ("subscription { secret }", None, {}, False),
    ],
)
def test_the_root_fields_are_those_of_the_schema(
    document: str | None, name: str | None, fields: dict[str, str], mutates: bool
) -> None:
    execution = executed(document, name)
    assert root_fields(execution) == fields
    assert is_mutation(execution) is mutates
