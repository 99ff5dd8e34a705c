"""GraphQL inputs made from the classes of commands and drafts: one definition of what a client may send.

    command or draft                 input
    text, number, boolean, time      the same; a text marked `Id` is an `ID`, a `Priority` is a `Priority`
    number marked `EventSeq`         `Seq`
    map, or any value                `JSON`
    another record                   the input of that record
    tuple                            list
    optional, None by default        nullable; a field that the client leaves out is not set in the record
    marked `Alias("other_name")`     two fields, of which a client gives one

The name of an input is the name of its class without `Draft`, then `Input`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import strawberry
from pydantic import AwareDatetime
from pydantic.fields import FieldInfo
from strawberry.scalars import JSON

from prefrontal.api.graphql.inputs import draft
from prefrontal.api.graphql.scalars import Priority, Seq
from prefrontal.graph.errors import InvalidInput, SeveralProblems
from prefrontal.graph.record import Alias, Identifier, PriorityMark, Record, SeqMark
from prefrontal.graph.validation import camel, join_path, problem_in, raise_all
from prefrontal.graph.wording import with_article

R = TypeVar("R", bound=Record)
I = TypeVar("I", bound=type)  # noqa: E741 - an input class

_LAST = ("space", "evaluate", "expected_version", "turn_id", "idempotency_key")
_LEAVES: dict[Any, Any] = {dict: JSON, Any: JSON, AwareDatetime: datetime}
_MARKED: dict[type, Any] = {Identifier: strawberry.ID, PriorityMark: Priority, SeqMark: Seq}
_SCALARS = (str, int, float, bool, datetime, Enum)
_INPUTS: dict[type[Record], type] = {}
_RECORDS: dict[type, type[Record]] = {}


def register_input(kind: type[Record]) -> Callable[[I], I]:
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
        for field_name, field in sorted(kind.model_fields.items(), key=_field_order):
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
    reading = _InputReader()
    values = reading.values(given, kind, path)
    try:
        made = draft(kind, values, path)
        raise_all(reading.problems)
    except InvalidInput as error:
        problems = reading.with_problems_of(error)
        rename_error_fields(problems, reading.spellings)
        raise problems from None
    return made, reading.spellings


def filter_of(given: Any, kind: type[R]) -> R:
    """Return the conditions of a list; without an input, those of a list without conditions.

    Raises:
        InvalidInput: If a value has the wrong form. The error names all fields with errors.
    """
    return kind() if given is None else record_of(given, kind, "filter")[0]


def rename_error_fields(error: InvalidInput, spellings: dict[str, str]) -> None:
    """Replace field names in an error by the aliases that the client used, e.g. `assignedTo`."""
    for problem in (error, *getattr(error, "problems", ())):
        problem.field = spellings.get(problem.field or "", problem.field)


class _InputReader:
    """The values of an input as it is read, with the aliases that the client used and what is wrong."""

    def __init__(self) -> None:
        self.spellings: dict[str, str] = {}
        self.problems: list[InvalidInput] = []
        self._left_out: set[str] = set()

    def values(self, given: Any, kind: type[Record], path: str) -> dict[str, Any]:
        """Return the values of a record. A value with a problem is left out."""
        values: dict[str, Any] = {}
        for name, field in kind.model_fields.items():
            where = join_path(path, camel(name))
            try:
                value, used = _one_spelling(given, name, field, path)
                if value is strawberry.UNSET or (value is None and isinstance(field.default, Record | tuple)):
                    continue
                if used != name:
                    self.spellings[where] = join_path(path, camel(used))
                values[name] = self._value(value, where)
            except InvalidInput as problem:
                self.problems += _each(problem)
                self._left_out.add(where)
        return values

    def with_problems_of(self, error: InvalidInput) -> InvalidInput:
        """Return the problems of the input with those of the record that was made of its values."""
        more = [
            problem
            for problem in _each(error)
            if problem not in self.problems and problem.field not in self._left_out
        ]
        return problem_in([*self.problems, *more])

    def _value(self, value: Any, path: str) -> Any:
        if isinstance(value, list):
            return tuple(self._value(item, f"{path}[{number}]") for number, item in enumerate(value))
        if type(value) in _RECORDS:
            return self.values(value, _RECORDS[type(value)], path)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            handwritten: Any = value
            self.spellings.update(handwritten.spellings(path))
            return handwritten.values(path)
        return value


def _each(error: InvalidInput) -> list[InvalidInput]:
    """Return the problems that an error consists of."""
    several = error.problems if isinstance(error, SeveralProblems) else (error,)
    return [problem for problem in several if isinstance(problem, InvalidInput)]


def _one_spelling(given: Any, name: str, field: FieldInfo, path: str) -> tuple[Any, str]:
    """Return the value of a field, and under which of its names it was given."""
    value, used = getattr(given, name), name
    for alias in _aliases(field):
        other = getattr(given, alias.name)
        if other is strawberry.UNSET or (other is None and value is not strawberry.UNSET):
            continue
        if value is not strawberry.UNSET and value is not None and value != other:
            raise InvalidInput(
                "is an alias of a field with another value; give only one of the two",
                field=join_path(path, camel(alias.name)),
            )
        if value is strawberry.UNSET or value is None:
            value, used = other, alias.name
    return value, used


def _field_order(item: tuple[str, FieldInfo]) -> int:
    """Return where a field stands in the input: what is changed comes before how the call is made."""
    name = item[0]
    return _LAST.index(name) if name in _LAST else -2 if name == "id" else -1


def _aliases(field: FieldInfo) -> Iterator[Alias]:
    return (extra for extra in field.metadata if isinstance(extra, Alias))


def _input_field(kind: type[Record], name: str, field: FieldInfo, description: str | None) -> tuple[Any, Any]:
    """Return the annotation and the strawberry field of an input's field."""
    hint = _scalar(field.metadata) or _hint(field.annotation, f"{kind.__name__}.{name}")
    options: dict[str, Any] = {"description": description}
    if field.is_required():
        return hint, strawberry.field(**options)
    if field.default is None or isinstance(field.default, Record):
        return hint | None, strawberry.field(**options, default=strawberry.UNSET)
    if isinstance(field.default, tuple):
        return hint, strawberry.field(**options, default_factory=lambda: list(field.default))
    return hint, strawberry.field(**options, default=field.default)


def _scalar(marks: Iterable[Any]) -> Any:
    """Return the scalar that a text is marked as, or None."""
    named = (scalar for mark in marks for kind, scalar in _MARKED.items() if isinstance(mark, kind))
    return next(named, None)


def _hint(annotation: Any, place: str) -> Any:
    """Return the annotation of an input's field."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    inner = [each for each in arguments if each is not NoneType]
    if origin is Annotated:
        return _scalar(arguments[1:]) or _hint(arguments[0], place)
    if origin in (Union, UnionType) and len(inner) == 1:
        return _hint(inner[0], place) | None
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return list.__class_getitem__(_hint(arguments[0], place))
    if origin is None and isinstance(annotation, type) and issubclass(annotation, Record):
        return input_type(annotation)
    hint = _LEAVES.get(origin or annotation, annotation)
    if not (hint is JSON or (isinstance(hint, type) and issubclass(hint, _SCALARS))):
        raise TypeError(f"{place}: an input cannot have {with_article(str(annotation))}")
    return hint
