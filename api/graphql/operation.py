"""What an operation asks for: whether it may write, and its root fields, by which the log names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationType,
    get_operation_ast,
)

if TYPE_CHECKING:
    from graphql import OperationDefinitionNode, SelectionSetNode
    from strawberry.types import ExecutionContext

_UPPER = re.compile(r"(?<!^)(?=[A-Z])")


def is_mutation(execution: ExecutionContext) -> bool:
    """Return whether the operation is a mutation; False before the document is parsed."""
    operation = _operation(execution)
    return operation is not None and operation.operation is OperationType.MUTATION


SEVERAL = "several"
OTHER = "other"


def label_of(execution: ExecutionContext) -> tuple[str, str]:
    """Return the name of an operation for a metric or a trace, and its kind.

    The name is that of its root field: a name of the schema, so there is a bounded number of them. It is
    `several` for more than one root field, and `other` if no field of the schema is asked for.
    """
    operation = _operation(execution)
    names = set(root_fields(execution).values())
    kind = operation.operation.value if operation is not None else OTHER
    return (next(iter(names), OTHER) if len(names) < 2 else SEVERAL), kind  # noqa: PLR2004


def root_fields(execution: ExecutionContext) -> dict[str, str]:
    """Return the names of the operation's root fields in snake_case, by their names in the answer.

    The values can be logged: they are names of the schema. An alias, and the name of a field that the schema
    does not have, are texts of the client.
    """
    document, operation = execution.graphql_document, _operation(execution)
    if document is None or operation is None:
        return {}
    root = execution.schema._schema.get_root_type(operation.operation)  # noqa: SLF001 - no public access
    known = root.fields if root is not None else {}
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    found: dict[str, str] = {}

    def collect(selected: SelectionSetNode) -> None:
        for node in selected.selections:
            if isinstance(node, FieldNode) and node.name.value in known:
                found[(node.alias or node.name).value] = _UPPER.sub("_", node.name.value).lower()
            elif isinstance(node, InlineFragmentNode):
                collect(node.selection_set)
            elif isinstance(node, FragmentSpreadNode) and node.name.value in fragments:
                # Each fragment counts once, so that one that uses itself comes to an end.
                collect(fragments.pop(node.name.value).selection_set)

    collect(operation.selection_set)
    return found


def _operation(execution: ExecutionContext) -> OperationDefinitionNode | None:
    document = execution.graphql_document
    return None if document is None else get_operation_ast(document, execution.operation_name)
