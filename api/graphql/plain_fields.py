"""Fast execution of plain fields: those whose value is an attribute.

Most fields of an answer are plain. The executor of graphql-core prepares for each of them what only resolvers
need: the information about the field, its path and its arguments. Here the plain fields of an object are read
and converted at once: scalars, enums, and objects and lists of objects with plain fields alone.

    plan      which of the selected fields are plain and how each is read; made once for each selection
    answer    the plain fields by the plan, the other ones by the executor, in the order of the selection

Whatever is not as expected (null where there must be a value, a value that the scalar refuses, an object of
another class) is left to the executor, which reads the field again and reports the error as for every other
field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphql import GraphQLList, GraphQLNonNull, GraphQLObjectType, is_leaf_type
from graphql.pyutils import Undefined
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.cast import TYPE_CAST_ATTRIBUTE
from strawberry.types.field import StrawberryField

from prefrontal.api.graphql.records import RecordType

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from graphql import GraphQLField, GraphQLLeafType
    from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet

_Read = Callable[[Any], Any]
_ACCESSOR = "prefrontal-way"
"""The extension of a field that holds how it is read."""
_AS_THEY_ARE: Mapping[str, type] = {"String": str, "ID": str, "Boolean": bool}
"""The scalars that show values of one class as they are."""
_EMPTY: Mapping[str, Any] = {}


class _Unexpected(Exception):
    """A value that the executor has to judge."""


class _FieldAccessor(NamedTuple):
    """How a field of a type is read and shown; the same for every selection."""

    read: _Read
    as_is: type | None
    """Values of this very class are shown as they are."""
    show: _Read
    """Shows a value that is not null; of a list each item."""
    nullable: bool
    is_list: bool
    of: GraphQLObjectType | None
    """The type of the objects that the field shows, of which a plan has to show the selected fields."""


class _PlainField(NamedTuple):
    """How a selected field is read and shown."""

    name: str
    """The name in the answer."""
    read: _Read
    as_is: type | None
    show: _Read
    nullable: bool


class _SelectionPlan:
    """How the selected fields of an object are read."""

    def __init__(self, cls: type, *, checked: bool) -> None:
        self._cls, self._checked = cls, checked
        self._of_record = cls.plain_names() if issubclass(cls, RecordType) else None
        self.fields: list[_PlainField] = []
        self.others: GroupedFieldSet = {}

    def read(self, source: Any) -> dict[str, Any]:
        """Return the plain fields of an object.

        Raises:
            Exception: If the executor has to judge a value.
        """
        own = getattr(source, "__dict__", _EMPTY)
        if self._of_record is not None:
            # Of a type that shows a record, each plain field is read from the record.
            if type(source) is not self._cls or not own.keys().isdisjoint(self._of_record):
                raise _Unexpected
            source = own["record"]
        elif self._checked and type(source) is not self._cls:
            raise _Unexpected
        if TYPE_CAST_ATTRIBUTE in own:
            raise _Unexpected
        found: dict[str, Any] = {}
        for name, read, as_is, show, nullable in self.fields:
            value = read(source)
            if value.__class__ is as_is:
                found[name] = value
            elif value is not None:
                found[name] = show(value)
            elif nullable:
                found[name] = None
            else:
                raise _Unexpected
        return found


class PlainFieldsContext(StrawberryGraphQLCoreExecutionContext):
    """An execution in which plain fields cost no more than reading and converting their values."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._plans: dict[int, tuple[GroupedFieldSet, _SelectionPlan | None]] = {}

    def execute_fields(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,
        path: Any,
        grouped_field_set: GroupedFieldSet,
        position_context: Any,
    ) -> Any:
        """Return the values of the selected fields of an object, as the executor does."""
        plan = self._plan_of(parent_type, grouped_field_set)
        found: dict[str, Any] | None = None
        if plan is not None and plan.fields:
            try:
                found = plan.read(source_value)
            except Exception:  # noqa: BLE001 - the executor meets the same error and reports it with the path
                found = None
        if plan is None or found is None:
            return super().execute_fields(
                parent_type, source_value, path, grouped_field_set, position_context
            )
        if not plan.others:
            return found
        others: Any = super().execute_fields(parent_type, source_value, path, plan.others, position_context)
        if self.is_awaitable(others):
            return _joined_later(grouped_field_set, found, others)
        return _joined(grouped_field_set, found, others)

    def _plan_of(self, parent_type: GraphQLObjectType, selected: GroupedFieldSet) -> _SelectionPlan | None:
        """Return the plan of a selection; None if the executor has to read each of its fields."""
        known = self._plans.get(id(selected))
        if known is None:
            # The selection is kept with its plan, so that no other one gets its id.
            known = self._plans[id(selected)] = (selected, self._make_plan(parent_type, selected))
        return known[1]

    def _make_plan(self, parent_type: GraphQLObjectType, selected: GroupedFieldSet) -> _SelectionPlan | None:
        definition = parent_type.extensions.get("strawberry-definition")
        # An extension that wraps resolvers has to see every field.
        wrapped = self.middleware_manager is not None and bool(self.middleware_manager.middlewares)
        if wrapped or not isinstance(definition, StrawberryObjectDefinition):
            return None
        plan = _SelectionPlan(definition.origin, checked=parent_type.is_type_of is not None)
        for name, details in selected.items():
            plain = self._plain_field(name, parent_type, definition.origin, details)
            if plain is None:
                plan.others[name] = details
            else:
                plan.fields.append(plain)
        return plan

    def _plain_field(
        self, name: str, parent_type: GraphQLObjectType, cls: type, details: FieldDetailsList
    ) -> _PlainField | None:
        """Return how a selected field is read if it is plain, else None."""
        field_name = details[0].node.name.value
        if field_name == "__typename":
            shown = parent_type.name
            return _PlainField(name, lambda _: shown, str, str, nullable=False)
        field = parent_type.fields.get(field_name)
        way = None if field is None else _accessor_of(field, cls)
        if way is None:
            return None
        read, as_is, show, nullable, is_list, of = way
        if of is not None:
            plan = self._whole(of, details)
            if plan is None:
                return None
            show = _each(plan.read, None) if is_list else plan.read
        return _PlainField(name, read, as_is, show, nullable)

    def _whole(self, kind: GraphQLObjectType, details: FieldDetailsList) -> _SelectionPlan | None:
        """Return the plan of the selected fields of a field's value if all of them are plain, else None."""
        collected = self.collect_subfields(kind, details)
        if collected.new_defer_usages:
            return None
        plan = self._plan_of(kind, collected.grouped_field_set)
        return None if plan is None or plan.others else plan


def _joined(order: Mapping[str, Any], found: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    # A field that the schema does not have is in neither.
    return {
        name: found[name] if name in found else others[name]
        for name in order
        if name in found or name in others
    }


async def _joined_later(
    order: Mapping[str, Any], found: Mapping[str, Any], others: Awaitable[Mapping[str, Any]]
) -> dict[str, Any]:
    return _joined(order, found, await others)


def _accessor_of(field: GraphQLField, cls: type) -> _FieldAccessor | None:
    """Return how a field is read and shown; None if that is left to the executor."""
    if _ACCESSOR not in field.extensions:
        field.extensions[_ACCESSOR] = _make_accessor(field, cls)
    way: _FieldAccessor | None = field.extensions[_ACCESSOR]
    return way


def _make_accessor(field: GraphQLField, cls: type) -> _FieldAccessor | None:
    definition = field.extensions.get("strawberry-definition")
    if not isinstance(definition, StrawberryField) or not definition.is_basic_field or field.args:
        return None
    name = definition.python_name
    read = cls.reader_of(name) if issubclass(cls, RecordType) else attrgetter(name)
    kind: Any = field.type
    nullable = not isinstance(kind, GraphQLNonNull)
    kind = kind if nullable else kind.of_type
    is_list = isinstance(kind, GraphQLList)
    if is_list:
        kind = kind.of_type
        if not isinstance(kind, GraphQLNonNull):
            return None
        kind = kind.of_type
    if read is None:
        return None
    if isinstance(kind, GraphQLObjectType):
        return _FieldAccessor(read, None, _raise_unexpected, nullable, is_list, kind)
    if not is_leaf_type(kind):
        return None
    as_is, show = _leaf(kind)
    if is_list:
        as_is, show = None, _each(show, as_is)
    return _FieldAccessor(read, as_is, show, nullable, is_list, None)


def _raise_unexpected(_: Any) -> Any:
    raise _Unexpected


def _leaf(kind: GraphQLLeafType) -> tuple[type | None, _Read]:
    """Return the class of the values that are shown as they are, and how all others are shown."""
    coerce = kind.coerce_output_value

    def show(value: Any) -> Any:
        shown = coerce(value)
        if shown is None or shown is Undefined:
            raise _Unexpected
        return shown

    cls = getattr(kind, "wrapped_cls", None)
    if cls is not None:
        names = {member: show(member) for member in cls}
        return None, lambda value: names[value] if type(value) is cls else show(value)
    return _AS_THEY_ARE.get(kind.name), show


def _each(show: _Read, as_is: type | None) -> _Read:
    """Return how a list is shown; its items are shown by `show`, or as they are."""

    def show_items(values: Any) -> list[Any]:
        if not isinstance(values, list | tuple) or None in values:
            raise _Unexpected
        return [value if value.__class__ is as_is else show(value) for value in values]

    return show_items
