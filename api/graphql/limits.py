"""Limits on a query's depth, aliases, fields, nodes and cost; a fragment counts wherever it is used.

Strawberry's limiters visit a fragment again at every use: a document of a hundred fragments that each use the
next one twice would keep the server busy for ever. These limits visit each fragment only once.

    nodes of a list    page size x (1 + nodes of the lists in it)
    cost of a field    1 + page size x (sum of the costs of the fields in it)
    page size          `first` or `limit` as written; the largest one for a variable, whose value is not known
                       when a document is checked; the default one if the list has no page size

A single node counts once, and the lists in it. The cost is how many values an answer may have: each of them
takes time to read, to check and to write, also where many fields show one node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
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
    from prefrontal.graph.config.settings import Settings

_WITH_FIELDS = (GraphQLObjectType, GraphQLInterfaceType)


@dataclass
class _Size:
    """The size of a selection, including the fragments it uses."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0
    nodes: int = 0
    cost: int = 0


class _Measure:
    """Computes the sizes of the selections of one document; the size of each fragment is cached."""

    def __init__(self, schema: GraphQLSchema, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._schema = schema
        self._fragments = fragments
        self._known: dict[str, _Size] = {}

    def selection(self, selection_set: SelectionSetNode | None, of: object) -> _Size:
        """Return the size of a selection of fields of a type; one without a sub-selection has depth 0."""
        size = _Size()
        for node in selection_set.selections if selection_set else ():
            inner = self._inner(node, of)
            size.depth = max(size.depth, inner.depth)
            size.aliases += inner.aliases
            size.fields += inner.fields
            size.nodes += inner.nodes
            size.cost += inner.cost
        return size

    def _inner(self, node: SelectionNode, of: object) -> _Size:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        if isinstance(node, InlineFragmentNode):
            on = node.type_condition
            return self.selection(node.selection_set, self._schema.get_type(on.name.value) if on else of)
        assert isinstance(node, FieldNode)  # noqa: S101 - there are only three kinds
        size = _Size()
        # Introspection has its own limit.
        if node.selection_set and not node.name.value.startswith("__"):
            # The type of an unknown field is unknown; another validation rule refuses the field.
            known = of.fields.get(node.name.value) if isinstance(of, _WITH_FIELDS) else None
            size = self.selection(node.selection_set, get_named_type(known.type) if known else None)
            size.depth += 1
            if known is not None:
                items = _page_size(known, node, of)
                size.nodes = items * (size.nodes + self._is_node(known))
                size.cost *= items
        size.aliases += node.alias is not None
        size.fields += 1
        size.cost += 1
        return size

    def _fragment(self, name: str) -> _Size:
        # An unknown or recursive fragment counts as empty here: another validation rule refuses it.
        if name not in self._known:
            self._known[name] = _Size()
            if fragment := self._fragments.get(name):
                on = self._schema.get_type(fragment.type_condition.name.value)
                self._known[name] = self.selection(fragment.selection_set, on)
        return self._known[name]

    def _is_node(self, field: GraphQLField) -> bool:
        kind, node = get_named_type(field.type), self._schema.get_type("Node")
        return kind is node or (isinstance(kind, GraphQLObjectType) and node in kind.interfaces)


def _page_size(field: GraphQLField, node: FieldNode, of: object) -> int:
    """Return how many items a field may have: 1 unless it is a list."""
    sized = {"first", "limit"} & set(field.args)
    if not sized:
        kind = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
        # The connection itself was counted with its page size.
        in_page = isinstance(of, GraphQLObjectType) and "pageInfo" in of.fields
        return DEFAULT_FIRST if isinstance(kind, GraphQLList) and not in_page else 1
    for argument in node.arguments or ():
        if argument.name.value in sized:
            return int(argument.value.value) if isinstance(argument.value, IntValueNode) else MOST_FIRST
    return DEFAULT_FIRST


class QueryLimits(AddValidationRules):
    """Refuses a document that exceeds the depth, aliases, fields, nodes or cost in the settings."""

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
    schema = context.schema
    measure = _Measure(
        schema, {d.name.value: d for d in definitions if isinstance(d, FragmentDefinitionNode)}
    )
    sizes = [
        measure.selection(d.selection_set, schema.get_root_type(d.operation))
        for d in definitions
        if isinstance(d, OperationDefinitionNode)
    ]
    found = (
        ("depth", max((size.depth for size in sizes), default=0), settings.max_query_depth),
        ("aliases", sum(size.aliases for size in sizes), settings.max_query_aliases),
        ("fields", sum(size.fields for size in sizes), settings.max_query_fields),
        ("nodes", sum(size.nodes for size in sizes), settings.max_query_nodes),
    )
    complaints = [
        f"the query's {what} may be at most {most}; select less, or split the query into several requests"
        for what, number, most in found
        if number > most
    ]
    cost, most_cost = sum(size.cost for size in sizes), settings.max_query_cost
    # What is over another limit is dear too; the other limit says more.
    if cost > most_cost and not complaints:
        complaints.append(
            f"the query's cost (its fields x the page sizes around them) is {cost} and may be at most "
            f"{most_cost} (PREFRONTAL_MAX_QUERY_COST); select less, or take smaller pages"
        )
    return complaints
