"""GraphQL inputs made from the classes of commands and drafts: one definition of what a client may send.

    command or draft                 input
    text, number, boolean, time      the same; a text marked `Id` is an `ID`
    map                              `JSON`
    another record                   the input of that record
    tuple                            list
    optional, None by default        nullable; a field that the client leaves out is not set in the record
    marked `Alias("other_name")`     two fields, of which a client gives one

The name of an input is the name of its class without `Draft`, then `Input`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import strawberry
from pydantic import AwareDatetime
from pydantic.fields import FieldInfo
from strawberry.scalars import JSON

from prefrontal.api.graphql.inputs import draft
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.record import Alias, Identifier, Record
from prefrontal.graph.validation import at, camel

R = TypeVar("R", bound=Record)
I = TypeVar("I", bound=type)  # noqa: E741 - an input class

_LAST = ("space", "expected_version", "turn_id", "idempotency_key")
_LEAVES: dict[Any, Any] = {dict: JSON, AwareDatetime: datetime}
_SCALARS = (str, int, float, bool, datetime, Enum)
_INPUTS: dict[type[Record], type] = {}
_RECORDS: dict[type, type[Record]] = {}


def takes(kind: type[Record]) -> Callable[[I], I]:
    """Use a handwritten input for a record whose fields a client may spell in several ways.

    The class has `values(path)`, which returns the fields of the record, and `spellings(path)`, which returns
    the fields that the client gave under another name, as a map from path to path.
    """

    def register(made: I) -> I:
        _INPUTS[kind] = made
        return made

    return register


def input_type(kind: type[Record], name: str | None = None) -> type:
    """Return the GraphQL input of a record class; the same one each time.

    A `name` other than the usual one is given once, before the first use.

    Raises:
        TypeError: If a field has a type that no input can have.
    """
    if kind not in _INPUTS:
        name = name or f"{kind.__name__.removesuffix('Draft')}Input"
        body: dict[str, Any] = {"__annotations__": {}, "__doc__": kind.__doc__, "__module__": __name__}
        for field_name, field in sorted(kind.model_fields.items(), key=_place):
            for spelling in (field_name, *(alias.name for alias in _aliases(field))):
                body["__annotations__"][spelling], body[spelling] = _input_field(
                    kind, field_name, field, field.description if spelling == field_name else None
                )
        description = " ".join((kind.__doc__ or "").partition("\n\n")[0].split())
        made = strawberry.input(type(name, (), body), name=name, description=description)
        _INPUTS[kind], _RECORDS[made] = made, kind
    return _INPUTS[kind]


def record_of(given: Any, kind: type[R], path: str = "") -> tuple[R, dict[str, str]]:
    """Return the record that an input describes, and the fields that the client gave under an alias.

    The aliases are a map from the path of the field to the path that the client used.

    Raises:
        InvalidInput: If a value has the wrong form, or a field and its alias have different values. The
            error names all fields with errors.
    """
    spellings: dict[str, str] = {}
    values = _values(given, kind, path, spellings)
    try:
        return draft(kind, values, path), spellings
    except InvalidInput as error:
        respell(error, spellings)
        raise


def respell(error: InvalidInput, spellings: dict[str, str]) -> None:
    """Replace field names in an error by the aliases that the client used, e.g. `assignedTo`."""
    for problem in (error, *getattr(error, "problems", ())):
        problem.field = spellings.get(problem.field or "", problem.field)


def _values(given: Any, kind: type[Record], path: str, spellings: dict[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        value, used = _one_spelling(given, name, field, path)
        if value is strawberry.UNSET or (value is None and isinstance(field.default, Record | tuple)):
            continue
        where = at(path, camel(name))
        if used != name:
            spellings[where] = at(path, camel(used))
        values[name] = _plain(value, where, spellings)
    return values


def _one_spelling(given: Any, name: str, field: FieldInfo, path: str) -> tuple[Any, str]:
    """Return the value of a field, and under which of its names it was given."""
    value, used = getattr(given, name), name
    for alias in _aliases(field):
        other = getattr(given, alias.name)
        if other is strawberry.UNSET or other is None:
            continue
        if value is not strawberry.UNSET and value is not None and value != other:
            raise InvalidInput(
                "is an alias of a field with another value; give only one of the two",
                field=at(path, camel(alias.name)),
            )
        if value is strawberry.UNSET or value is None:
            value, used = other, alias.name
    return value, used


def _plain(value: Any, path: str, spellings: dict[str, str]) -> Any:
    if isinstance(value, list):
        return tuple(_plain(item, f"{path}[{number}]", spellings) for number, item in enumerate(value))
    if type(value) in _RECORDS:
        return _values(value, _RECORDS[type(value)], path, spellings)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        handwritten: Any = value
        spellings.update(handwritten.spellings(path))
        return handwritten.values(path)
    return value


def _place(item: tuple[str, FieldInfo]) -> int:
    """Return where a field stands in the input: what is changed comes before how the call is made."""
    name = item[0]
    return _LAST.index(name) if name in _LAST else -2 if name == "id" else -1


def _aliases(field: FieldInfo) -> Iterator[Alias]:
    return (extra for extra in field.metadata if isinstance(extra, Alias))


def _input_field(kind: type[Record], name: str, field: FieldInfo, description: str | None) -> tuple[Any, Any]:
    """Return the annotation and the strawberry field of an input's field."""
    hint = _hint(field.annotation, f"{kind.__name__}.{name}")
    if any(isinstance(extra, Identifier) for extra in field.metadata):
        hint = strawberry.ID
    options: dict[str, Any] = {"description": description}
    if field.is_required():
        return hint, strawberry.field(**options)
    if field.default is None or isinstance(field.default, Record):
        return hint | None, strawberry.field(**options, default=strawberry.UNSET)
    if isinstance(field.default, tuple):
        return hint, strawberry.field(**options, default_factory=lambda: list(field.default))
    return hint, strawberry.field(**options, default=field.default)


def _hint(annotation: Any, place: str) -> Any:
    """Return the annotation of an input's field."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    inner = [each for each in arguments if each is not NoneType]
    if origin is Annotated:
        marked = any(isinstance(extra, Identifier) for extra in arguments[1:])
        return strawberry.ID if marked else _hint(arguments[0], place)
    if origin in (Union, UnionType) and len(inner) == 1:
        return _hint(inner[0], place) | None
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return list.__class_getitem__(_hint(arguments[0], place))
    if origin is None and isinstance(annotation, type) and issubclass(annotation, Record):
        return input_type(annotation)
    hint = _LEAVES.get(origin or annotation, annotation)
    if not (hint is JSON or (isinstance(hint, type) and issubclass(hint, _SCALARS))):
        raise TypeError(f"{place}: an input cannot have a {annotation}")
    return hint
