"""Reading observations from JSON Lines: each line is an object in the format of source 001, or a string.

    {"content": "User prefers tea", "confidence": 0.9, "tags": ["tea"], "ttl_minutes": 1440}
    "A line may also be just the text."

An entity is an object with `name` and `kind`, or just a name. Field names may be in snake_case or camelCase.
`source.tool` and `source.daemon` set the source's kind and name. A `context.goal_id` that is not a
well-formed goal id is taken as the goal's key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import ObservationDraft, SourceKind
from prefrontal.graph.validation import shape_problems

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file: an observation draft, or the problem of the line."""

    number: int
    draft: ObservationDraft | None
    problem: str | None


def read_lines(lines: Iterable[str]) -> Iterator[Line]:
    """Yield the non-empty lines in order, numbered from 1, each with its draft or its problem."""
    for number, text in enumerate(lines, start=1):
        if text.strip():
            yield parse_line(number, text)


def parse_line(number: int, text: str) -> Line:
    """Return a line with its draft, or with its problem if it is not a valid observation."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Line(number, None, f"not JSON: {error}")
    if isinstance(value, str):
        value = {"content": value}
    if not isinstance(value, dict):
        return Line(number, None, "must be a JSON object or a string")
    try:
        return Line(number, ObservationDraft.model_validate(_values(value)), None)
    except ValidationError as error:
        problem = "; ".join(f"{p.field}: {p.message}" for p in shape_problems(error))
        return Line(number, None, problem)
    except (TypeError, AttributeError) as error:
        return Line(number, None, str(error))


def _values(value: dict[str, Any]) -> dict[str, Any]:
    values = _snake(value)
    for name in ("tags", "contradicts"):
        if isinstance(values.get(name), list):
            values[name] = tuple(values[name])
    if isinstance(values.get("entities"), list):
        values["entities"] = tuple(
            {"name": entity} if isinstance(entity, str) else entity for entity in values["entities"]
        )
    source = values.get("source")
    if isinstance(source, dict):
        for kind in (SourceKind.TOOL, SourceKind.DAEMON):
            if kind.value in source:
                if "name" in source:
                    raise TypeError("source: give exactly one of name, tool and daemon")
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
