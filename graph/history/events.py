"""What the journal says of a revert: which version, and which fields it changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from prefrontal.graph.history.record import Revert, RevertWarning
from prefrontal.graph.history.rules import public_name
from prefrontal.graph.journal.record import Aggregate, Change, EventType, TraceKind, one_change


def reverted(
    event: EventType,
    after: Aggregate,
    asked: Revert,
    *,
    fields: Iterable[str],
    data: dict[str, Any],
    warnings: Sequence[RevertWarning],
) -> Change:
    """Return the journal of a record that was taken back; `after` is what it is now."""
    details = {
        "to": asked.number,
        "fields": sorted(public_name(name) for name in fields),
        "warnings": [warning.code for warning in warnings],
    }
    return one_change(
        after,
        (TraceKind.REVERTED, event, "Taken back to an earlier version"),
        asked.turn_id,
        details=details,
        data={**data, **details},
        result=result_of(after.version, warnings),
    )


def result_of(version: int, warnings: Sequence[RevertWarning]) -> dict[str, Any]:
    """Return what a revert answers with."""
    return {"version": version, "warnings": [warning.model_dump() for warning in warnings]}
