"""What may become of an organisation's action types.

    draft       stored and shown, without any effect
    approved    in force at once, before the file of the same id; a draft that waited is gone
    deprecated  keeps its id; takes no new actions and names its successor, or hands them to it
    never       deleted, or left without the statuses that open actions have (`former_statuses` says where
                those stand now), or, for the type that unknown ones become, taken from the user

What is equal already changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.config.tables import LimitsTable
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.definitions import ActionType, ActionTypes, may_be_safe
from prefrontal.graph.registry.effective_types import TypeOverride, with_overrides
from prefrontal.graph.registry.overrides.record import ActionTypeOverride
from prefrontal.graph.validation import at, camel, list_problems, shape_problems, text_problems

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_NAMED = re.compile(r"^Value error, (?P<path>[a-z_]+(?:\.[a-z_]+)*)\b")


def name_problems(text: str, field: str) -> list[InvalidInput]:
    """Return what is wrong with a name of a type, status or flag."""
    if _NAME.fullmatch(text):
        return []
    return [InvalidInput("a–z, 0–9 and _, beginning with a letter, at most 64", field=field)]


def checked_type(values: Mapping[str, Any], path: str) -> tuple[ActionType | None, list[InvalidInput]]:
    """Return the type that some values say, by the schema of the files, or what is wrong with them."""
    try:
        return ActionType.model_validate(values), []
    except ValidationError as error:
        return None, [_named(problem, path) for problem in shape_problems(error, path)]


def text_limits(kind: ActionType, limits: LimitsTable, path: str) -> list[InvalidInput]:
    """Return what is too long in a type for a place in the graph."""
    problems = text_problems(kind.display_name, f"{path}.displayName", limits.title_characters)
    problems += text_problems(
        kind.description, f"{path}.description", limits.description_characters, required=False
    )
    problems += text_problems(kind.note, f"{path}.note", limits.description_characters)
    problems += list_problems(kind.allowed_statuses, f"{path}.allowedStatuses", limits.list_items)
    return problems + list_problems(tuple(kind.former_statuses), f"{path}.formerStatuses", limits.list_items)


def in_force(files: ActionTypes, overrides: Iterable[ActionTypeOverride]) -> ActionTypes:
    """Return an organisation's types: those of the files, and before them its approved overrides."""
    return with_overrides(files, approved(overrides))


def approved(overrides: Iterable[ActionTypeOverride]) -> tuple[TypeOverride, ...]:
    """Return those overrides that have an effect."""
    return tuple(
        TypeOverride(o.definition, o.version, o.since) for o in overrides if o.definition is not None
    )


def fitting_problems(kind: ActionType, types: ActionTypes, path: str) -> list[InvalidInput]:
    """Return what would not fit together if a type of `types` came into force."""
    problems: list[InvalidInput] = []
    if kind.replaced_by is not None:
        successor = types.get(kind.replaced_by)
        if successor is None or successor.deprecated:
            problems.append(
                InvalidInput(f"{kind.replaced_by!r} is no active type", field=at(path, "replacedBy"))
            )
    if kind.id == types.table.safe_type and not may_be_safe(kind):
        problems.append(
            InvalidInput(
                "actions of unknown types become this one: it stays active, and a user may own it",
                field=at(path, "id"),
            )
        )
    return problems


def registered(
    before: ActionTypeOverride, kind: ActionType, now: datetime, *, approve: bool, usable_before: bool
) -> ActionTypeOverride:
    """Return the override with a definition, as its next version; itself when that is there already.

    Args:
        before: What there is; version 0 when there is nothing.
        kind: The definition.
        now: When.
        approve: Put it in force.
        usable_before: New actions could have a type of this id already.
    """
    if approve:
        since = before.since if before.since or usable_before else now
        fields: dict[str, Any] = {"definition": kind, "draft": None, "since": since}
    else:
        fields = {"draft": kind if kind != before.definition else None}
    after = before.model_copy(update=fields)
    if after == before and before.version > 0:
        return before
    return after.model_copy(update={"updated_at": now, "version": before.version + 1})


def retired(
    kind: ActionType, *, replaced_by: str | None, note: str | None, block_new: bool
) -> tuple[ActionType | None, list[InvalidInput]]:
    """Return the type as a deprecated one."""
    return checked_type(
        kind.model_dump()
        | {
            "deprecation_status": "deprecated",
            "replaced_by": replaced_by,
            "note": note,
            "block_new": block_new,
        },
        "",
    )


def _named(problem: InvalidInput, path: str) -> InvalidInput:
    """Return a complaint about the whole with the field that its text begins with."""
    found = _NAMED.match(problem.message)
    if found and problem.field == path and found["path"].split(".")[0] in ActionType.model_fields:
        problem.field = at(path, ".".join(camel(part) for part in found["path"].split(".")))
    return problem
