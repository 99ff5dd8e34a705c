"""Conversion of GraphQL inputs into drafts; pydantic's errors become problems with the client's paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import strawberry
from pydantic import ValidationError

from prefrontal.graph.errors import InvalidInput, SeveralProblems
from prefrontal.graph.record import Record
from prefrontal.graph.validation import raise_all, shape_problems, text_problems

In = TypeVar("In")
R = TypeVar("R", bound=Record)
T = TypeVar("T")


def key_field() -> Any:
    """Return the field `idempotencyKey`, which every mutation's input has."""
    return strawberry.field(
        default=None,
        description="A key of your choice, 1 to 200 characters. For 7 days, repeating the call with the "
        "same key and input writes nothing and returns the first result; the same key with another input "
        "is a `conflict`.",
    )


def space_field() -> Any:
    """Return the field `space`: where new records are stored."""
    return strawberry.field(
        default=None, description="The space to write to; default: your own, `me.homeSpace`."
    )


def turn_field() -> Any:
    """Return the field `turnId`: the turn that a call belongs to."""
    return strawberry.field(
        default=None,
        description="Your name for the turn that this call belongs to, for its trace; a new name creates the "
        "turn.",
    )


def version_field() -> Any:
    """Return the field `expectedVersion`, which every change of an existing record has."""
    return strawberry.field(
        default=None,
        description="The `version` that you read. If it has changed since then, the call is refused as "
        "`version_conflict`.",
    )


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
