"""The journal of a turn's commit: ids, codes and numbers, never content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.lessons.record import Evaluation, Pattern
from prefrontal.graph.turns.commit_record import (
    PendingCommit,
    PhaseTiming,
    StateDecision,
    StoredExport,
    StoreResult,
    StoreStatus,
)


def evaluated(evaluation: Evaluation, patterns: Sequence[Pattern], turn: str, scope_id: str) -> Trace:
    """Return the entry about the evaluation of a turn."""
    return Trace(
        kind=TraceKind.TURN_EVALUATED,
        message="Turn evaluated",
        details={
            "success": evaluation.success,
            "issues": dict(Counter(issue.code for issue in evaluation.issues)),
            "needs_follow_up": evaluation.needs_follow_up,
            "patterns": [pattern.kind.value for pattern in patterns],
        },
        turn=turn,
        scope_id=scope_id,
    )


def chosen(selection: Sequence[StateDecision], turn: str, scope_id: str) -> Trace:
    """Return the entry about what of a turn is remembered, with the rules that left the rest out."""
    left = Counter(each.rule.value for each in selection if each.rule is not None)
    return Trace(
        kind=TraceKind.STATE_SELECTED,
        message=f"Selected {len(selection) - left.total()} of {len(selection)}",
        ids=tuple(each.memory for each in selection if each.memory is not None),
        details={
            "selected": len(selection) - left.total(),
            "discarded": dict(left),
            "archived": sum(len(each.archived) for each in selection),
        },
        turn=turn,
        scope_id=scope_id,
    )


def stored(store: str, turn: str, scope_id: str, pending: PendingCommit | None = None) -> Trace:
    """Return the entry about a store that has its part; of one that failed at first, with the attempts."""
    details = {"store": str(store)} | ({} if pending is None else {"attempts": pending.attempts + 1})
    return Trace(
        kind=TraceKind.STORE_COMMITTED,
        message=f"Committed to {_words(store)}",
        ids=() if pending is None else (pending.uid,),
        details=details,
        turn=turn,
        scope_id=scope_id,
    )


def overwritten(items: Sequence[Mapping[str, Any]], turn: str, scope_id: str) -> tuple[Trace, ...]:
    """Return the entries about changes that took the place of somebody else's: the last write won."""
    return tuple(
        Trace(
            kind=TraceKind.CONSISTENCY_ISSUE,
            message="Overwrote another change",
            ids=(item["uid"],),
            details={"version": item["version"], "overwritten": item["overwritten"]},
            turn=turn,
            scope_id=scope_id,
        )
        for item in items
    )


def failed(store: str, code: str, attempt: int, turn: str, scope_id: str) -> Trace:
    """Return the entry about an attempt that failed."""
    return Trace(
        kind=TraceKind.STORE_FAILED,
        message=f"Not committed to {_words(store)}",
        details={"store": str(store), "code": code, "attempt": attempt},
        turn=turn,
        scope_id=scope_id,
    )


def kept(pending: PendingCommit, code: str) -> Change:
    """Return the journal of a call of a tool that could not be recorded and is kept to be tried again."""
    trace = failed(pending.store, code, pending.attempts, pending.turn_id, pending.scope_id)
    return Change(
        result={"kept": pending.uid},
        traces=(trace.model_copy(update={"ids": (pending.uid,)}),),
        turns=(pending.turn_id,),
    )


def escalated(pending: PendingCommit, code: str, attempts: int) -> Change:
    """Return the journal of a part whose attempts all failed."""
    data = {"store": pending.store, "code": code, "attempts": attempts}
    return Change(
        result={},
        traces=(
            Trace(
                kind=TraceKind.COMMIT_ESCALATED,
                message=f"Commit to {_words(pending.store)} needs attention",
                ids=(pending.uid,),
                details=data,
                turn=pending.turn_id,
                scope_id=pending.scope_id,
            ),
        ),
        events=(_event(EventType.TURN_COMMIT_ESCALATED, pending, attempts, data),),
    )


def recovered(pending: PendingCommit) -> Change:
    """Return the journal of a part that was committed by a later attempt."""
    attempts = pending.attempts + 1
    return Change(
        result={},
        traces=(stored(pending.store, pending.turn_id, pending.scope_id, pending),),
        events=(
            _event(
                EventType.TURN_COMMIT_RECOVERED,
                pending,
                attempts,
                {"store": pending.store, "attempts": attempts},
            ),
        ),
    )


def _event(kind: EventType, pending: PendingCommit, version: int, data: Mapping[str, Any]) -> Event:
    return Event(
        type=kind,
        aggregate=pending.uid,
        aggregate_version=version,
        scope_id=pending.scope_id,
        data={"turn_uid": pending.turn_uid, **data},
        turn=pending.turn_id,
    )


def finished(
    export: StoredExport,
    stores: Sequence[StoreResult],
    phases: Sequence[PhaseTiming],
    statuses: Mapping[str, datetime],
    turn: str,
    published_at: datetime,
) -> Change:
    """Return the journal of the publication and of the end of a turn's commit."""
    pending = [each.store.value for each in stores if each.status is not StoreStatus.COMMITTED]
    return Change(
        result={},
        traces=(
            Trace(
                kind=TraceKind.STATE_PUBLISHED,
                message="State published",
                ids=(export.uid,),
                details={"at": published_at.isoformat(), "bytes": len(export.body.encode())},
                turn=turn,
                scope_id=export.scope_id,
            ),
            Trace(
                kind=TraceKind.TURN_COMMITTED,
                message="Turn committed" if not pending else "Turn committed in part",
                details={
                    "phases": {each.phase.value: each.milliseconds for each in phases},
                    "statuses": {name: at.isoformat() for name, at in statuses.items()},
                    "pending": pending,
                },
                turn=turn,
                scope_id=export.scope_id,
            ),
        ),
        events=(
            Event(
                type=EventType.TURN_EXPORTED,
                aggregate=export.uid,
                aggregate_version=1,
                scope_id=export.scope_id,
                data={"export_id": export.uid, "digest": export.digest, "pending": pending},
                turn=turn,
            ),
        ),
        turns=(turn,),
    )


def exports_erased(exports: Sequence[Mapping[str, Any]]) -> Change:
    """Return the journal of exports that were deleted, so that whoever read them deletes them, too."""
    return Change(
        result={},
        events=tuple(
            Event(
                type=EventType.RECORD_ERASED,
                aggregate=each["uid"],
                aggregate_version=2,
                scope_id=each["scope_id"],
                data={"record_id": each["uid"]},
            )
            for each in exports
        ),
    )


def _words(store: str) -> str:
    return store.replace("_", " ")
