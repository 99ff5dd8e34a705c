"""Journal entries of pending actions: traces and events with ids and codes, never with texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prefrontal.graph.cortex.actions.record import PendingAction
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.journal.record import (
    Change,
    Event,
    EventType,
    JournalLabels,
    Trace,
    TraceKind,
    one_change,
)
from prefrontal.graph.registry.definitions import ActionTypes, lost_policies
from prefrontal.graph.validation import camel

FAILED = (TraceKind.ACTION_FAILED, EventType.PENDING_ACTION_FAILED, "Action failed")
"""The kind of a change by a result that says that the action failed."""


def creation_journal(
    actions: Sequence[PendingAction], types: ActionTypes
) -> tuple[tuple[Trace, ...], tuple[Event, ...]]:
    """Return the journal of new actions: one event for each, and one trace entry for each changed type."""
    traces = tuple(
        Trace(
            kind=kind,
            message=message,
            ids=(action.uid,),
            details={"type": action.type, **details},
            turn=action.created_from_turn_id,
            scope_id=action.scope_id,
        )
        for action in actions
        if action.original_type is not None
        for kind, message, details in [_change_of_type(action, action.original_type, types)]
    )
    events = tuple(
        Event(
            type=EventType.PENDING_ACTION_CREATED,
            aggregate=action.uid,
            aggregate_version=action.version,
            scope_id=action.scope_id,
            data=event_payload(action),
            turn=action.created_from_turn_id,
        )
        for action in actions
    )
    return traces, events


def _change_of_type(
    action: PendingAction, asked: str, types: ActionTypes
) -> tuple[TraceKind, str, dict[str, Any]]:
    before, after = types.get(asked), types.for_new(asked)
    if before is None or after is None or after.id != action.type:
        return TraceKind.ACTION_TYPE_COERCED, "Unknown action type became a user task", {}
    lost = [camel(name) for name in lost_policies(before, after)]
    details = {"asked": before.id, "lost": lost}
    return TraceKind.ACTION_TYPE_REPLACED, "Deprecated action type was replaced by its successor", details


def creation_traces(actions: Sequence[PendingAction]) -> tuple[Trace, ...]:
    """Return one trace entry for each new action.

    Only for actions that were created without a new goal: the trace entry of a new goal counts its actions.
    """
    return tuple(
        Trace(
            kind=TraceKind.ACTION_CREATED,
            message="Action created",
            ids=(action.uid, *((action.goal_id,) if action.goal_id else ())),
            details={"type": action.type},
            turn=action.created_from_turn_id,
            scope_id=action.scope_id,
        )
        for action in actions
    )


def change_of(
    before: PendingAction,
    after: PendingAction,
    labels: JournalLabels,
    *,
    turn_id: str | None,
    details: Mapping[str, Any] | None = None,
) -> Change:
    """Return the trace entry and the event of one change of an action."""
    recorded = details or {"fields": sorted(camel(name) for name in changed_fields(before, after))}
    return one_change(
        after,
        labels,
        turn_id,
        ids=[after.goal_id] if after.goal_id else [],
        details=recorded,
        data={**event_payload(after), **recorded},
        result={"uid": after.uid},
    )


def event_payload(action: PendingAction) -> dict[str, Any]:
    """Return the data that every event about an action carries."""
    return {
        "action_id": action.uid,
        "goal_id": action.goal_id,
        "type": action.type,
        "status": action.status,
    }
