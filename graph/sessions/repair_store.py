"""Queries for sessions as they are stored, and for what mends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.sessions.integrity import REQUIRED, RepairPlan, StoredSession, StoredSlot
from prefrontal.graph.sessions.store import session_record

if TYPE_CHECKING:
    from prefrontal.graph.sessions.record import Session
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


async def page(tx: Tx, after: str, limit: int) -> list[StoredSession]:
    """Return up to `limit` sessions of all organisations with ids after one, in order."""
    row = await tx.one("sessions/inspect_sessions", after_uid=after, limit=limit, required=list(REQUIRED))
    return [_stored(each) for each in row["sessions"]]


async def lock(tx: Tx, uids: Sequence[str], now: datetime) -> list[StoredSession]:
    """Lock sessions until the commit; return them as they are stored."""
    row = await tx.one("sessions/lock_sessions", uids=sorted(uids), required=list(REQUIRED), now=now)
    return [_stored(each) for each in row["sessions"]]


async def write(tx: Tx, mendings: Mapping[str, RepairPlan], now: datetime) -> int:
    """Write what mends locked sessions, by their ids; return how many sessions."""
    rows = [
        {
            "uid": uid,
            "session": _zoned({name: each.session[name] for name in each.changed}),
            "slots": [{"ref": ref, "properties": _zoned(values)} for ref, values in each.slots.items()],
            "deleted": list(each.deleted),
            "left": [
                {"ref": ref, "reason": item.reason.value, "score": item.score} for ref, item in each.left
            ],
        }
        for uid, each in sorted(mendings.items())
    ]
    return int((await tx.one("sessions/write_repairs", rows=rows, now=now))["written"])


def session_of(mending: RepairPlan) -> Session:
    """Return the session after it was mended."""
    return session_record(dict(mending.session))


async def stray_texts(tx: Tx, limit: int) -> list[str]:
    """Return up to `limit` ids of texts that no active session holds and that were not destroyed."""
    return list((await tx.one("sessions/list_stray_texts", limit=limit))["uids"])


async def destroy_texts(tx: Tx, limit: int, now: datetime) -> list[str]:
    """Destroy up to `limit` texts that no active session holds; return their ids."""
    return list((await tx.one("sessions/destroy_stray_texts", limit=limit, now=now))["uids"])


async def stray_checkpoints(tx: Tx, limit: int) -> list[str]:
    """Return up to `limit` ids of checkpoints whose session has ended or is not there."""
    return list((await tx.one("sessions/list_stray_checkpoints", limit=limit))["uids"])


async def delete_checkpoints(tx: Tx, limit: int) -> list[str]:
    """Delete up to `limit` checkpoints whose session has ended or is not there; return their ids."""
    return list((await tx.one("sessions/delete_stray_checkpoints", limit=limit))["uids"])


def _zoned(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with times in the zone in which all are stored, however the driver read them."""
    return {
        name: value.astimezone(UTC) if isinstance(value, datetime) else value
        for name, value in values.items()
    }


def _stored(row: Row) -> StoredSession:
    return StoredSession(
        properties=row["properties"],
        has_space=row["has_space"],
        slots=tuple(StoredSlot(**each) for each in row["slots"]),
    )
