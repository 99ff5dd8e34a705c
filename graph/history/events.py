"""The journal entries of a revert: the version reverted to, and the fields that the revert changed."""

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
    """Return the journal of a reverted record.

    Args:
        event: The type of the event, which depends on the kind of record.
        after: The record after the revert.
        asked: The request: which version to revert to, and in which turn.
        fields: The names of the fields that the revert changed.
        data: Further data of the event.
        warnings: What the revert did not undo.
    """
    details = {
        "to": asked.version,
        "fields": sorted(public_name(name) for name in fields),
        "warnings": [warning.code for warning in warnings],
    }
    return one_change(
        after,
        (TraceKind.REVERTED, event, "Reverted to an earlier version"),
        asked.turn_id,
        details=details,
        data={**data, **details},
        result=result_of(after.version, warnings),
    )


def result_of(version: int, warnings: Sequence[RevertWarning]) -> dict[str, Any]:
    """Return the result of a revert's request: the record's new `version`, and the `warnings`."""
    return {"version": version, "warnings": [warning.model_dump() for warning in warnings]}
