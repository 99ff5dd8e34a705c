"""Rules for an organisation's own action types.

    draft       stored and shown, without any effect
    approved    in force at once, overriding the file of the same id; a waiting draft is replaced
    deprecated  keeps its id; refuses new actions and names its successor, or gives them the successor
    never       a type is never deleted; it never loses statuses of open actions, unless `former_statuses`
                names their successors; the type for unknown types can always be owned by the user

An equal definition changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.config.tables import LimitsTable
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.definition_problems import definition_problems
from prefrontal.graph.registry.definitions import (
    ActionType,
    ActionTypes,
    lost_policies,
    may_be_safe,
)
from prefrontal.graph.registry.effective_types import TypeOverride, with_overrides
from prefrontal.graph.registry.overrides.record import ActionTypeOverride, TypeWarning
from prefrontal.graph.validation import camel, join_path, list_problems, text_problems

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def name_problems(text: str, field: str) -> list[InvalidInput]:
    """Return what is wrong with the name of a type, status or flag."""
    if _NAME.fullmatch(text):
        return []
    return [InvalidInput("must have 1 to 64 of a–z, 0–9 and _, beginning with a letter", field=field)]


def checked_type(values: Mapping[str, Any], path: str) -> tuple[ActionType | None, list[InvalidInput]]:
    """Return the type that some values describe, by the schema of the files, or what is wrong with them."""
    try:
        return ActionType.model_validate(values), []
    except ValidationError as error:
        return None, definition_problems(error, path)


def text_limits(kind: ActionType, limits: LimitsTable, path: str) -> list[InvalidInput]:
    """Return the texts and lists of a type that exceed the limits of stored nodes."""
    problems = text_problems(kind.display_name, f"{path}.displayName", limits.title_characters)
    problems += text_problems(
        kind.description, f"{path}.description", limits.description_characters, required=False
    )
    problems += text_problems(kind.note, f"{path}.note", limits.description_characters)
    problems += list_problems(kind.allowed_statuses, f"{path}.allowedStatuses", limits.list_items)
    return problems + list_problems(tuple(kind.former_statuses), f"{path}.formerStatuses", limits.list_items)


def in_force(files: ActionTypes, overrides: Iterable[ActionTypeOverride]) -> ActionTypes:
    """Return an organisation's types: those of the files, overridden by its approved overrides."""
    return with_overrides(files, approved(overrides))


def approved(overrides: Iterable[ActionTypeOverride]) -> tuple[TypeOverride, ...]:
    """Return the overrides that are in force."""
    return tuple(
        TypeOverride(o.definition, o.version, o.since) for o in overrides if o.definition is not None
    )


def fitting_problems(kind: ActionType, types: ActionTypes, path: str) -> list[InvalidInput]:
    """Return how a type would conflict with the other types of `types` if the type came into force."""
    problems: list[InvalidInput] = []
    if kind.replaced_by is not None:
        successor = types.get(kind.replaced_by)
        if successor is None or successor.deprecated:
            problems.append(
                InvalidInput(
                    f"{kind.replaced_by!r} is not an active type", field=join_path(path, "replacedBy")
                )
            )
    if kind.id == types.table.safe_type and not may_be_safe(kind):
        problems.append(
            InvalidInput(
                "this is the safe type for unknown types: it must stay active, and allow a user as owner",
                field=join_path(path, "id"),
            )
        )
    return problems


def registered(
    before: ActionTypeOverride, kind: ActionType, now: datetime, *, approve: bool, usable_before: bool
) -> ActionTypeOverride:
    """Return the next version of the override with a definition; the same one if the definition is equal.

    Args:
        before: The present override; version 0 if there is none.
        kind: The definition.
        now: The time of the change.
        approve: Whether to put the definition in force.
        usable_before: Whether new actions could have a type of this id before.
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


def removed(before: ActionTypeOverride, now: datetime) -> ActionTypeOverride:
    """Return the next version of the override, without a definition and without a draft."""
    fields = {"definition": None, "draft": None, "since": None, "updated_at": now}
    return before.model_copy(update={**fields, "version": before.version + 1})


def is_removed(override: ActionTypeOverride) -> bool:
    """Tell whether the organisation has taken its definition of a type away."""
    return override.definition is None and override.draft is None


def retired(
    kind: ActionType, *, replaced_by: str | None, note: str | None, block_new: bool
) -> tuple[ActionType | None, list[InvalidInput]]:
    """Return the type as a deprecated one, or what is wrong with that."""
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


def deprecation_effects(kind: ActionType, types: ActionTypes) -> list[TypeWarning]:
    """Return what the deprecation of a type does to new actions that ask for it."""
    instead = types.for_new(kind.id)
    if kind.block_new or instead is None:
        return []
    if instead is kind:
        said = f"new actions still get the type {kind.id}, each with a warning; blockNew refuses them"
        return [TypeWarning(code="type_deprecated", message=said, field=None)]
    lost = tuple(camel(name) for name in lost_policies(kind, instead))
    if not lost:
        return []
    said = f"new actions become {instead.id}, which does not have the policies {', '.join(lost)} of {kind.id}"
    return [TypeWarning(code="type_replaced", message=said, field=None, policies=lost)]
