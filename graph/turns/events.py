"""Results and traces of refused deltas: the client gets the fields, the trace only ids and codes."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.cortex.actions.record import EntryProblem
from prefrontal.graph.errors import Conflict, InvalidInput, NotFound
from prefrontal.graph.journal.record import Change, Trace, TraceKind
from prefrontal.graph.turns.record import Delta
from prefrontal.graph.validation import join_path, problem_of


def refused(delta: Delta, problem: dict[str, Any], turn_id: str) -> Change:
    """Return the change of a delta that has a problem: its result and its trace entry, nothing else."""
    problem = relative(problem, delta.path)
    return Change(result={"problem": problem}, traces=(_trace(delta, problem, turn_id),))


def without_refusal(change: Change) -> Change:
    """Return a change without the trace entry of its refusal, which an earlier call has written."""
    kept = tuple(trace for trace in change.traces if trace.kind is not TraceKind.DELTA_REFUSED)
    return change.model_copy(update={"traces": kept})


def _trace(delta: Delta, problem: dict[str, Any], turn_id: str) -> Trace:
    code = problem["code"]
    # An unknown or invalid id is text from the client, which must not enter the trace.
    known = code not in (NotFound.code, InvalidInput.code)
    uid = getattr(delta.body, "id", None) or getattr(delta.body, "goal_id", None)
    return Trace(
        kind=TraceKind.DELTA_REFUSED,
        message="Delta refused",
        ids=(uid,) if known and uid else (),
        details={"delta": delta.kind.value, "code": code},
        turn=turn_id,
    )


def other_body() -> dict[str, Any]:
    """Return the problem of a delta whose key was used for another delta."""
    error = Conflict("this key was used in the turn for another delta; use a new key", field="key")
    return problem_of(error, "")


def relative(problem: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a problem with its fields relative to the delta, independent of the delta's position."""

    def own(field: str | None) -> str | None:
        return field if field is None else field.removeprefix(f"{path}.").removeprefix(".")

    details = [{**each, "field": own(each["field"])} for each in problem["problems"]]
    return {**problem, "field": own(problem["field"]), "problems": details}


def with_full_paths(problem: dict[str, Any], path: str) -> EntryProblem:
    """Return a problem with the full paths of its fields in the input."""

    def own_path(field: str | None) -> str:
        return join_path(path, field) if field else path

    details = tuple({**each, "field": own_path(each["field"])} for each in problem["problems"])
    return EntryProblem.model_validate({**problem, "field": own_path(problem["field"]), "problems": details})
