"""Scalars of the schema beside those of GraphQL and strawberry."""

from __future__ import annotations

from typing import Any, NewType

import strawberry
from graphql import FloatValueNode, GraphQLError, IntValueNode, StringValueNode, ValueNode, print_ast
from strawberry.types.scalar import ScalarDefinition

from prefrontal.graph.outbox.service import MOST_PLACES

Priority = NewType("Priority", str)
Seq = NewType("Seq", int)


def _parsed(value: Any) -> Any:
    """Return a text or a number as it is; whether it is a priority is decided with the rest of the input."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise GraphQLError(f"Priority cannot represent value: {value!r}")
    return value


def _literal(node: ValueNode, _variables: Any = None) -> Any:
    if not isinstance(node, StringValueNode | IntValueNode | FloatValueNode):
        raise GraphQLError(f"Priority cannot represent value: {print_ast(node)}", node)
    return node.value


def _parse_seq(value: Any) -> int:
    """Return a whole number; JSON numbers such as 3.0 are whole, too."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not 0 <= value <= MOST_PLACES:
        raise GraphQLError(f"Seq cannot represent value: {value!r}")
    return int(value)


def _parse_seq_literal(node: ValueNode, _variables: Any = None) -> int:
    if not isinstance(node, IntValueNode):
        raise GraphQLError(f"Seq cannot represent value: {print_ast(node)}", node)
    return _parse_seq(int(node.value))


SCALARS: dict[object, ScalarDefinition] = {
    Seq: strawberry.scalar(
        name="Seq",
        description="A place in the order of an organisation's events: a whole number from 0 to 2^53 - 1.",
        serialize=int,
        parse_value=_parse_seq,
        parse_literal=_parse_seq_literal,
    ),
    Priority: strawberry.scalar(
        name="Priority",
        description="A priority: its name (`low`, `medium`, `high`, `critical`) or its number (1 to 4), as "
        "`registry/goals.yaml` of the server has them.",
        parse_value=_parsed,
        parse_literal=_literal,
    ),
}
