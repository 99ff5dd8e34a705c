"""Reads and writes an organisation's own action types: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.history.rows import record_version_row
from prefrontal.graph.registry.definitions import ActionType
from prefrontal.graph.registry.effective_types import TypeOverride
from prefrontal.graph.registry.overrides.record import ActionTypeOverride, LockedRegistry
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx

_overrides = RecordMapper(ActionTypeOverride)


async def list_overrides(tx: Tx, org_id: str) -> tuple[int, tuple[ActionTypeOverride, ...]]:
    """Return the highest revision among an organisation's overrides, and the overrides in order of type."""
    row = await tx.one("registry/list_overrides", org_id=org_id)
    items = tuple(_overrides.record(item) for item in row["items"])
    # The revision is taken from the nodes read here: a read may see only one of two nodes that a transaction
    # wrote.
    return max((item["revision"] for item in row["items"]), default=0), items


async def list_overrides_at(tx: Tx, org_id: str, at: datetime) -> tuple[TypeOverride, ...]:
    """Return the overrides of an organisation that were in force just before a time, in order of type."""
    row = await tx.one("registry/list_overrides_at", org_id=org_id, at=at)
    found = []
    for item in row["items"]:
        definition = json.loads(item["changes"])["definition"]
        if definition is not None:
            kind = ActionType.model_validate_json(json.dumps(definition))
            found.append(TypeOverride(kind, item["version"], item["since"]))
    return tuple(found)


async def list_in_force(tx: Tx) -> dict[tuple[str, str], ActionType]:
    """Return the types that organisations have put in force for themselves, by organisation and type id."""
    row = await tx.one("registry/list_types_in_force")
    return {
        (item["org_id"], item["type_id"]): ActionType.model_validate_json(item["definition"])
        for item in row["items"]
    }


async def find_overrides(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, ActionTypeOverride]:
    """Return the readable overrides among some ids, by id."""
    row = await tx.one("registry/find_overrides", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: _overrides.record(item) for item in row["items"]}


async def lock(tx: Tx, caller: Caller, now: datetime) -> LockedRegistry:
    """Lock an organisation's registry until the commit and return its contents; other changes of it wait."""
    row = await tx.one("registry/lock_registry", org_id=caller.org_id, now=now)
    found = [_overrides.record(item) for item in row["items"]]
    return LockedRegistry(
        revision=row["revision"], scope_id=row["scope_id"], overrides={each.type_id: each for each in found}
    )


async def save(
    tx: Tx,
    caller: Caller,
    after: ActionTypeOverride,
    before: ActionTypeOverride | None,
    *,
    revision: int,
    turn_id: str | None,
) -> None:
    """Store an override with its version, as a new revision of the organisation's registry."""
    shown = after.definition or after.draft
    caption = shown.display_name if shown else after.type_id
    await tx.execute(
        "registry/save_override",
        org_id=caller.org_id,
        type_id=after.type_id,
        revision=revision,
        properties={
            **_overrides.properties(after),
            "org_id": caller.org_id,
            "name": short_name(caption),
            "revision": revision,
        },
        version=record_version_row(caller, before, after, caption=caption, turn_id=turn_id),
    )


async def count_open(tx: Tx, caller: Caller, type_id: str, statuses: Sequence[str]) -> Mapping[str, int]:
    """Return the number of actions of a type by status, for each of the statuses that occurs."""
    row = await tx.one(
        "registry/count_actions", org_id=caller.org_id, type_id=type_id, statuses=list(statuses)
    )
    return {item["status"]: item["number"] for item in row["items"]}
