"""Pending actions in the graph: named queries in, records out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graph.checks import short_name
from graph.cortex.actions.record import PendingAction
from graph.version_rows import version_row
from graph.versions import changes_json

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.storage.rows import Row
    from graph.storage.unit_of_work import Tx


async def create(tx: Tx, caller: Caller, actions: Sequence[PendingAction]) -> int:
    """Store new actions, each with its first version, and return how many were written."""
    row = await tx.one(
        "actions/create_pending_actions",
        rows=[
            {"properties": _properties(action, caller.org_id), "version": _version(action, caller)}
            for action in actions
        ],
        writable=list(caller.writable),
    )
    return int(row["written"])


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, PendingAction]:
    """Return the readable ones of some actions by id."""
    row = await tx.one("actions/find_pending_actions", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: pending_action(item) for item in row["items"]}


async def list_by_goal(tx: Tx, caller: Caller, goal_ids: Sequence[str]) -> list[PendingAction]:
    """Return the readable actions of some goals in order of creation."""
    row = await tx.one(
        "actions/list_pending_actions_by_goal", goal_ids=list(goal_ids), readable=list(caller.readable)
    )
    return [pending_action(item) for item in row["items"]]


def _version(action: PendingAction, caller: Caller) -> dict[str, Any]:
    return version_row(
        caller,
        of_uid=action.uid,
        number=action.version,
        scope_id=action.scope_id,
        caption=action.title,
        changes=changes_json(None, action),
        at=action.updated_at,
        turn_id=action.created_from_turn_id,
    )


def _properties(action: PendingAction, org_id: str) -> dict[str, Any]:
    return {
        **action.model_dump(mode="python", exclude={"metadata", "owner"}),
        "owner": action.owner.value,
        "org_id": org_id,
        "name": short_name(action.title),
        "metadata": json.dumps(action.metadata) if action.metadata else None,
    }


def pending_action(row: Row) -> PendingAction:
    """Return the record of a row."""
    return PendingAction.model_validate(
        {**row, "metadata": json.loads(row["metadata"]) if row["metadata"] else {}}
    )
