"""Journal entries of sessions: ids, codes and numbers, never texts (source 002 §1.5; decision G-085)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from prefrontal.graph.journal.record import (
    Change,
    Event,
    EventType,
    JournalLabels,
    Trace,
    TraceKind,
    merged,
    one_change,
)
from prefrontal.graph.sessions.checkpoint_record import Checkpoint, MissingItem
from prefrontal.graph.sessions.integrity_record import Finding
from prefrontal.graph.sessions.record import (
    EvictedItem,
    LinkSessions,
    OperationResult,
    Session,
    UpdateWorkingMemory,
)

_STARTED = (TraceKind.SESSION_STARTED, EventType.SESSION_STARTED, "Session started")
_ENDED = (TraceKind.SESSION_ENDED, EventType.SESSION_ENDED, "Session ended")
_CHECKPOINTED = (
    TraceKind.SESSION_CHECKPOINTED,
    EventType.SESSION_CHECKPOINTED,
    "Checkpoint of a session kept",
)
_RESTORED = (TraceKind.SESSION_RESTORED, EventType.SESSION_RESTORED, "Checkpoint of a session put back")
_CAME_BACK = (
    TraceKind.WORKING_MEMORY_UPDATED,
    EventType.WORKING_MEMORY_UPDATED,
    "Item came back to working memory",
)
_REPAIRED = (TraceKind.SESSION_REPAIRED, EventType.SESSION_REPAIRED, "Session repaired")
_LEFT = (
    TraceKind.WORKING_MEMORY_EVICTED,
    EventType.WORKING_MEMORY_EVICTED,
    "Item left working memory",
)
_DONE = {
    OperationResult.ADDED: "Item added to working memory",
    OperationResult.UPDATED: "Item of working memory changed",
    OperationResult.REFRESHED: "Item of working memory refreshed",
}


def session_started(session: Session, now: datetime, *, turn_id: str | None, trace_id: str | None) -> Change:
    """Return the journal of a session that was started."""
    return _change(session, _STARTED, now, turn_id, trace_id, data=_metadata(session))


def session_ended(
    session: Session, left: Iterable[EvictedItem], now: datetime, *, turn_id: str | None
) -> Change:
    """Return the journal of a session that was ended, and of what left it."""
    ended = _change(session, _ENDED, now, turn_id, None, data=_metadata(session))
    return merged([*_evictions(session, left, now, turn_id, None), ended])


def session_repaired(
    session: Session, findings: Iterable[Finding], left: Iterable[EvictedItem], now: datetime
) -> Change:
    """Return the journal of a session that was corrupt and was repaired, and of what left it."""
    faults = {"faults": sorted({finding.fault.value for finding in findings})}
    repaired = _change(session, _REPAIRED, now, None, None, details=faults, data=_metadata(session) | faults)
    return merged([*_evictions(session, left, now, None, None), repaired])


def session_checkpointed(
    session: Session, checkpoint: Checkpoint, now: datetime, *, turn_id: str | None
) -> Change:
    """Return the journal of a checkpoint of a session."""
    labels = {"checkpoint_id": checkpoint.uid, "items_count": len(checkpoint.item_ids)}
    return _change(
        session, _CHECKPOINTED, now, turn_id, None, details=labels, data=_metadata(session) | labels
    )


def session_restored(
    session: Session,
    checkpoint_id: str,
    back: Iterable[str],
    left: Iterable[EvictedItem],
    missing: Iterable[MissingItem],
    now: datetime,
    *,
    turn_id: str | None,
) -> Change:
    """Return the journal of a checkpoint that was put back: what left, what came back, and what did not."""
    changes = list(_evictions(session, left, now, turn_id, None))
    for item_id in back:
        data = {
            "item_id": item_id,
            "operation_result": "restored",
            "items_count": session.items,
            "max_capacity": session.max_capacity,
            "session_coherence": session.coherence,
            "evicted_items": [],
        }
        changes.append(
            _change(session, _CAME_BACK, now, turn_id, None, details={"item_id": item_id}, data=data)
        )
    labels = {
        "checkpoint_id": checkpoint_id,
        "missing_items": [{"item_id": each.item_id, "reason": each.reason.value} for each in missing],
    }
    changes.append(
        _change(session, _RESTORED, now, turn_id, None, details=labels, data=_metadata(session) | labels)
    )
    return merged(changes)


def devices_linked(space_id: str, version: int, command: LinkSessions) -> Change:
    """Return the journal of whether sessions of a space on different devices may be related."""
    labels = {"across_devices": command.across_devices}
    trace = Trace(
        kind=TraceKind.DEVICES_LINKED,
        message="Sessions on different devices may be related"
        if command.across_devices
        else "Sessions on different devices are not related",
        ids=(space_id,),
        turn=command.turn_id,
        scope_id=space_id,
    )
    event = Event(
        type=EventType.DEVICES_LINKED,
        aggregate=space_id,
        aggregate_version=version,
        scope_id=space_id,
        data=labels,
        turn=command.turn_id,
    )
    return Change(result=labels, traces=(trace,), events=(event,))


def working_memory_updated(
    session: Session,
    command: UpdateWorkingMemory,
    item_id: str,
    result: OperationResult,
    left: tuple[EvictedItem, ...],
    now: datetime,
    *,
    focus_changed: bool,
) -> Change:
    """Return the journal of an update: what left the session, and what was added, changed or refreshed.

    A rejected item is no event (decision G-092), and what a caller evicts is one eviction.
    """
    turn_id, trace_id = command.turn_id, command.trace_id
    changes = list(_evictions(session, left, now, turn_id, trace_id))
    details: dict[str, Any] = {"item_id": item_id, "request_id": command.request_id, "trace_id": trace_id}
    if focus_changed:
        details["focus_changed"] = True
    if result is OperationResult.REJECTED:
        rejected = Trace(
            kind=TraceKind.WORKING_MEMORY_REJECTED,
            message="Item not admitted to working memory",
            ids=(session.uid,),
            details=details,
            turn=turn_id,
            scope_id=session.scope_id,
        )
        changes.append(Change(result={}, traces=(rejected,)))
    if result in _DONE:
        labels = (TraceKind.WORKING_MEMORY_UPDATED, EventType.WORKING_MEMORY_UPDATED, _DONE[result])
        data = {
            "item_id": item_id,
            "operation_result": result.value,
            "items_count": session.items,
            "max_capacity": session.max_capacity,
            "session_coherence": session.coherence,
            "evicted_items": [each.item_id for each in left],
        }
        changes.append(_change(session, labels, now, turn_id, trace_id, details=details, data=data))
    return merged(changes)


def _evictions(
    session: Session, left: Iterable[EvictedItem], now: datetime, turn_id: str | None, trace_id: str | None
) -> Iterable[Change]:
    for each in left:
        labels = {"item_id": each.item_id, "reason": each.reason.value}
        yield _change(session, _LEFT, now, turn_id, trace_id, details=labels, data=labels)


def _metadata(session: Session) -> dict[str, Any]:
    return {
        "session_type": session.session_type,
        "total_items_processed": session.items_processed,
        "current_items": session.items,
        "max_capacity": session.max_capacity,
        "coherence_score": session.coherence,
    }


def _change(
    session: Session,
    labels: JournalLabels,
    now: datetime,
    turn_id: str | None,
    trace_id: str | None,
    *,
    data: dict[str, Any],
    details: dict[str, Any] | None = None,
) -> Change:
    """Return the journal of one change; its event says whose session it is, when, and in which trace."""
    whose = {
        "session_id": session.uid,
        "person_id": session.person_id,
        "device_id": session.device_id,
        "time": now.isoformat(),
        "trace_id": trace_id,
    }
    return one_change(session, labels, turn_id, details=details, data=whose | data)
