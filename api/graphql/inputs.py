"""Conversion of GraphQL inputs into drafts; pydantic's errors become problems with the client's paths."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from prefrontal.graph.record import Record
from prefrontal.graph.validation import raise_all, shape_problems, text_problems

R = TypeVar("R", bound=Record)


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


def checked_name(text: str, field: str, most: int, *, required: bool = False) -> str:
    """Return a client's own name for something, e.g. a turn's id.

    Raises:
        InvalidInput: If the name is too long, not valid text, or empty although `required`.
    """
    raise_all(text_problems(text, field, most, required=required))
    return text
