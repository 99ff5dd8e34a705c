"""Limits on a query's depth, aliases, fields and nodes; a fragment counts wherever it is used.

The nodes are the most that the query's lists may return: `first` of each list, times `first` of the lists
around it. A list without `first` counts as its default, one whose `first` is a variable as the largest page,
because a document is checked, and kept as checked, without its variables.

Strawberry's limiters visit a fragment again at every use: a document of a hundred fragments that each use the
next one twice would keep the server busy for ever. These limits visit each fragment only once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLInterfaceType,
    GraphQLObjectType,
    InlineFragmentNode,
    IntValueNode,
    NullValueNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    ValidationContext,
    ValidationRule,
    get_named_type,
)
from strawberry.extensions import AddValidationRules

from prefrontal.graph.storage.paging import DEFAULT_FIRST, MOST_FIRST

if TYPE_CHECKING:
    from graphql import GraphQLField, GraphQLNamedType, GraphQLSchema

    from prefrontal.graph.config.settings import Settings


_SIZES = ("first", "limit")
"""The arguments that say how long a list may be."""


@dataclass
class _Size:
    """The size of a selection, including the fragments it uses."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0
    nodes: int = 0


class _Measure:
    """Computes the sizes of the selections of one document; the size of each fragment is cached."""

    def __init__(self, schema: GraphQLSchema, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._schema = schema
        self._fragments = fragments
        self._known: dict[str, _Size] = {}

    def selection(self, selection_set: SelectionSetNode | None, of: GraphQLNamedType | None) -> _Size:
        """Return the size of a selection of a type's fields; a field without a sub-selection has depth 0."""
        size = _Size()
        for node in selection_set.selections if selection_set else ():
            inner = self._inner(node, of)
            size.depth = max(size.depth, inner.depth)
            size.aliases += inner.aliases
            size.fields += inner.fields
            size.nodes += inner.nodes
        return size

    def _inner(self, node: SelectionNode, of: GraphQLNamedType | None) -> _Size:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        if isinstance(node, InlineFragmentNode):
            on = node.type_condition
            return self.selection(node.selection_set, self._schema.get_type(on.name.value) if on else of)
        assert isinstance(node, FieldNode)  # noqa: S101 - there are only three kinds
        size = _Size()
        # Introspection has its own limit.
        if node.selection_set and not node.name.value.startswith("__"):
            # An unknown field has no type; another validation rule refuses it.
            fields = of.fields if isinstance(of, GraphQLObjectType | GraphQLInterfaceType) else {}
            field = fields.get(node.name.value)
            size = self.selection(node.selection_set, get_named_type(field.type) if field else None)
            size.depth += 1
            if field and (wanted := _page_size(node, field)):
                size.nodes = wanted * (1 + size.nodes)
        size.aliases += node.alias is not None
        size.fields += 1
        return size

    def _fragment(self, name: str) -> _Size:
        # An unknown or recursive fragment counts as empty here: another validation rule refuses it.
        if name not in self._known:
            self._known[name] = _Size()
            if fragment := self._fragments.get(name):
                on = self._schema.get_type(fragment.type_condition.name.value)
                self._known[name] = self.selection(fragment.selection_set, on)
        return self._known[name]


def _page_size(node: FieldNode, field: GraphQLField) -> int:
    """Return the most nodes that one page of a list may have; 0 if the field is no list of pages."""
    name = next((name for name in _SIZES if name in field.args), None)
    if name is None:
        return 0
    given = next((each.value for each in node.arguments or () if each.name.value == name), None)
    if given is None or isinstance(given, NullValueNode):
        return DEFAULT_FIRST
    if isinstance(given, IntValueNode):
        # A page size out of range is refused by the field.
        return min(max(int(given.value), 1), MOST_FIRST)
    return MOST_FIRST


class QueryLimits(AddValidationRules):
    """Refuses a document that exceeds the depth, aliases, fields or nodes in the settings."""

    def __init__(self, settings: Settings) -> None:
        """Create the validation rule with the limits of the settings."""

        class Limits(ValidationRule):
            def __init__(self, context: ValidationContext) -> None:
                super().__init__(context)
                for message in _complaints(context, settings):
                    context.report_error(GraphQLError(message))

        super().__init__([Limits])


def _complaints(context: ValidationContext, settings: Settings) -> list[str]:
    """Return a message for each exceeded limit; all operations of the document count together."""
    definitions = context.document.definitions
    fragments = {d.name.value: d for d in definitions if isinstance(d, FragmentDefinitionNode)}
    measure = _Measure(context.schema, fragments)
    sizes = [
        measure.selection(d.selection_set, context.schema.get_root_type(d.operation))
        for d in definitions
        if isinstance(d, OperationDefinitionNode)
    ]
    found = (
        ("depth", max((size.depth for size in sizes), default=0), settings.max_query_depth),
        ("aliases", sum(size.aliases for size in sizes), settings.max_query_aliases),
        ("fields", sum(size.fields for size in sizes), settings.max_query_fields),
        ("nodes", sum(size.nodes for size in sizes), settings.max_query_nodes),
    )
    return [
        f"the query's {what} may be at most {most}; select less, or split the query into several requests"
        for what, number, most in found
        if number > most
    ]
