"""What the journal says of a revert: which version, and which fields it changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graph.history.record import RevertWarning
from graph.history.rules import public_name
from graph.journal.record import Change, Event, EventType, Trace, TraceKind


def reverted(
    event: EventType,
    *,
    uid: str,
    version: int,
    scope_id: str,
    to: int,
    fields: Iterable[str],
    data: dict[str, Any],
    warnings: Sequence[RevertWarning],
    turn_id: str | None,
) -> Change:
    """Return the journal of a record that was taken back to version `to`."""
    details = {
        "to": to,
        "fields": sorted(public_name(name) for name in fields),
        "warnings": [warning.code for warning in warnings],
    }
    return Change(
        result=result_of(version, warnings),
        traces=(
            Trace(
                kind=TraceKind.REVERTED,
                message="Taken back to an earlier version",
                ids=(uid,),
                details=details,
                turn=turn_id,
                scope_id=scope_id,
            ),
        ),
        events=(
            Event(
                type=event,
                aggregate=uid,
                aggregate_version=version,
                scope_id=scope_id,
                data={**data, **details},
                turn=turn_id,
            ),
        ),
    )


def result_of(version: int, warnings: Sequence[RevertWarning]) -> dict[str, Any]:
    """Return what a revert answers with."""
    return {"version": version, "warnings": [warning.model_dump() for warning in warnings]}
