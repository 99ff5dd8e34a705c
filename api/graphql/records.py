"""GraphQL types that show records, and GraphQL inputs that are made from the fields of records.

    @graphql_type_of(Goal, "…")     a type: each plain field shows the record's field of the same name
    input_type(TransitionGoal)      an input: one field for each field of the record

A field that the record does not have fails when the class is defined, not when a client asks for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import strawberry
from strawberry.types.private import is_private

if TYPE_CHECKING:
    from prefrontal.graph.record import Record

Get = Callable[[Any], Any]
Show = Callable[[Any], Any]
C = TypeVar("C", bound="type[RecordType]")

_RENAMED = {
    "id": "uid",
    "space": "scope_id",
    "created_by": "by_uid",
    "last_updated": "updated_at",
}
"""The names of fields that GraphQL and records call differently."""

REFERS = "refers"
"""The metadata of a field with a resolver: the field of the record that the resolver reads."""


class RecordType:
    """A GraphQL type whose plain fields show a record; a field is read when it is selected."""

    record: Any
    _accessors: ClassVar[Mapping[str, tuple[Get, Show | None]]]
    _words: ClassVar[Mapping[str, str]]

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """Return the type of a record."""
        shown = object.__new__(cls)
        shown.__dict__["record"] = record
        return shown

    @classmethod
    def maybe(cls, record: Any | None) -> Self | None:
        """Return the type of a record, or None if there is no record."""
        return None if record is None else cls.from_record(record)

    @classmethod
    def words(cls) -> Mapping[str, str]:
        """Return, by field of the record, the name of the field that shows it."""
        return cls._words

    @classmethod
    def plain_names(cls) -> Collection[str]:
        """Return the names of the plain fields."""
        return cls._accessors.keys()

    @classmethod
    def reader_of(cls, name: str) -> Get | None:
        """Return the function that reads a plain field from the record; None if the field is not plain."""
        if name not in cls._accessors:
            return None
        get, show = cls._accessors[name]
        if show is None:
            return get

        def read(record: Any) -> Any:
            value = get(record)
            return None if value is None else show(value)

        return read

    if not TYPE_CHECKING:  # else every misspelt attribute would pass the type checker

        def __getattr__(self, name: str) -> Any:
            """Return the value of a plain field; called because the instance itself stores none."""
            try:
                get, show = self._accessors[name]
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no {name}") from None
            value = get(self.record)
            return value if show is None or value is None else show(value)


@dataclass_transform(kw_only_default=True, field_specifiers=(strawberry.field,))
def graphql_type_of(
    record: type[Record],
    description: str,
    *,
    name: str | None = None,
    rename: Mapping[str, str] | None = None,
) -> Callable[[C], C]:
    """Make a class the GraphQL type of a record.

    Args:
        record: The class of the record.
        description: What the type is.
        name: The name of the type; the record's own by default.
        rename: The record's name of fields that have another one than in GraphQL; that of a field of a nested
            record is e.g. `selection.text`.

    Raises:
        TypeError: If the record has no such field as one of the class.
    """

    def make(cls: C) -> C:
        made = strawberry.type(name=name or record.__name__, description=description)(cls)
        hints = get_type_hints(made, include_extras=True)
        plan: dict[str, tuple[Get, Show | None]] = {}
        words: dict[str, str] = {}
        for field in dataclasses.fields(made):  # type: ignore[arg-type]  # by strawberry
            refers = field.metadata.get(REFERS)
            if refers is not None and not _has(record, refers):
                raise TypeError(f"{made.__name__}.{field.name}: {record.__name__} has no field {refers}")
            if refers is not None:
                words.setdefault(refers, field.name)
            if not field.init or is_private(hints[field.name]):
                continue
            source = (rename or {}).get(field.name, field.name)
            if not _has(record, source):
                source = _RENAMED.get(field.name, source)
            if not _has(record, source):
                raise TypeError(f"{made.__name__}.{field.name}: {record.__name__} has no field {source}")
            plan[field.name] = (attrgetter(source), _show_of(hints[field.name]))
            words[source] = field.name if field.name == source else words.get(source, field.name)
        made._accessors = plan  # noqa: SLF001 - the decorator completes the class
        made._words = words  # noqa: SLF001
        return made

    return make


def _has(record: type[Record], name: str) -> bool:
    first, _, rest = name.partition(".")
    if rest:
        return first in record.model_fields and _has(cast("Any", record.model_fields[first].annotation), rest)
    return name in record.model_fields or isinstance(getattr(record, name, None), property)


def _show_of(hint: Any) -> Show | None:
    """Return how values of a field are shown; None if they are shown as they are."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _show_of(get_args(hint)[0])
    if origin in (Union, UnionType):
        inner = [each for each in get_args(hint) if each is not NoneType]
        return _show_of(inner[0]) if len(inner) == 1 else None
    if origin is list:
        each = _show_of(get_args(hint)[0])
        return None if each is None else lambda values: [each(value) for value in values]
    from_record: Show | None = getattr(hint, "from_record", None)
    return from_record
