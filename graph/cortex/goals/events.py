"""Journal entries of changed goals: trace entries for people, events for subscribers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prefrontal.graph.cortex.goals.record import Goal, ProgressResult
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind


def conflict_traces(
    goal: Goal, conflicts: Iterable[tuple[str, str | None]], turn_id: str | None
) -> tuple[Trace, ...]:
    """Return one trace entry for each pair of contradictory observations among the evidence of a goal."""
    pairs = {frozenset(uid for uid in pair if uid is not None): pair for pair in conflicts}
    return tuple(
        Trace(
            kind=TraceKind.OBSERVATIONS_CONFLICT,
            message="Conflicting observations",
            ids=(goal.uid, *(uid for uid in pair if uid is not None)),
            turn=turn_id,
            scope_id=goal.scope_id,
        )
        for pair in pairs.values()
    )


def blocked_traces(goal: Goal, before: str, turn_id: str | None) -> tuple[Trace, ...]:
    """Return one trace entry if a mandate has blocked a goal, with the mandates; else none."""
    if not goal.violates or goal.status.value == before:
        return ()
    details = {"from": before, "to": goal.status.value}
    said = "Goal blocked by a mandate"
    return (trace_of(TraceKind.GOAL_TRANSITIONED, said, goal, turn_id, details, *goal.violates),)


def unchanged(goal: Goal) -> Change:
    """Return the journal of a progress step that changed nothing: a result without traces and events."""
    move = {"uid": goal.uid, "before": goal.progress, "after": goal.progress, "clamped": False}
    return Change(result={"moves": [move]})


def settled_traces(goal: Goal, gains: Mapping[str, float], turn_id: str | None) -> tuple[Trace, ...]:
    """Return one trace entry for each observation that counts now, after the end of its contradiction."""
    message = "Conflict settled, evidence counted"
    return tuple(
        trace_of(TraceKind.CONFLICT_SETTLED, message, goal, turn_id, {"gain": gain}, uid)
        for uid, gain in gains.items()
    )


def progress_journal(moves: Sequence[ProgressResult], turn_id: str | None) -> Change:
    """Return the journal of progress steps; a step that changed nothing appears in the result only."""
    traces: list[Trace] = []
    events: list[Event] = []
    for move in moves:
        details = {"before": move.before, "after": move.after}
        if move.before != move.after:
            traces.append(
                trace_of(TraceKind.PROGRESS_UPDATED, "Progress updated", move.goal, turn_id, details)
            )
            events.append(event_of(EventType.GOAL_PROGRESSED, move.goal, turn_id, details))
        if move.clamped:
            traces.append(
                trace_of(
                    TraceKind.PROGRESS_CLAMPED, "Progress held at its limit", move.goal, turn_id, details
                )
            )
    result = [
        {"uid": move.goal.uid, "before": move.before, "after": move.after, "clamped": move.clamped}
        for move in moves
    ]
    return Change(result={"moves": result}, traces=tuple(traces), events=tuple(events))


def evidence_journal(
    event: EventType,
    moved: ProgressResult,
    observation_ids: Sequence[str],
    turn_id: str | None,
    settled: Mapping[str, float],
) -> Change:
    """Return the journal of evidence that was linked or unlinked, and of evidence that counts since then."""
    linked = event is EventType.GOAL_EVIDENCE_LINKED
    kind = TraceKind.OBSERVATION_LINKED if linked else TraceKind.OBSERVATION_UNLINKED
    message = "Observation linked to goal" if linked else "Observation unlinked from goal"
    progress = progress_journal([moved], turn_id)
    return Change(
        result=progress.result,
        traces=(
            trace_of(kind, message, moved.goal, turn_id, {}, *observation_ids),
            *settled_traces(moved.goal, settled, turn_id),
            *progress.traces,
        ),
        events=(
            *(event_of(event, moved.goal, turn_id, {"observation_id": uid}) for uid in observation_ids),
            *progress.events,
        ),
    )


def trace_of(
    kind: TraceKind, message: str, goal: Goal, turn_id: str | None, details: dict[str, Any], *ids: str
) -> Trace:
    """Return a trace entry about a goal; `ids` are the other nodes involved."""
    return Trace(
        kind=kind,
        message=message,
        ids=(goal.uid, *ids),
        details=details,
        turn=turn_id,
        scope_id=goal.scope_id,
    )


def event_of(event: EventType, goal: Goal, turn_id: str | None, data: dict[str, Any]) -> Event:
    """Return an event about a goal: its id, its status and the given data."""
    return Event(
        type=event,
        aggregate=goal.uid,
        aggregate_version=goal.version,
        scope_id=goal.scope_id,
        data={**event_payload(goal), **data},
        turn=turn_id,
    )


def event_payload(goal: Goal) -> dict[str, Any]:
    """Return the data that every event about a goal carries."""
    return {"goal_id": goal.uid, "status": goal.status.value}
