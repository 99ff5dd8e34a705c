"""How a call of a tool counts, and how its result is stored (source 000, §Test Scenario 6; G-106, G-107).

what came back                              status     error
an object without `error`                   success    none; an `error` of null or false is none, either
an object with `error`                      failed     its text, or the text of its `message`
`error` beside the result                   failed     that text
nothing in time (`timed_out`)               failed     "timeout: …"
no result, anything else than an object,
or a value that is not JSON                 failed     "invalid response: …"

An empty error becomes `NO_MESSAGE`. The stored result of a failure always has an `error`. What is not an
object stands under `raw`; what is not JSON stands there as text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from prefrontal.graph.config.tables import LimitsTable
from prefrontal.graph.errors import InvalidInput, TooLarge
from prefrontal.graph.scratch.record import ObservationDraft, SourceKind
from prefrontal.graph.tools.record import InvocationDraft, InvocationStatus
from prefrontal.graph.validation import json_problems

NO_MESSAGE = "the tool failed without a message"
_KINDS = {
    str: "a text",
    list: "a list",
    tuple: "a list",
    bool: "a truth value",
    int: "a number",
    float: "a number",
}


class Response(NamedTuple):
    """How a call of a tool counts."""

    status: InvocationStatus
    error: str | None
    result: Mapping[str, Any]
    """What is stored as the result."""


class StoredResult(NamedTuple):
    """A result as it is stored."""

    text: str
    """Its JSON."""
    preview: str
    parts: tuple[str, ...]
    """The parts of a long text in order; none of a short one."""
    size: int
    digest: str


def response_of(draft: InvocationDraft, limits: LimitsTable) -> Response:
    """Return how a call counts, if `result_problems` finds nothing.

    An error of more than `description_characters` is cut.
    """
    result, complaint = _read(draft.result, limits.tool_result_characters)
    said = draft.error if draft.error is not None else None if complaint else _error_in(result)
    if draft.timed_out:
        took = "" if draft.execution_time_ms is None else f" within {draft.execution_time_ms} ms"
        said = f"timeout: no answer{took}" + (f"; {said}" if said else "")
    elif said is None:
        said = complaint
    if said is None:
        return Response(InvocationStatus.SUCCESS, None, result)
    error = said.strip()[: limits.description_characters]
    # What the tool said itself stays as it was.
    own = result.get("error") if error else None
    return Response(
        InvocationStatus.FAILED, error or NO_MESSAGE, {**result, "error": own or error or NO_MESSAGE}
    )


def result_problems(result: Any, field: str, most: int) -> list[InvalidInput]:
    """Return the problems of a result that cannot be recorded: it is too long, or nested too deeply."""
    found = json_problems({"result": result}, field, most)
    return [problem for problem in found if isinstance(problem, TooLarge)]


def source_problems(draft: InvocationDraft, path: str) -> list[InvalidInput]:
    """Return the problems of observations that name another source than the tool that noticed them."""
    return [
        InvalidInput("the source is the tool of the call; leave it out", field=f"{path}[{number}].source")
        for number, each in enumerate(draft.observations)
        if each.source.kind not in (None, SourceKind.TOOL) or each.source.name not in (None, draft.tool)
    ]


def observations_of(draft: InvocationDraft) -> list[ObservationDraft]:
    """Return the observations of a call, each with the tool as its source."""
    tool = {"kind": SourceKind.TOOL, "name": draft.tool}
    return [
        each.model_copy(update={"source": each.source.model_copy(update=tool)}) for each in draft.observations
    ]


def stored(result: Mapping[str, Any], *, part: int, preview: int) -> StoredResult:
    """Return a result as it is stored; a text of more than `part` characters in parts of that length."""
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    encoded = text.encode()
    parts = (
        tuple(text[start : start + part] for start in range(0, len(text), part)) if len(text) > part else ()
    )
    return StoredResult(text, text[:preview], parts, len(encoded), hashlib.sha256(encoded).hexdigest())


def digest_of(draft: InvocationDraft) -> str:
    """Return a digest of a draft without its `client_key`: equal drafts have equal ones."""
    # Observations are newer than stored digests, so they count only when given.
    without = {"client_key", "result"} | ({"observations"} if not draft.observations else set())
    said = draft.model_dump(
        mode="json", include=set(InvocationDraft.model_fields) - without, exclude_unset=True
    )
    text = json.dumps([said, draft.result], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _read(given: Any, most: int) -> tuple[dict[str, Any], str | None]:
    """Return what is stored of a result, and what is wrong with it."""
    if given is None:
        return {}, "invalid response: no result"
    if json_problems({"result": given}, "", most):
        # Not JSON, such as NaN, or no valid Unicode: as text, in which every character can be stored.
        return {"raw": ascii(given)[:most]}, "invalid response: it is not JSON"
    if isinstance(given, Mapping):
        return dict(given), None
    kind = _KINDS.get(type(given), "something")
    return {"raw": given}, f"invalid response: {kind} instead of an object"


def _error_in(result: Mapping[str, Any]) -> str | None:
    """Return the error that a result names, or None if it names none."""
    error = result.get("error")
    if error is None or error is False:
        return None
    if isinstance(error, Mapping):
        error = error.get("message") or error
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
