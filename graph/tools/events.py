"""The journal of tool invocations: the trace has the tool and the codes, never parameters or results."""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.tools.record import Invocation, InvocationStatus


def tracked(invocations: Sequence[Invocation], turn: str) -> Change:
    """Return the journal of new invocations of a turn: an entry and an event for each, in call order."""
    return Change(
        result={},
        traces=tuple(_trace(each, turn) for each in invocations),
        events=tuple(
            Event(
                type=EventType.TOOL_INVOCATION_TRACKED,
                aggregate=each.uid,
                aggregate_version=1,
                scope_id=each.scope_id,
                data={"tool": each.tool, "status": each.status.value},
                turn=turn,
            )
            for each in invocations
        ),
        turns=(turn,),
    )


def _trace(invocation: Invocation, turn: str) -> Trace:
    failed = invocation.status is InvocationStatus.FAILED
    return Trace(
        kind=TraceKind.TOOL_FAILED if failed else TraceKind.TOOL_INVOKED,
        message="Tool failed" if failed else "Tool invoked",
        ids=(invocation.uid, *((invocation.goal_uid,) if invocation.goal_uid else ())),
        details={
            "tool": invocation.tool,
            "status": invocation.status.value,
            "executionTimeMs": invocation.execution_time_ms,
        },
        turn=turn,
        scope_id=invocation.scope_id,
    )
