"""Input checks that several domains share: texts, keys, lists and JSON maps.

Each check returns a list of problems, each with the path of the field, so that the client gets all problems
in one answer. Text from clients is stored unchanged; text that Neo4j cannot store is refused here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from prefrontal.graph.errors import (
    InvalidInput,
    NotFound,
    PrefrontalError,
    SeveralProblems,
    TooLarge,
    VersionConflict,
)
from prefrontal.graph.shape import message_of
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.record import Record

T = TypeVar("T")

MOST_LEVELS = 32
"""The maximum nesting depth of JSON input. Parsers and serialisers fail only at much greater depths."""

_ANY_LENGTH = 2**31

MOST_NAMED = 20
"""The maximum number of problems in one answer. Further problems usually repeat the same mistake."""


def text_problems(value: str | None, field: str, most: int, *, required: bool = True) -> list[InvalidInput]:
    """Return the problems of a text: empty, longer than `most` characters, or not valid Unicode.

    A `value` of None has no problems. With `required=False` the text may also be empty.
    """
    if value is None:
        return []
    if required and not value.strip():
        return [InvalidInput("must not be empty", field=field)]
    if len(value) > most:
        return [TooLarge(f"at most {counted(most, 'character')}, not {len(value)}", field=field)]
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return [InvalidInput("contains an unpaired surrogate, which is not valid Unicode", field=field)]
    return []


def cleared_problems(record: Record, names: Iterable[str], path: str = "") -> list[InvalidInput]:
    """Return a problem for each of some fields that must have a value and was given as null."""
    return [
        InvalidInput("must not be null; leave it out to keep its value", field=join_path(path, camel(name)))
        for name in names
        if name in record.model_fields_set and getattr(record, name) is None
    ]


def list_problems(value: Sequence[Any], field: str, most: int) -> list[InvalidInput]:
    """Return a problem if a list has more than `most` entries, else an empty list."""
    if len(value) > most:
        return [TooLarge(f"at most {counted(most, 'entry')}, not {len(value)}", field=field)]
    return []


def repeated(uids: Sequence[str], field: str) -> list[InvalidInput]:
    """Return a problem for each id that stands in a list twice; `field` is e.g. `derivedFrom[{}]`."""
    return [
        InvalidInput("is named twice", field=field.format(number))
        for number, uid in enumerate(uids)
        if uid in uids[:number]
    ]


def json_problems(value: Mapping[str, Any] | None, field: str, most: int) -> list[InvalidInput]:
    """Return the problems of a map that is stored as JSON.

    The map may be nested too deep, may contain values that are not JSON (such as NaN), or may be longer than
    `most` characters when serialised.
    """
    if not value:
        return []
    if _deeper_than(value, MOST_LEVELS):
        return [TooLarge(f"at most {counted(MOST_LEVELS, 'level')} deep", field=field)]
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()  # an unpaired surrogate raises a ValueError here instead of an error in the driver
    except (TypeError, ValueError, RecursionError) as error:
        return [InvalidInput(f"is not JSON: {error}", field=field)]
    problems: list[InvalidInput] = []
    if len(text) > most:
        problems.append(
            TooLarge(f"at most {counted(most, 'character')} of JSON, not {len(text)}", field=field)
        )
    return problems


def is_json(value: Any) -> bool:
    """Return whether a value of any length can be stored as JSON."""
    return not json_problems({"value": value}, "", _ANY_LENGTH)


def _deeper_than(value: Any, most: int) -> bool:
    """Tell whether maps and lists are nested more than `most` levels deep. The check uses no recursion."""
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
    """Raise the problems that were found, if any.

    Raises:
        InvalidInput: If there is exactly one problem.
        SeveralProblems: If there are several problems.
    """
    found = list(problems)
    if found:
        raise problem_in(found)


def problem_in(problems: list[InvalidInput]) -> InvalidInput:
    """Return one error for a non-empty list: the only problem, or `SeveralProblems` with the first 20."""
    return problems[0] if len(problems) == 1 else SeveralProblems(problems[:MOST_NAMED])


def require_version(actual: int, expected: int | None) -> None:
    """Check that a record still has the version that the client expects. None as `expected` skips the check.

    Raises:
        VersionConflict: If the record has another version.
    """
    if expected is not None and expected != actual:
        raise VersionConflict(
            f"the version is now {actual}, not {expected}: the record was changed; read it again",
            field="expectedVersion",
        )


def require_zone(at: datetime, field: str) -> None:
    """Check that a time has a time zone.

    Raises:
        InvalidInput: If the time has no time zone.
    """
    if at.utcoffset() is None:
        raise InvalidInput("needs a time zone, e.g. 2026-01-31T12:00:00Z", field=field)


def shape_problems(error: ValidationError, prefix: str = "") -> list[InvalidInput]:
    """Return pydantic's validation errors as problems, with camelCase field paths under `prefix`."""
    problems: list[InvalidInput] = []
    for item in error.errors(include_url=False, include_input=False):
        path = prefix
        for part in item["loc"]:
            if isinstance(part, int):
                path += f"[{part}]"
            else:
                path += ("." if path else "") + camel(part)
        problems.append(InvalidInput(message_of(item), field=path or None))
    return problems


def problems_text(problems: Iterable[InvalidInput]) -> str:
    """Return problems on one line, each with its field, e.g. `confidence: must be at most 1`."""
    return "; ".join(f"{each.field}: {each.message}" if each.field else each.message for each in problems)


def join_path(path: str, name: str) -> str:
    """Return the path of the field `name` under `path`, e.g. `source.name`. `path` may be empty."""
    return f"{path}.{name}" if path else name


def camel(name: str) -> str:
    """Return a snake_case name in camelCase, as GraphQL spells it.

    `min_confidence` becomes `minConfidence`.
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def short_name(text: str, most: int = 60) -> str:
    """Return a node's caption for Neo4j Browser: the text on one line, cut to at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def problem_of(error: PrefrontalError, path: str) -> dict[str, Any]:
    """Return a JSON-able description of an error in one entry of a list.

    The map has `code`, `message`, `field` and `problems`; `path` is put in front of field paths that lack it.
    """
    field = error.field
    if field is not None and not field.startswith(path):
        field = f"{path}.{field}"
    problems = error.problems or (error,)
    return {
        "code": error.code,
        "message": error.message,
        "field": field,
        "problems": [{"code": p.code, "message": p.message, "field": p.field or field} for p in problems],
    }


def with_path(error: PrefrontalError, path: str) -> PrefrontalError:
    """Put `path` in front of the fields of an error, and return the error."""
    for each in (error, *error.problems):
        each.field = join_path(path, each.field) if each.field else path
    return error


@contextmanager
def error_path(path: str) -> Iterator[None]:
    """Put `path` in front of the fields of an error that is raised inside; an empty path changes nothing."""
    try:
        yield
    except PrefrontalError as error:
        if path:
            with_path(error, path)
        raise


def found_or_gone(found: Mapping[str, T], uid: str, noun: str, field: str = "id") -> T:
    """Return the record `uid` among those that the caller may read now.

    Raises:
        NotFound: If it is not among them: a repeated call returns what the first one wrote, and the caller's
            rights may have ended meanwhile.
    """
    if uid not in found:
        raise NotFound(f"no such {noun}", field=field)
    return found[uid]
