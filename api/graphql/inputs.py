"""Conversion of GraphQL inputs into drafts; pydantic's errors become problems with the client's paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import strawberry
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from prefrontal.graph.errors import InvalidInput, SeveralProblems
from prefrontal.graph.journal.command import TurnCommand, space
from prefrontal.graph.record import Record
from prefrontal.graph.validation import raise_all, shape_problems, text_problems

In = TypeVar("In")
R = TypeVar("R", bound=Record)
T = TypeVar("T")


def key_field() -> Any:
    """Return the field `idempotencyKey` of an input that is not made from a command."""
    return _as_in(TurnCommand.model_fields["idempotency_key"])


def space_field() -> Any:
    """Return the field `space` of an input that is not made from a command."""
    return _as_in(space())


def turn_field() -> Any:
    """Return the field `turnId` of an input that is not made from a command."""
    return _as_in(TurnCommand.model_fields["turn_id"])


def _as_in(field: FieldInfo) -> Any:
    return strawberry.field(default=None, description=field.description)


def draft(kind: type[R], values: dict[str, Any], path: str = "") -> R:
    """Return a record of the class `kind` with these values.

    Raises:
        InvalidInput: If a value has the wrong form or is out of range; `field` begins with `path`.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise_all(shape_problems(error, path))
        raise


@contextmanager
def noting(problems: list[InvalidInput]) -> Iterator[None]:
    """Collect an `InvalidInput` in `problems` instead of raising it, so that later errors are found too."""
    try:
        yield
    except SeveralProblems as error:
        problems += [problem for problem in error.problems if isinstance(problem, InvalidInput)]
    except InvalidInput as error:
        problems.append(error)


def each(inputs: Iterable[In], path: str, make: Callable[[In, str], T]) -> list[T]:
    """Return `make(entry, path)` for each entry of a list; the path is e.g. `observations[3]`.

    Raises:
        InvalidInput: If entries have the wrong form; `problems` contains the errors of all entries.
    """
    made: list[T] = []
    problems: list[InvalidInput] = []
    for number, entry in enumerate(inputs):
        with noting(problems):
            made.append(make(entry, f"{path}[{number}]"))
    raise_all(problems)
    return made


def named(text: str, field: str, most: int, *, required: bool = False) -> str:
    """Return a client's own name for something, e.g. a turn's id.

    Raises:
        InvalidInput: If the name is too long, not valid text, or empty although `required`.
    """
    raise_all(text_problems(text, field, most, required=required))
    return text


@contextmanager
def spelled(names: Mapping[str, str]) -> Iterator[None]:
    """Replace field names in an `InvalidInput` by the aliases that the client used, e.g. `assignedTo`."""
    try:
        yield
    except InvalidInput as error:
        for problem in (error, *(error.problems if isinstance(error, SeveralProblems) else ())):
            problem.field = names.get(problem.field or "", problem.field)
        raise
