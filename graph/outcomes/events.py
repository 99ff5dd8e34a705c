"""The journal of outcomes: ids and codes, never what was said."""

from __future__ import annotations

from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.lessons.outcome_record import Outcome


def recorded(outcome: Outcome, turn: str) -> Change:
    """Return the journal of a new outcome of a turn."""
    codes = {"success": outcome.success, "conflicting": outcome.conflicting}
    return Change(
        result={},
        traces=(
            Trace(
                kind=TraceKind.OUTCOME_RECORDED,
                message="Outcome recorded",
                ids=(outcome.uid,),
                details=codes,
                turn=turn,
                scope_id=outcome.scope_id,
            ),
        ),
        events=(
            Event(
                type=EventType.OUTCOME_RECORDED,
                aggregate=outcome.uid,
                aggregate_version=1,
                scope_id=outcome.scope_id,
                data=codes,
                turn=turn,
            ),
        ),
        turns=(turn,),
    )


def not_recorded(code: str, turn: str, scope_id: str) -> Change:
    """Return the journal of an outcome of a turn that could not be stored."""
    trace = Trace(
        kind=TraceKind.OUTCOME_FAILED,
        message="Outcome not recorded",
        details={"code": code},
        turn=turn,
        scope_id=scope_id,
    )
    return Change(result={}, traces=(trace,), turns=(turn,))
