"""Inputs as drafts: pydantic's complaints become problems with the client's own paths."""

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
    """Return the field that every mutation's input has."""
    return strawberry.field(
        default=None,
        description="A key of your choice, 1 to 200 characters. For 7 days, repeating the call with the "
        "same key and input writes nothing and returns the first result; the same key with another input "
        "is a `conflict`.",
    )


def space_field() -> Any:
    """Return the field that says where something goes."""
    return strawberry.field(
        default=None, description="The space to write to; default: your own, `me.homeSpace`."
    )


def turn_field() -> Any:
    """Return the field that says in which turn something happens."""
    return strawberry.field(
        default=None,
        description="Your name for the turn that this call belongs to, for its trace; a new name creates the "
        "turn.",
    )


def version_field() -> Any:
    """Return the field that every change of an existing node has."""
    return strawberry.field(
        default=None,
        description="The `version` that you read. If it has changed since then, the call is refused as "
        "`version_conflict`.",
    )


def draft(kind: type[R], values: dict[str, Any], path: str = "") -> R:
    """Return the record of some values.

    Raises:
        InvalidInput: A value has the wrong form or is out of range; `field` begins with `path`.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise_all(shape_problems(error, path))
        raise


@contextmanager
def noting(problems: list[InvalidInput]) -> Iterator[None]:
    """Add a complaint to `problems` instead of raising it, so that those after it are found, too."""
    try:
        yield
    except SeveralProblems as error:
        problems += [problem for problem in error.problems if isinstance(problem, InvalidInput)]
    except InvalidInput as error:
        problems.append(error)


def each(inputs: Iterable[In], path: str, make: Callable[[In, str], T]) -> list[T]:
    """Return what is made of each entry of a list, given its path.

    Raises:
        InvalidInput: Some have the wrong form; the complaints about all of them are in `problems`.
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
        InvalidInput: It is too long, not text, or empty though `required`: nothing can be called so.
    """
    raise_all(text_problems(text, field, most, required=required))
    return text


@contextmanager
def spelled(names: Mapping[str, str]) -> Iterator[None]:
    """Let complaints about a field name it as the client did, who may have used another name of it."""
    try:
        yield
    except InvalidInput as error:
        for problem in (error, *(error.problems if isinstance(error, SeveralProblems) else ())):
            problem.field = names.get(problem.field or "", problem.field)
        raise
