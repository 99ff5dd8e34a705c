"""Reading observations from JSON Lines: each line is an object in the format of source 001, or a string.

    {"content": "User prefers tea", "confidence": 0.9, "tags": ["tea"], "ttl_minutes": 1440}
    "A line may also be just the text."

An entity is an object with `name` and `kind`, or just a name. Field names may be in snake_case or camelCase.
`source.tool` and `source.daemon` set the source's kind and name. A `context.goal_id` that is not a
well-formed goal id is taken as the goal's key.

What is not about observations serves other imports too: lines, JSON and drafts of any record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.record import Record
from prefrontal.graph.scratch.record import ObservationDraft, SourceKind
from prefrontal.graph.validation import problems_text, shape_problems

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_BREAK = re.compile(r"\r\n|\n|\r")
NO_ENTRY = "must be a JSON object or a string"
D = TypeVar("D", bound=Record)


@dataclass(frozen=True, slots=True)
class Line(Generic[D]):
    """A line of a file: the draft of a record, or the problem of the line."""

    number: int
    draft: D | None
    problem: str | None


def lines_of(text: str) -> list[str]:
    """Return the lines of a text; only line feeds and carriage returns end one, as in JSON Lines."""
    return _BREAK.split(text)


def read_lines(lines: Iterable[str]) -> Iterator[Line[ObservationDraft]]:
    """Yield the non-empty lines in order, numbered from 1, each with its draft or its problem."""
    for number, text in enumerate(lines, start=1):
        if text.strip():
            yield parse_line(number, text)


def parse_line(number: int, text: str) -> Line[ObservationDraft]:
    """Return a line with its draft, or with its problem if it is not a valid observation."""
    try:
        value = parse_json(text)
        if isinstance(value, str):
            value = {"content": value}
        values = _values(value) if isinstance(value, dict) else None
    except ValueError as error:
        return Line(number, None, str(error))
    if values is None:
        return Line(number, None, NO_ENTRY)
    return draft_line(number, ObservationDraft, values)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: If it is not JSON, or nested too deep to be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("not JSON that can be read: nested too deep") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def draft_line(number: int, model: type[D], values: dict[str, Any]) -> Line[D]:
    """Return a line with the draft that its values make, or with what is wrong with them."""
    try:
        return Line(number, model.model_validate(values), None)
    except ValidationError as error:
        return Line(number, None, problems_text(shape_problems(error)))


def draft_values(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a JSON object by their names in snake_case.

    Entities that are just names become objects.
    """
    values = _snake(value)
    if isinstance(values.get("entities"), list):
        values["entities"] = tuple(
            {"name": entity} if isinstance(entity, str) else entity for entity in values["entities"]
        )
    return values


def _values(value: dict[str, Any]) -> dict[str, Any]:
    values = draft_values(value)
    source = values.get("source")
    if isinstance(source, dict):
        for kind in (SourceKind.TOOL, SourceKind.DAEMON):
            if kind.value in source:
                if "name" in source:
                    raise ValueError("source: give exactly one of name, tool and daemon")
                source["name"] = source.pop(kind.value)
                source["kind"] = kind.value
    context = values.get("context")
    if isinstance(context, dict):
        named = context.get("goal_id")
        if isinstance(named, str) and kind_of(named) is not Kind.GOAL:
            context.setdefault("goal_key", context.pop("goal_id"))
    return values


def _snake(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object with field names in snake_case.

    `metadata` belongs to the client and is not changed.
    """
    renamed: dict[str, Any] = {}
    for name, item in value.items():
        key = _HUMP.sub(r"_\1", name).lower()
        renamed[key] = _snake(item) if isinstance(item, dict) and key in ("source", "context") else item
    return renamed
