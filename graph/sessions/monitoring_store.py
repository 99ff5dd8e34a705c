"""Queries for what sessions hold and do, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.sessions.monitoring_record import ActiveSessions

if TYPE_CHECKING:
    from prefrontal.graph.storage.unit_of_work import Tx


async def measure(tx: Tx) -> list[ActiveSessions]:
    """Return what the active sessions of all organisations hold, by their types."""
    row = await tx.one("sessions/measure_sessions")
    return [ActiveSessions.model_validate(each) for each in row["types"]]
