"""Queries for what sessions hold and do, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.sessions.monitoring_record import ActiveSessions, PatternsFilter, SessionPatterns
from prefrontal.graph.sessions.store import owner_params

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


async def measure(tx: Tx) -> list[ActiveSessions]:
    """Return what the active sessions of all organisations hold, by their types."""
    row = await tx.one("sessions/measure_sessions")
    return [ActiveSessions.model_validate(each) for each in row["types"]]


async def read_patterns(
    tx: Tx, caller: Caller, wanted: PatternsFilter, *, most: int, first: int
) -> SessionPatterns:
    """Return how the caller's newest sessions, `most` at most, used what they held; lists up to `first`."""
    row = await tx.one(
        "sessions/read_patterns",
        **owner_params(caller),
        session=wanted.session_id,
        since="" if wanted.since is None else floor_id(Kind.SESSION, wanted.since),
        upto="~" if wanted.until is None else floor_id(Kind.SESSION, wanted.until),
        most=most,
        first=first,
    )
    return SessionPatterns.model_validate(row)
