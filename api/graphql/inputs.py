"""Inputs as drafts: pydantic's complaints become problems with the client's own paths."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from graph.checks import raise_all, shape_problems
from graph.record import Record

R = TypeVar("R", bound=Record)


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
