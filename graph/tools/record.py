"""Records of tool invocations (source 000, §Request: FC Tracks Tool Invocation)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, field_serializer

from prefrontal.graph.journal.command import Command, TurnName
from prefrontal.graph.record import Key, Limit, Record, Reference
from prefrontal.graph.scratch.record import Observation, ObservationDraft
from prefrontal.graph.sessions.record import InSession
from prefrontal.graph.validation import is_json


class InvocationStatus(StrEnum):
    """Whether a tool did what it was called for."""

    SUCCESS = "success"
    FAILED = "failed"


class InvocationDraft(Record):
    """A call of a tool and what came back."""

    tool: Key = Field(description="The name of the tool, e.g. `weather_api`.")
    parameters: Annotated[dict[str, Any], Limit("parameters_characters")] | None = Field(
        default=None, description="What the tool was called with: a JSON object; default: an empty one."
    )
    result: Any = Field(
        default=None,
        description="What the tool returned: a JSON object. An object with an `error` is a failure, and so "
        "are anything else than an object and no result at all; all of them are recorded.",
    )
    error: Annotated[str, Limit("description_characters", may_be_empty=True)] | None = Field(
        default=None, description="Why the tool failed, if its result does not say so itself."
    )
    timed_out: bool = Field(default=False, description="Whether the tool did not answer in time: a failure.")
    execution_time_ms: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        default=None, description="How long the call took, in milliseconds."
    )
    called_at: AwareDatetime | None = Field(
        default=None, description="When the tool was called, with a time zone; default: now."
    )
    goal_id: Reference | None = Field(default=None, description="The goal for which the tool was called.")
    client_key: Key | None = Field(
        default=None,
        description="Your own id for the invocation, unique in the space of the turn. The same invocation "
        "again under its id is recorded once. Without an id each call is an invocation of its own, also with "
        "the same parameters.",
    )
    observations: Annotated[tuple[ObservationDraft, ...], Limit("observations_per_call")] = Field(
        default=(),
        description="What the tool noticed: stored with the call, all or none, and evaluated as by "
        "`addObservations`. Their source is the tool.",
    )

    @field_serializer("result", when_used="json")
    def _json_result(self, result: Any) -> Any:
        """Return a result that is no JSON, such as NaN or half of a surrogate pair, as text in ASCII."""
        return result if is_json(result) else ascii(result)


class TrackToolInvocation(InSession, InvocationDraft, Command):
    """A call of a tool in a turn, and what came back."""

    turn_id: TurnName

    @property
    def body(self) -> dict[str, Any]:
        """The input that the idempotency key stands for."""
        # Observations are newer than stored requests, so they count only when given.
        without = {"idempotency_key"} | ({"observations"} if not self.observations else set())
        return self.model_dump(mode="json", exclude=without, exclude_unset=True)


class Invocation(Record):
    """A stored invocation. Its result is read apart, because it may be long."""

    uid: str
    scope_id: str
    turn_uid: str
    tool: str
    status: InvocationStatus
    error: str | None = None
    """Why it failed; not empty if it failed."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    execution_time_ms: int
    """0 if the caller did not say it; then `execution_time_reported` is false."""
    execution_time_reported: bool
    called_at: datetime
    goal_uid: str | None = None
    client_key: str | None = None
    result_preview: str
    """The first characters of the result's JSON."""
    result_bytes: int
    """The length of the result's JSON in UTF-8."""
    result_digest: str
    """The SHA-256 of the result's JSON in UTF-8, in hexadecimal."""
    created_at: datetime
    by_uid: str


class InvocationFilter(Record):
    """Conditions on invocations; all given conditions must hold."""

    tool: Key | None = Field(default=None, description="The name of the tool.")
    status: InvocationStatus | None = None
    turn_id: Key | None = Field(default=None, description="The turn, by its name or its `id`.")
    goal_id: Reference | None = Field(default=None, description="The goal for which the tool was called.")
    since: AwareDatetime | None = Field(default=None, description="Recorded at this time or later.")
    until: AwareDatetime | None = Field(default=None, description="Recorded before this time.")


class TrackedInvocation(Record):
    """An invocation that was tracked, whether it was new, and the observations that it brought."""

    invocation: Invocation
    created: bool
    turn: str
    """What its turn is known by."""
    observations: tuple[Observation, ...] = ()
    """Those that are still there and readable, oldest first."""


class ToolUse(Record):
    """A tool and how often a space used it, as far as the outcomes of the turns are recorded."""

    uid: str
    scope_id: str
    key: str
    """The name of the tool."""
    uses: int
    successes: int
    last_used_at: datetime
    created_at: datetime
    by_uid: str

    @property
    def failures(self) -> int:
        """How often it failed."""
        return self.uses - self.successes
