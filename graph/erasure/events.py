"""What the journal records of an erasure: ids and numbers, no content."""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.erasure.record import ErasableNode
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind


def records_erased(every: Iterable[ErasableNode], person_id: str) -> Change:
    """Return the journal of erased records: an event each, so that consumers erase their copies."""
    return Change(
        result={},
        events=tuple(
            Event(
                type=EventType.RECORD_ERASED,
                aggregate=item.uid,
                aggregate_version=item.version + 1,
                scope_id=item.scope_id,
                data={"record_id": item.uid, "person_id": person_id},
            )
            for item in every
            if item.label is not None
        ),
    )


def person_erased(person_id: str, scope_id: str, number: int) -> Change:
    """Return the audit entry of an erasure."""
    return Change(
        result={},
        traces=(
            Trace(
                kind=TraceKind.PERSON_ERASED,
                message=f"Erased {number}",
                ids=(person_id,),
                details={"count": number},
                scope_id=scope_id,
            ),
        ),
        events=(
            Event(
                type=EventType.PERSON_ERASED,
                aggregate=person_id,
                aggregate_version=1,
                scope_id=scope_id,
                data={"person_id": person_id, "count": number},
            ),
        ),
    )
