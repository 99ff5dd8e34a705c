"""Journal entries of observations: trace entries for people, and events for subscribers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind, one_change
from prefrontal.graph.scratch.record import Observation, ObservationStatus
from prefrontal.graph.wording import counted


def added(o: Observation) -> Event:
    return Event(
        type=EventType.OBSERVATION_ADDED,
        aggregate=o.uid,
        aggregate_version=o.version,
        scope_id=o.scope_id,
        data=event_payload(o),
        turn=o.source.turn_id,
    )


def step_journal(
    o: Observation, event: EventType, turn_id: str | None, *, reason: str | None = None
) -> Change:
    """Return the journal of one change of an observation, e.g. that it was archived, and the reason."""
    expired = event is EventType.OBSERVATION_EXPIRED
    kind = TraceKind.OBSERVATION_EXPIRED if expired else TraceKind.OBSERVATION_CHANGED
    message = event.value.replace(".", " ").capitalize()
    return one_change(
        o,
        (kind, event, message),
        turn_id,
        details={"status": o.status.value, "pinned": o.pinned} | ({"reason": reason} if reason else {}),
        data=event_payload(o),
        result={"uid": o.uid},
    )


def event_payload(o: Observation) -> dict[str, str]:
    """Return the data of every event about an observation: its id and its status."""
    return {"observation_id": o.uid, "status": o.status.value}


def added_traces(new: Sequence[Observation]) -> tuple[Trace, ...]:
    """Return one trace entry per turn for new observations, and one for each that is already expired."""
    traces: list[Trace] = []
    for turn, number in sorted(
        Counter(o.source.turn_id for o in new).items(), key=lambda pair: pair[0] or ""
    ):
        ids = tuple(o.uid for o in new if o.source.turn_id == turn)
        message = "Observation added" if number == 1 else f"{counted(number, 'observation')} added"
        traces.append(
            Trace(
                kind=TraceKind.OBSERVATIONS_ADDED,
                message=message,
                ids=ids,
                details={"count": number},
                turn=turn,
                scope_id=new[0].scope_id,
            )
        )
    traces += [
        Trace(
            kind=TraceKind.OBSERVATION_EXPIRED,
            message="Observation expired",
            ids=(o.uid,),
            turn=o.source.turn_id,
            scope_id=o.scope_id,
        )
        for o in new
        if o.status is ObservationStatus.EXPIRED
    ]
    return tuple(traces)
