"""Scalars of the schema beside those of GraphQL and strawberry."""

from __future__ import annotations

from typing import Any, NewType

import strawberry
from graphql import FloatValueNode, GraphQLError, IntValueNode, StringValueNode, ValueNode, print_ast
from strawberry.types.scalar import ScalarDefinition

Priority = NewType("Priority", str)


def _parsed(value: Any) -> Any:
    """Return a text or a number as it is; whether it is a priority is decided with the rest of the input."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise GraphQLError(f"Priority cannot represent value: {value!r}")
    return value


def _literal(node: ValueNode, _variables: Any = None) -> Any:
    """Return the value of a literal."""
    if not isinstance(node, StringValueNode | IntValueNode | FloatValueNode):
        raise GraphQLError(f"Priority cannot represent value: {print_ast(node)}", node)
    return node.value


SCALARS: dict[object, ScalarDefinition] = {
    Priority: strawberry.scalar(
        name="Priority",
        description="A priority: its name (`low`, `medium`, `high`, `critical`) or its number (1 to 4), as "
        "`registry/goals.yaml` of the server has them.",
        parse_value=_parsed,
        parse_literal=_literal,
    )
}
