"""Fast execution of plain fields: those whose value is an attribute, shown as a scalar or an enum.

Most fields of an answer are plain. The executor of graphql-core prepares for each of them what only resolvers
need: the information about the field, its path and its arguments. Here a plain field is read and converted
at once. Whatever is not as expected (null where there must be a value, a value that the scalar refuses) is
left to the executor, which reports the error as for every other field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

from graphql import GraphQLList, GraphQLNonNull, is_leaf_type
from graphql.pyutils import Undefined
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField

if TYPE_CHECKING:
    from graphql import GraphQLField, GraphQLObjectType


class _Plain(NamedTuple):
    """How a plain field is read and shown."""

    attribute: str
    coerce: Callable[[Any], Any]
    nullable: bool
    is_list: bool


class PlainFieldsContext(StrawberryGraphQLCoreExecutionContext):
    """An execution in which plain fields cost no more than reading and converting their values."""

    _plain: ClassVar[WeakKeyDictionary[GraphQLObjectType, dict[str, _Plain | None]]] = WeakKeyDictionary()

    def execute_field(
        self,
        parent_type: GraphQLObjectType,
        source: Any,
        field_details_list: Any,
        path: Any,
        position_context: Any,
    ) -> Any:
        """Return the value of a field, as the executor does."""
        fields = self._plain.get(parent_type)
        if fields is None:
            fields = self._plain[parent_type] = {
                name: _plain(field) for name, field in parent_type.fields.items()
            }
        plain = fields.get(field_details_list[0].node.name.value)
        # An extension that wraps resolvers has to see every field.
        if plain is not None and not (self.middleware_manager and self.middleware_manager.middlewares):
            shown = _shown(plain, source)
            if shown is not Undefined:
                return shown
        return super().execute_field(parent_type, source, field_details_list, path, position_context)


def _shown(plain: _Plain, source: Any) -> Any:
    """Return what a plain field shows of its source; `Undefined` if the executor has to decide."""
    try:
        value = getattr(source, plain.attribute)
        if value is None:
            return None if plain.nullable else Undefined
        if not plain.is_list:
            shown = plain.coerce(value)
            return Undefined if shown is None else shown
        if not isinstance(value, list | tuple):
            return Undefined
        items = [plain.coerce(item) for item in value]
    except Exception:  # noqa: BLE001 - the executor meets the same error and reports it with the path
        return Undefined
    return Undefined if any(item is None or item is Undefined for item in items) else items


def _plain(field: GraphQLField) -> _Plain | None:
    """Return how a field is shown if it is plain, else None."""
    definition = field.extensions.get("strawberry-definition")
    if not isinstance(definition, StrawberryField) or not definition.is_basic_field or field.args:
        return None
    kind: Any = field.type
    nullable = not isinstance(kind, GraphQLNonNull)
    kind = kind if nullable else kind.of_type
    is_list = isinstance(kind, GraphQLList)
    if is_list:
        kind = kind.of_type
        if not isinstance(kind, GraphQLNonNull):
            return None
        kind = kind.of_type
    if not is_leaf_type(kind):
        return None
    return _Plain(definition.python_name, kind.coerce_output_value, nullable, is_list)
