"""Rows as records, and records as the properties of nodes.

    enum              its value
    tuple             list
    map               JSON text; an empty one is no property
    nested model      JSON text; or properties of its own, if its field is named in `flat`:
                      `horizon` becomes `horizon_value` and `horizon_unit`
    time              as it is; a query may return it as text, which the driver reads faster
    everything else   as it is

A row of the database is not validated: it holds what this mapping wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import Enum
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel

from prefrontal.graph.record import Record

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row

R = TypeVar("R", bound=Record)
Convert = Callable[[Any], Any]


class RecordMapper(Generic[R]):
    """Turns rows into records of one class, and records into properties."""

    def __init__(
        self,
        kind: type[R],
        *,
        flat: Iterable[str] = (),
        columns: Mapping[str, str] | None = None,
        unstored: Iterable[str] = (),
    ) -> None:
        """Read the fields of the class.

        Args:
            kind: The class of the records.
            flat: The fields whose nested record is stored as properties of its own.
            columns: The names of those properties of flat fields that do not have the usual name.
            unstored: The fields that are no properties of the node, e.g. because they are links; a row has
                nested records among them as they are in the record.
        """
        self.kind = kind
        fields = {name: field.annotation for name, field in kind.model_fields.items()}
        self._flat = {name: _Flat(name, _record_in(fields[name]), columns or {}) for name in flat}
        self._unstored = frozenset(unstored)
        read = {
            name: annotation
            for name, annotation in fields.items()
            if name not in self._flat and not (name in self._unstored and _is_json(annotation))
        }
        self._read, self._read_if_there = _readers(read)
        apart = self._unstored | frozenset(self._flat)
        self._json = {name for name in fields if name not in apart and _is_json(fields[name])}
        self._unstored = apart | self._json
        self._defaults = {
            name: field.default for name, field in kind.model_fields.items() if not field.is_required()
        }
        self._names, self._fields = tuple(fields), set(fields)

    def record(self, row: Row) -> R:
        """Return the record of a row.

        The row has each required field. It may lack fields with a default, and may have further columns.
        """
        values = {**self._defaults, **row}
        for name, part in self._flat.items():
            values[name] = part.record(values)
        for name, convert in self._read:
            values[name] = convert(values[name])
        for name, convert in self._read_if_there:
            value = values[name]
            if value is not None:
                values[name] = convert(value)
        return construct_unvalidated(self.kind, {name: values[name] for name in self._names}, self._fields)

    def properties(self, record: R) -> dict[str, Any]:
        """Return the properties of a record's node."""
        stored = {
            name: _stored(value) for name, value in record.__dict__.items() if name not in self._unstored
        }
        for name, part in self._flat.items():
            stored |= part.properties(getattr(record, name))
        for name in self._json:
            value = getattr(record, name)
            stored[name] = json.dumps(_jsonable(value), ensure_ascii=False) if value else None
        return stored


class _Flat:
    """A nested record whose fields are properties of the node."""

    def __init__(self, name: str, kind: type[Record], columns: Mapping[str, str]) -> None:
        self._kind = kind
        self._columns = {
            field: (
                columns.get(f"{name}_{field}", f"{name}_{field}"),
                _reader(_without_none(info.annotation)),
            )
            for field, info in kind.model_fields.items()
        }
        self._required = [field for field, info in kind.model_fields.items() if info.is_required()]
        self._fields = set(kind.model_fields)

    def record(self, row: dict[str, Any]) -> Record | None:
        """Take the columns out of a row and return the nested record; None if a required one is missing."""
        values: dict[str, Any] = {}
        for field, (column, convert) in self._columns.items():
            value = row.pop(column)
            values[field] = value if value is None or convert is None else convert(value)
        for field in self._required:
            if values[field] is None:
                return None
        return construct_unvalidated(self._kind, values, self._fields)

    def properties(self, record: Record | None) -> dict[str, Any]:
        return {column: _stored(getattr(record, field, None)) for field, (column, _) in self._columns.items()}


def construct_unvalidated(kind: type[R], values: dict[str, Any], fields: set[str]) -> R:
    """Return a record with these values, which are not validated."""
    made = kind.__new__(kind)
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", fields)
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


def _readers(
    fields: Mapping[str, Any],
) -> tuple[list[tuple[str, Convert]], list[tuple[str, Convert]]]:
    """Return how stored values become those of fields: of required fields, and of those that may be None."""
    required: list[tuple[str, Convert]] = []
    optional: list[tuple[str, Convert]] = []
    for name, annotation in fields.items():
        kind = _without_none(annotation)
        convert = _reader(kind)
        if convert is not None:
            (required if kind is annotation else optional).append((name, convert))
    return required, optional


def _without_none(annotation: Any) -> Any:
    """Return the type of the values that are not None."""
    inner = [each for each in get_args(annotation) if each is not NoneType]
    optional = len(inner) != len(get_args(annotation))
    return inner[0] if optional and len(inner) == 1 else annotation


def _reader(annotation: Any) -> Convert | None:
    """Return how a stored value becomes the field's; None if it stays as it is."""
    kind = _without_none(annotation)
    if kind is not annotation:
        convert = _reader(kind)
        return None if convert is None else (lambda value: None if value is None else convert(value))
    if get_origin(kind) is tuple and not _is_json(kind):
        each = _reader(get_args(kind)[0])
        return tuple if each is None else (lambda values: tuple(each(value) for value in values))
    if _is_json(kind):
        return _json_reader(kind)
    if kind is datetime:
        return _time
    # One of an enum, or of one of several that share no value.
    enums = [each for each in get_args(kind) or (kind,) if isinstance(each, type) and issubclass(each, Enum)]
    if enums and len(enums) == len(get_args(kind) or (kind,)):
        # Calling the class costs several times as much.
        members = {member.value: member for each in enums for member in each}
        return lambda value: members[value] if value in members else enums[0](value)
    return None


def _time(value: str | datetime) -> datetime:
    """Return a time; most queries return times as text, which costs less than the driver's own type."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _json_reader(kind: Any) -> Convert:
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        return lambda text: tuple(item.model_validate(each) for each in json.loads(text)) if text else ()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_validate_json
    return lambda text: json.loads(text) if text else {}


def _is_json(annotation: Any) -> bool:
    """Return whether values of a type are stored as JSON text: maps, models and lists of them."""
    if annotation is dict or get_origin(annotation) is dict:
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return True
    return any(_is_json(argument) for argument in get_args(annotation))


def _record_in(annotation: Any) -> type[Record]:
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, Record):
            return part
    raise TypeError(f"there is no record in {annotation}")


def _stored(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return [_stored(item) for item in value] if isinstance(value, tuple) else value


def _jsonable(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple):
        return [_jsonable(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value
