"""Rules for the definitions that are kept in the graph: what is new, and what is in force at which time.

first      the first definitions of a registry are in force since ever: no turn began before them
changed    a file that says something else is the next version, from now on
gone       a type without its file is retired: its actions move and complete, none is created
dropped    a status that a file no longer has, and names no successor for, is retired in the same way
same       nothing is written, so processes that start at the same moment write one version
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from prefrontal.graph.registry.definitions import ActionsTable, ActionType, Moment, followed_by
from prefrontal.graph.registry.files.record import SETTINGS, DefinitionState, RetiredUse, TypeDefinition
from prefrontal.graph.wording import counted


def moments_of(kept: Iterable[TypeDefinition]) -> tuple[Moment, ...]:
    """Return what the files said from each of their changes on, oldest first; empty if nothing is kept."""
    rows = sorted(kept, key=lambda each: (each.type_id, each.number))
    if not rows:
        return ()
    times: list[datetime | None] = [None, *sorted({row.since for row in rows if row.since is not None})]
    found: list[Moment] = []
    for at in times:
        latest = {
            row.type_id: row for row in rows if row.since is None or (at is not None and row.since <= at)
        }
        if SETTINGS in latest:
            found.append(_moment(latest, at))
    return tuple(found)


def new_versions(kept: Sequence[TypeDefinition], loaded: Moment, now: datetime) -> list[TypeDefinition]:
    """Return the versions to add so that the kept definitions say what the loaded files say.

    A definition that is new has no id yet.
    """
    latest = {row.type_id: row for row in sorted(kept, key=lambda each: each.number)}
    before = moments_of(latest.values())
    target = followed_by(before[-1], loaded, None) if before else loaded
    found: list[TypeDefinition] = []
    for type_id, content in [(SETTINGS, _text(loaded.table)), *_contents(target, loaded, latest)]:
        row = latest.get(type_id)
        gone = type_id in target.retired
        statuses = {} if type_id == SETTINGS else dict(target.types[type_id].retired_statuses)
        state = DefinitionState.RETIRED if gone else DefinitionState.IN_FORCE
        if row and (row.definition, row.state, row.retired_statuses) == (content, state, statuses):
            continue
        found.append(
            TypeDefinition(
                type_id=type_id,
                number=row.number + 1 if row else 1,
                type_uid=row.type_uid if row else "",
                hash=hashlib.sha256(content.encode()).hexdigest(),
                definition=content,
                retired_statuses=statuses,
                state=state,
                since=now if latest else None,
                until=None,
            )
        )
    return found


def fields_changed(before: TypeDefinition | None, after: TypeDefinition) -> list[str]:
    """Return the names of the keys in which two versions of a definition differ, sorted."""
    new = _stored_keys(after)
    old = _stored_keys(before) if before else {}
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name))


def retired_uses(counted: Iterable[RetiredUse], moment: Moment) -> list[RetiredUse]:
    """Return the counts of actions that have a retired type, added up, or a retired status."""
    found: list[RetiredUse] = []
    gone: dict[str, int] = {}
    for use in counted:
        if use.type_id in moment.retired:
            gone[use.type_id] = gone.get(use.type_id, 0) + use.number
        elif use.status in moment.types[use.type_id].retired_statuses:
            found.append(use)
    return [*found, *(RetiredUse(type_id=name, status=None, number=number) for name, number in gone.items())]


def advice(uses: Iterable[RetiredUse]) -> list[str]:
    """Return for each retired type and status with open actions what a maintainer can do."""
    found: list[str] = []
    for use in sorted(uses, key=lambda each: (each.type_id, each.status or "")):
        have = counted(use.number, "open action has", "open actions have")
        if use.status is None:
            keys = (
                f"{use.type_id}: the file of the type is gone, and {have} it. They can be moved and "
                "completed, new ones are refused. "
                f"Restore action_types/{use.type_id}.yaml and deprecate the type there, or give "
                f"the actions another type: prefrontal registry migrate {use.type_id} NEW --org KEY"
            )
        else:
            keys = (
                f"{use.type_id}: the status {use.status} is gone, and {have} it. They can leave it, none can "
                f"enter it. Name its successor under former_statuses in action_types/{use.type_id}.yaml"
            )
        found.append(keys)
    return found


def _contents(target: Moment, loaded: Moment, latest: Mapping[str, TypeDefinition]) -> list[tuple[str, str]]:
    return [
        (name, _text(loaded.types[name]) if name in loaded.types else latest[name].definition)
        for name in sorted(target.types)
    ]


def _moment(latest: Mapping[str, TypeDefinition], at: datetime | None) -> Moment:
    types: dict[str, ActionType] = {}
    retired = {name for name, row in latest.items() if row.state is DefinitionState.RETIRED}
    for name, row in latest.items():
        if name != SETTINGS:
            kind = ActionType.model_validate_json(row.definition).keeping(row.retired_statuses)
            types[name] = kind.withdrawn() if name in retired else kind
    return Moment(
        at,
        types,
        ActionsTable.model_validate_json(latest[SETTINGS].definition),
        frozenset(retired),
        {name: row.number for name, row in latest.items()},
    )


def _text(value: ActionType | ActionsTable) -> str:
    return json.dumps(value.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)


def _stored_keys(row: TypeDefinition) -> dict[str, Any]:
    keys: dict[str, Any] = json.loads(row.definition)
    return {**keys, "retired": row.state is DefinitionState.RETIRED, "retired_statuses": row.retired_statuses}
