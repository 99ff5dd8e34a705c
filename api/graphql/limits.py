"""Limits on a query's depth, aliases and fields; a fragment counts wherever it is used.

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
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    ValidationContext,
    ValidationRule,
)
from strawberry.extensions import AddValidationRules

if TYPE_CHECKING:
    from prefrontal.graph.config.settings import Settings


@dataclass
class _Size:
    """The size of a selection, including the fragments it uses."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0


class _Measure:
    """Computes the sizes of the selections of one document; the size of each fragment is cached."""

    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, _Size] = {}

    def selection(self, selection_set: SelectionSetNode | None) -> _Size:
        """Return the size of a selection; a field without a sub-selection has depth 0."""
        size = _Size()
        for node in selection_set.selections if selection_set else ():
            inner = self._inner(node)
            size.depth = max(size.depth, inner.depth)
            size.aliases += inner.aliases
            size.fields += inner.fields
        return size

    def _inner(self, node: SelectionNode) -> _Size:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        if isinstance(node, InlineFragmentNode):
            return self.selection(node.selection_set)
        assert isinstance(node, FieldNode)  # noqa: S101 - there are only three kinds
        size = _Size()
        # Introspection has its own limit.
        if node.selection_set and not node.name.value.startswith("__"):
            size = self.selection(node.selection_set)
            size.depth += 1
        size.aliases += node.alias is not None
        size.fields += 1
        return size

    def _fragment(self, name: str) -> _Size:
        # An unknown or recursive fragment counts as empty here: another validation rule refuses it.
        if name not in self._known:
            self._known[name] = _Size()
            if fragment := self._fragments.get(name):
                self._known[name] = self.selection(fragment.selection_set)
        return self._known[name]


class QueryLimits(AddValidationRules):
    """Refuses a document that exceeds the depth, aliases or fields in the settings."""

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
    measure = _Measure({d.name.value: d for d in definitions if isinstance(d, FragmentDefinitionNode)})
    sizes = [
        measure.selection(d.selection_set) for d in definitions if isinstance(d, OperationDefinitionNode)
    ]
    found = (
        ("depth", max((size.depth for size in sizes), default=0), settings.max_query_depth),
        ("aliases", sum(size.aliases for size in sizes), settings.max_query_aliases),
        ("fields", sum(size.fields for size in sizes), settings.max_query_fields),
    )
    return [
        f"the query's {what} may be at most {most}; select less, or split the query into several requests"
        for what, number, most in found
        if number > most
    ]
