"""Checks of input that several domains share: texts, keys, lists and JSON maps.

Each returns the problems it found, with the path of the field, so that a caller sees all of them at
once. Foreign text is kept as it came; what cannot be stored at all is refused here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.errors import InvalidInput, PrefrontalError, SeveralProblems, TooLarge, VersionConflict

MOST_LEVELS = 32
"""How deep JSON may be nested: far below where a parser or a serialiser gives up."""

MOST_NAMED = 20
"""How many problems one answer names; the rest is the same mistake again."""


def text_problems(value: str | None, field: str, most: int, *, required: bool = True) -> list[InvalidInput]:
    """Return what is wrong with a text: empty, longer than `most` characters, or not Unicode.

    What is not given has nothing wrong with it.
    """
    if value is None:
        return []
    if required and not value.strip():
        return [InvalidInput("must not be empty", field=field)]
    if len(value) > most:
        return [TooLarge(f"at most {most} characters, not {len(value)}", field=field)]
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return [InvalidInput("holds half of a surrogate pair, which is not text", field=field)]
    return []


def list_problems(value: Sequence[Any], field: str, most: int) -> list[InvalidInput]:
    """Return what is wrong with a list's length."""
    if len(value) > most:
        return [TooLarge(f"at most {most} entries, not {len(value)}", field=field)]
    return []


def json_problems(value: Mapping[str, Any] | None, field: str, most: int) -> list[InvalidInput]:
    """Return what is wrong with a map that is kept as JSON: too long, or not JSON (NaN, odd types)."""
    if not value:
        return []
    if _deeper_than(value, MOST_LEVELS):
        return [TooLarge(f"at most {MOST_LEVELS} levels deep", field=field)]
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()  # half of a surrogate pair is a ValueError here, not one in the driver
    except (TypeError, ValueError, RecursionError) as error:
        return [InvalidInput(f"is not JSON: {error}", field=field)]
    problems: list[InvalidInput] = []
    if len(text) > most:
        problems.append(TooLarge(f"at most {most} characters of JSON, not {len(text)}", field=field))
    return problems


def _deeper_than(value: Any, most: int) -> bool:
    """Tell whether maps and lists are nested in more than `most` levels; without recursion."""
    level = [value]
    for _ in range(most + 1):
        level = [
            child
            for item in level
            if isinstance(item, Mapping | list)
            for child in (item.values() if isinstance(item, Mapping) else item)
        ]
        if not level:
            return False
    return True


def raise_all(problems: Iterable[InvalidInput]) -> None:
    """Raise the problem, or all of them as `SeveralProblems`; return when there is none."""
    found = list(problems)
    if found:
        raise problem_in(found)


def problem_in(problems: list[InvalidInput]) -> InvalidInput:
    """Return the problem, or all of them as `SeveralProblems`; there is at least one."""
    return problems[0] if len(problems) == 1 else SeveralProblems(problems[:MOST_NAMED])


def require_version(actual: int, expected: int | None) -> None:
    """Return when nothing was expected or the version is the expected one; else raise `VersionConflict`."""
    if expected is not None and expected != actual:
        raise VersionConflict(
            f"it has version {actual} now, not {expected}: somebody changed it; read it again",
            field="expectedVersion",
        )


def require_zone(at: datetime, field: str) -> None:
    """Return when a time says where it is meant; else raise `InvalidInput`."""
    if at.utcoffset() is None:
        raise InvalidInput("needs a zone, e.g. 2026-01-31T12:00:00Z", field=field)


def shape_problems(error: ValidationError, prefix: str = "") -> list[InvalidInput]:
    """Return pydantic's complaints as problems with camelCase paths under `prefix`."""
    problems: list[InvalidInput] = []
    for item in error.errors(include_url=False, include_input=False):
        path = prefix
        for part in item["loc"]:
            if isinstance(part, int):
                path += f"[{part}]"
            else:
                path += ("." if path else "") + camel(part)
        problems.append(InvalidInput(item["msg"], field=path or None))
    return problems


def at(path: str, name: str) -> str:
    """Return the path of a field under another path, which may be empty."""
    return f"{path}.{name}" if path else name


def camel(name: str) -> str:
    """Return `min_confidence` as `minConfidence`, the way clients spell it."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def short_name(text: str, most: int = 60) -> str:
    """Return a node's caption in Neo4j Browser: the text's first line, at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def problem_of(error: PrefrontalError, path: str) -> dict[str, Any]:
    """Return what is told of an entry that is refused, its fields under its path."""
    field = error.field
    if field is not None and not field.startswith(path):
        field = f"{path}.{field}"
    problems = error.problems if isinstance(error, SeveralProblems) else (error,)
    return {
        "code": error.code,
        "message": error.message,
        "field": field,
        "problems": [{"code": p.code, "message": p.message, "field": p.field or field} for p in problems],
    }
