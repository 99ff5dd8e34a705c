"""What is wrong with the definition of an action type, in the words of a client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from prefrontal.graph.registry.definitions import ActionType, HandlerTable, PolicyTable
from prefrontal.graph.validation import camel, join_path, shape_problems

if TYPE_CHECKING:
    from pydantic import ValidationError

    from prefrontal.graph.errors import InvalidInput

_KEYS = re.compile(
    r"\b("
    + "|".join(
        sorted(
            name
            for table in (ActionType, PolicyTable, HandlerTable)
            for name in table.model_fields
            if "_" in name
        )
    )
    + r")\b"
)
_NAMED = re.compile(r"^(?P<path>[a-z_]+(?:\.[a-z_]+)*)\b")


def definition_problems(error: ValidationError, path: str = "") -> list[InvalidInput]:
    """Return what is wrong with a definition that stands at `path` of an input.

    A problem of several keys together is at the one that its message begins with, and messages have the keys
    of a file as clients spell them.
    """
    return [_named(problem, path) for problem in shape_problems(error, path)]


def _named(problem: InvalidInput, path: str) -> InvalidInput:
    found = _NAMED.match(problem.message)
    if found and (problem.field or "") == path and found["path"].split(".")[0] in ActionType.model_fields:
        problem.field = join_path(path, ".".join(camel(part) for part in found["path"].split(".")))
    problem.message = _KEYS.sub(lambda key: camel(key[0]), problem.message)
    return problem
