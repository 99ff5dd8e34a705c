"""Queries for the access log of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.sessions.access_record import AccessEntry, AccessOutcome, SessionAccess
from prefrontal.graph.sessions.store import owner_params

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx

CAPTION = "Access"


async def append(tx: Tx, accesses: Sequence[SessionAccess], until: datetime) -> int:
    """Store accesses, to be kept until a time; return how many.

    Each belongs to the session that it names. One of an unknown session, or of another organisation's,
    belongs to the caller's own space.
    """
    row = await tx.one("sessions/append_accesses", accesses=[_row(each, until) for each in accesses])
    return int(row["written"])


async def list_page(
    tx: Tx,
    caller: Caller,
    session: str,
    *,
    outcome: AccessOutcome | None,
    before: str,
    limit: int,
    now: datetime,
) -> list[AccessEntry] | None:
    """Return up to `limit` accesses of a session of the caller with ids before one, newest first.

    None if the session is unknown or not the caller's. `outcome` keeps those that were allowed, or refused.
    """
    row = await tx.optional(
        "sessions/list_accesses",
        session=session,
        **owner_params(caller),
        outcome=None if outcome is None else outcome.value,
        before=before,
        limit=limit,
        now=now,
    )
    return None if row is None else [AccessEntry.model_validate(each) for each in row["items"]]


def _row(access: SessionAccess, until: datetime) -> dict[str, Any]:
    return {
        "session": access.session,
        "org_id": access.org_id,
        "scope_id": access.scope_id,
        "properties": {
            "uid": access.uid,
            "org_id": access.org_id,
            "name": CAPTION,
            # A key of a client that no session has is not kept.
            "session_uid": access.session if kind_of(access.session) is Kind.SESSION else None,
            "operation": access.operation.value,
            "item_ids": list(access.item_ids),
            "items": access.items,
            "problem": access.problem,
            "by_uid": access.by_uid,
            "agent_id": access.agent_id,
            "person_id": access.person_id,
            "device_id": access.device_id,
            "created_at": access.at,
            "expires_at": until,
        },
    }
