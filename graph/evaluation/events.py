"""Messages and journal entries of decisions about observations (source 001, §Examples and §Test Scenarios).

The trace has one entry per decision and message, with the ids of all observations concerned (decision on
G-016).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prefrontal.graph.evaluation.record import Decision, Reason, Verdict
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.scratch.record import Observation

PROMOTED = "Observation promoted to goal"
COMBINED = "Multiple observations combined into goal"
BELOW = "Observation below threshold"
KEPT = "Observation kept in Scratch"

_MESSAGES = {
    Reason.FOUNDED_GOAL: PROMOTED,
    Reason.JOINED_GOAL: "Observation joined an existing goal",
    Reason.ALREADY_LINKED: "Observation is evidence of a goal already",
    Reason.BELOW_THRESHOLD: BELOW,
    Reason.LOW_IMPORTANCE: f"{KEPT}: of low importance",
    Reason.CALLS_FOR_NOTHING: f"{KEPT}: it calls for nothing",
    Reason.OPERATIONAL: f"{KEPT}: an operational note",
    Reason.SEVERAL_GOALS: f"{KEPT}: several active goals share its topic; link it to one of them",
    Reason.GOAL_NOT_FOUND: f"{KEPT}: the goal it names does not exist, or you may not read it",
    Reason.GOAL_NOT_ACTIVE: f"{KEPT}: the goal it names is not active",
    Reason.GOAL_NOT_WRITABLE: f"{KEPT}: you may read the goal it names but not change it",
    Reason.EXPIRED: "Observation expired",
    Reason.RESOLVED: "Observation is resolved",
    Reason.DUPLICATE: "Observation has exactly the text of another one that is evidence of a goal",
    Reason.NOT_EVALUATED: "Observation is stored; it will be evaluated at the next review",
    Reason.AWAITS_EVALUATION: "Observation is stored; its evaluation failed, and the next turn tries again",
}


def message_of(reason: Reason) -> str:
    """Return the message of a decision, for people."""
    return _MESSAGES[reason]


def promotion_journal(
    members: Sequence[Observation], goal_id: str, turn_id: str | None, *, founded: bool
) -> tuple[Trace, tuple[Event, ...]]:
    """Return the trace entry, and one event per observation, of observations that became evidence."""
    message = _MESSAGES[Reason.JOINED_GOAL]
    if founded:
        message = PROMOTED if len(members) == 1 else COMBINED
    trace = Trace(
        kind=TraceKind.OBSERVATION_PROMOTED,
        message=message,
        ids=(goal_id, *(o.uid for o in members)),
        details={"observations": len(members), "founded": founded},
        turn=turn_id,
        scope_id=members[0].scope_id,
    )
    events = tuple(
        Event(
            type=EventType.OBSERVATION_PROMOTED,
            aggregate=o.uid,
            aggregate_version=o.version,
            scope_id=o.scope_id,
            data={"observation_id": o.uid, "goal_id": goal_id},
            turn=turn_id,
        )
        for o in members
    )
    return trace, events


def kept_traces(kept: Iterable[tuple[Observation, Reason]], turn_id: str | None) -> tuple[Trace, ...]:
    """Return the trace entries of kept observations: one for each space, turn and reason."""
    groups: dict[tuple[str, str | None, Reason], list[str]] = {}
    for o, reason in kept:
        if reason is not Reason.ALREADY_LINKED:
            turn = turn_id if turn_id is not None else o.source.turn_id
            groups.setdefault((o.scope_id, turn, reason), []).append(o.uid)
    return tuple(
        Trace(
            kind=TraceKind.OBSERVATION_KEPT,
            message=BELOW if reason is Reason.BELOW_THRESHOLD else KEPT,
            ids=tuple(uids),
            details={"reason": reason.value, "observations": len(uids)},
            turn=turn,
            scope_id=scope_id,
        )
        for (scope_id, turn, reason), uids in groups.items()
    )


def awaiting(kept: Sequence[Observation], code: str, turn_id: str | None) -> Change:
    """Return the journal of observations whose evaluation failed, and which wait for the next turn."""
    traces = kept_traces([(o, Reason.AWAITS_EVALUATION) for o in kept], turn_id)
    return Change(
        result={"uids": [o.uid for o in kept]},
        traces=tuple(
            trace.model_copy(update={"details": {**trace.details, "code": code}}) for trace in traces
        ),
    )


def kept_of(verdicts: Iterable[Verdict]) -> list[tuple[Observation, Reason]]:
    return [(v.candidate.observation, v.reason) for v in verdicts if v.decision is Decision.KEEP]
