"""The format of an action type's file, and the definition that the file stands for.

A file says what is special about its type. `spelled_out` adds the rest:

    defaults            `defaults` of `actions.yaml`: the statuses and transitions of a type that names none
        neither named   the type has those of the defaults
        transitions     a status that the type names has its next statuses there, any other those of the
                        defaults
        statuses        the type has the defaults' transitions between its own statuses
        both named      nothing comes from the defaults
    initial             the status of a new action: it becomes the first of `allowed_statuses`
    any                 under `allowed_transitions`: the next statuses that every open status has besides its
                        own; a type that has a status of that name has no such key
    escalation          the policy of `default_policies.escalation` is also `policy_handlers.escalation`

A file that says everything itself means what it says, so files of earlier installations are read as before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.config.table_files import API_VERSION, VERSION_KEY
from prefrontal.graph.registry.definitions import CLOSED, ActionTypeFile
from prefrontal.graph.shape import message_of

STATUSES = "allowed_statuses"
TRANSITIONS = "allowed_transitions"
INITIAL = "initial"
DEFAULTS = "defaults"
DEFAULT_KEYS = (STATUSES, TRANSITIONS, INITIAL)
"""The keys of `defaults` in `actions.yaml`."""
_ANY = "any"

Keys = Mapping[str, Any]
Complaint = tuple[tuple[str | int, ...], str]
"""The place in a file, and what is wrong there."""


def spelled_out(given: Keys, defaults: Keys | None) -> tuple[dict[str, Any], list[Complaint]]:
    """Return the keys of a type's definition, and what is wrong with those that only a file has.

    Values of a wrong kind are left for the schema to refuse.

    Args:
        given: The keys of the file.
        defaults: The keys of `defaults` in the registry's `actions.yaml`; None if it has no defaults.
    """
    found = {key: value for key, value in given.items() if key != INITIAL}
    if defaults is not None and STATUSES not in given and _are_names(defaults.get(STATUSES)):
        base, _ = spelled_out(defaults, None)
        inherited = base.get(TRANSITIONS)
        found[STATUSES] = base[STATUSES]
        own = _with_any(given.get(TRANSITIONS, {}), base[STATUSES], inherited)
        if own is not None:
            found[TRANSITIONS] = own
    elif TRANSITIONS in given:
        own = _with_any(given[TRANSITIONS], given.get(STATUSES), {})
        found[TRANSITIONS] = given[TRANSITIONS] if own is None else own
    elif defaults is not None and _are_names(given.get(STATUSES)):
        between = _between(spelled_out(defaults, None)[0].get(TRANSITIONS), given[STATUSES])
        if between is not None:
            found[TRANSITIONS] = between
    problems = _begin_with(found, given[INITIAL]) if INITIAL in given else []
    return named_once(found), problems


def defaults_problems(given: Any) -> list[Complaint]:
    """Return what is wrong with the defaults for types: a type that names nothing else must be possible."""
    if not isinstance(given, Mapping):
        return [((), "must be a map of keys and values")]
    if unknown := [((key,), "there is no such key here") for key in given if key not in DEFAULT_KEYS]:
        return list(unknown)
    keys, problems = spelled_out(given, None)
    try:
        ActionTypeFile.model_validate(
            {"id": DEFAULTS, "display_name": DEFAULTS, "allowed_owners": ("agent",), **keys}
        )
    except ValidationError as error:
        problems += [(item["loc"], message_of(item)) for item in error.errors()]
    return problems


def named_once(keys: Keys) -> dict[str, Any]:
    """Return the keys of a definition with the name of the escalation's handler, which is its policy."""
    found = dict(keys)
    policies, handlers = found.get("default_policies"), found.get("policy_handlers", {})
    escalation = policies.get("escalation") if isinstance(policies, Mapping) else None
    if isinstance(escalation, Mapping) and isinstance(handlers, Mapping) and not handlers.get("escalation"):
        found["policy_handlers"] = {**handlers, "escalation": escalation.get("policy", "notify")}
    return found


SCHEMA_FILE = "action_type.schema.json"
"""The file in a registry's folder that has the JSON Schema of the types' files, for editors."""
SCHEMA_REFERENCE = f"yaml-language-server: $schema=../{SCHEMA_FILE}"
"""The comment at the top of a type's file that names the schema. It holds wherever the folder is."""


def schema_text() -> str:
    """Return the text of the JSON Schema of a type's file."""
    return json.dumps(_json_schema(), indent=2, ensure_ascii=False) + "\n"


def _json_schema() -> dict[str, Any]:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **ActionTypeFile.model_json_schema()}
    inherited = {STATUSES, TRANSITIONS}
    properties = schema["properties"]
    for name in inherited:
        properties[name]["description"] += " Default: what `defaults` in actions.yaml says."
    properties[VERSION_KEY] = {
        "const": API_VERSION,
        "title": "Version of the format",
        "description": "Without this key a file has the first version.",
    }
    properties[INITIAL] = {
        "type": "string",
        "pattern": properties["id"]["pattern"],
        "title": "Initial",
        "description": "The status of a new action; default: the first of allowed_statuses.",
    }
    return {
        **schema,
        "required": [name for name in schema["required"] if name not in inherited],
        "title": "Action type",
    }


def _with_any(given: Any, statuses: Any, inherited: Any) -> dict[str, Any] | None:
    """Return the next statuses of each status, or None if something is of a wrong kind."""
    if not (isinstance(given, Mapping) and isinstance(inherited, Mapping)):
        return None
    ways = {**inherited, **given}
    if _ANY not in given or not _are_names(statuses) or _ANY in statuses:
        return ways
    everywhere = ways.pop(_ANY)
    if not _are_names(everywhere) or not all(_are_names(to) for to in ways.values()):
        return None
    opened = [status for status in statuses if status not in CLOSED]
    rank = {status: place for place, status in enumerate(statuses)}
    joined = {
        status: tuple(
            sorted(
                dict.fromkeys((*ways.get(status, ()), *(to for to in everywhere if to != status))),
                # An unknown status is the last one; the schema refuses it.
                key=lambda to: rank.get(to, len(rank)),
            )
        )
        for status in opened
    }
    return joined | {status: to for status, to in ways.items() if status not in joined}


def _between(ways: Any, statuses: tuple[str, ...]) -> dict[str, Any] | None:
    if not isinstance(ways, Mapping) or not all(_are_names(to) for to in ways.values()):
        return None
    return {
        status: tuple(to for to in ways[status] if to in statuses) for status in statuses if status in ways
    }


def _begin_with(found: dict[str, Any], initial: Any) -> list[Complaint]:
    statuses: Any = found.get(STATUSES)
    if not _are_names(statuses):
        return []
    if initial not in statuses or initial in CLOSED:
        known = ", ".join(status for status in statuses if status not in CLOSED)
        return [((INITIAL,), f"must be an open status of the type, one of: {known}")]
    found[STATUSES] = (initial, *(status for status in statuses if status != initial))
    return []


def _are_names(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(each, str) for each in value)
