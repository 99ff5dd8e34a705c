"""Journal entries of sessions: ids, codes and numbers, never texts (source 002 §1.5; decision G-085)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.sessions.record import (
    Evicted,
    OperationResult,
    Session,
    UpdateWorkingMemory,
)


def session_started(session: Session, now: datetime, *, turn_id: str | None, trace_id: str | None) -> Change:
    """Return the journal of a session that was started."""
    return Change(
        result={},
        traces=(_trace(TraceKind.SESSION_STARTED, "Session started", session, turn_id),),
        events=(_event(EventType.SESSION_STARTED, session, now, turn_id, trace_id, _metadata(session)),),
    )


def session_ended(
    session: Session, left: tuple[Evicted, ...], now: datetime, *, turn_id: str | None
) -> Change:
    """Return the journal of a session that was ended, and of what left it."""
    return Change(
        result={},
        traces=(
            *_left(session, left, turn_id),
            _trace(TraceKind.SESSION_ENDED, "Session ended", session, turn_id),
        ),
        events=(
            *_evictions(session, left, now, turn_id, None),
            _event(EventType.SESSION_ENDED, session, now, turn_id, None, _metadata(session)),
        ),
    )


def working_memory_updated(
    session: Session,
    command: UpdateWorkingMemory,
    item_id: str,
    result: OperationResult,
    left: tuple[Evicted, ...],
    now: datetime,
) -> Change:
    """Return the journal of an update: what left the session, and what was added, changed or refreshed.

    A rejected item is no event (decision G-092), and what a caller evicts is one eviction.
    """
    said = {
        OperationResult.REJECTED: (TraceKind.WORKING_MEMORY_REJECTED, "Item not admitted to working memory"),
        OperationResult.ADDED: (TraceKind.WORKING_MEMORY_UPDATED, "Item added to working memory"),
        OperationResult.UPDATED: (TraceKind.WORKING_MEMORY_UPDATED, "Item of working memory changed"),
        OperationResult.REFRESHED: (TraceKind.WORKING_MEMORY_UPDATED, "Item of working memory refreshed"),
    }
    turn_id, trace_id = command.turn_id, command.trace_id
    traces = list(_left(session, left, turn_id))
    events = list(_evictions(session, left, now, turn_id, trace_id))
    if result in said:
        kind, message = said[result]
        details = {"item_id": item_id, "request_id": command.request_id, "trace_id": trace_id}
        traces.append(_trace(kind, message, session, turn_id, details))
    if result in said and result is not OperationResult.REJECTED:
        data = {
            "item_id": item_id,
            "operation_result": result.value,
            "items_count": session.items,
            "max_capacity": session.max_capacity,
            "session_coherence": session.coherence,
            "evicted_items": [each.item_id for each in left],
        }
        events.append(_event(EventType.WORKING_MEMORY_UPDATED, session, now, turn_id, trace_id, data))
    return Change(result={}, traces=tuple(traces), events=tuple(events))


def _left(session: Session, left: tuple[Evicted, ...], turn_id: str | None) -> tuple[Trace, ...]:
    return tuple(
        _trace(
            TraceKind.WORKING_MEMORY_EVICTED,
            "Item left working memory",
            session,
            turn_id,
            {"item_id": each.item_id, "reason": each.reason.value},
        )
        for each in left
    )


def _evictions(
    session: Session, left: tuple[Evicted, ...], now: datetime, turn_id: str | None, trace_id: str | None
) -> tuple[Event, ...]:
    return tuple(
        _event(
            EventType.WORKING_MEMORY_EVICTED,
            session,
            now,
            turn_id,
            trace_id,
            {"item_id": each.item_id, "reason": each.reason.value},
        )
        for each in left
    )


def _metadata(session: Session) -> dict[str, Any]:
    return {
        "session_type": session.session_type,
        "total_items_processed": session.items_processed,
        "current_items": session.items,
        "max_capacity": session.max_capacity,
        "coherence_score": session.coherence,
    }


def _trace(
    kind: TraceKind,
    message: str,
    session: Session,
    turn_id: str | None,
    details: dict[str, Any] | None = None,
) -> Trace:
    return Trace(
        kind=kind,
        message=message,
        ids=(session.uid,),
        details=details or {},
        turn=turn_id,
        scope_id=session.scope_id,
    )


def _event(
    kind: EventType,
    session: Session,
    now: datetime,
    turn_id: str | None,
    trace_id: str | None,
    data: dict[str, Any],
) -> Event:
    said = {
        "session_id": session.uid,
        "person_id": session.person_id,
        "device_id": session.device_id,
        "time": now.isoformat(),
        "trace_id": trace_id,
        **data,
    }
    return Event(
        type=kind,
        aggregate=session.uid,
        aggregate_version=session.version,
        scope_id=session.scope_id,
        data=said,
        turn=turn_id,
    )
