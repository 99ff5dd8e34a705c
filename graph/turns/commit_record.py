"""Records of the commit of a turn in six phases (source 004, §Turn Finalization Sequence)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.importance import Importance
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, Outcome, OutcomeDraft
from prefrontal.graph.lessons.record import Evaluation, Pattern
from prefrontal.graph.record import Key, Limit, Record, Reference
from prefrontal.graph.tools.record import InvocationDraft
from prefrontal.graph.turns.export_record import StateType, Urgency
from prefrontal.graph.turns.record import CommitAtTurnEnd, CommitStatus, DeltaResult, Turn

Text = Annotated[str, Limit("content_characters", may_be_empty=True)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Words = Annotated[tuple[Annotated[str, Limit("description_characters")], ...], Limit("list_items")]


class ScoresDraft(Record):
    """The parts of an importance, each 0–1; what is not given is worked out."""

    relevance_to_goals: Share | None = None
    relevance_to_user: Share | None = None
    confidence: Share | None = None
    novelty: Share | None = None
    actionability: Share | None = None


class StateDraft(Record):
    """Something of the turn that may be worth remembering."""

    content: Annotated[str, Limit("content_characters")] = Field(description="What it was, in a sentence.")
    data: Annotated[dict[str, Any], Limit("metadata_characters")] | None = Field(
        default=None, description="More about it: a JSON object, stored unchanged."
    )
    tags: Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")] = Field(
        default=(), description="`user_data` keeps it for ever, however unimportant it is."
    )
    importance: Share | None = Field(
        default=None, description="0–1, if you know it; default: worked out from `scores`."
    )
    scores: ScoresDraft | None = None
    goal_id: Reference | None = Field(default=None, description="The goal that it is about.")
    happened_at: AwareDatetime | None = Field(default=None, description="Default: now.")


class CommitTurn(CommitAtTurnEnd):
    """The end of a turn: what was said, what came of it, and what it changed. At most 200 deltas; each is
    checked separately, and applied once per turn.
    """  # noqa: D205 - one paragraph: it is the description of the input

    user_input: Text | None = Field(default=None, description="What the user said.")
    assistant_response: Text | None = Field(default=None, description="What the agent answered.")
    conversation: Key | None = Field(
        default=None,
        description="Your key of the conversation in which both were said; default: the turn's session.",
    )
    message_metadata: Annotated[dict[str, Any], Limit("metadata_characters")] | None = Field(
        default=None, description="A JSON object that is stored with both messages."
    )
    outcome: OutcomeDraft | None = Field(
        default=None,
        description="What came of the turn, as in `recordOutcome`; leave it out if it is recorded.",
    )
    feedback: FeedbackDraft | None = Field(
        default=None, description="The feedback about the outcome, as in `recordOutcome`."
    )
    tool_invocations: Annotated[tuple[InvocationDraft, ...], Limit("list_items")] = Field(
        default=(), description="Calls of tools that were not tracked yet, as in `trackToolInvocation`."
    )
    events: Annotated[tuple[StateDraft, ...], Limit("list_items")] = Field(
        default=(), description="What happened in the turn and may be worth remembering."
    )
    errors: Annotated[tuple[StateDraft, ...], Limit("list_items")] = Field(
        default=(), description="What went wrong in the turn, besides failed calls of tools."
    )
    warnings: Words = Field(default=(), description="What nearly went wrong.")
    urgency: Urgency = Field(default=Urgency.MEDIUM, description="How urgent the turn was.")
    daemons_activated: Annotated[tuple[Key, ...], Limit("list_items")] = Field(
        default=(), description="The names of the daemons that ran in the turn."
    )
    budget_used: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        default=None, description="Tokens; default: those of the turn's contexts."
    )
    budget_total: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        default=None, description="Tokens; default: the budgets of the turn's contexts."
    )
    follow_up: bool = Field(
        default=True, description="Whether a turn that failed gets an action that says what to do next."
    )


class CommitStore(StrEnum):
    """One of the four stores that a turn is committed to, in this order."""

    EPISODIC = "episodic"
    FRONTAL_CORTEX = "frontal_cortex"
    SCRATCH_PAGE = "scratch_page"
    CONVERSATION = "conversation"


class CallStore(StrEnum):
    """Where a call of a tool goes that could not be recorded when it was tracked."""

    EXECUTION_LOG = "execution_log"


def store_named(name: str) -> CommitStore | CallStore:
    """Return the store with a name.

    Raises:
        ValueError: If there is none, because another version of the service has stored the name.
    """
    return CallStore(name) if name in {*CallStore} else CommitStore(name)


class StoreStatus(StrEnum):
    """What became of the part of a commit that goes to one store."""

    COMMITTED = "committed"
    PENDING = "pending"
    """It failed, and the next commit of the space tries it again."""
    ESCALATED = "escalated"
    """All attempts failed, and somebody has to look at it; the next commit of the space tries it again."""


class StoreResult(Record):
    """What became of the part of a commit that goes to one store."""

    store: CommitStore | CallStore
    status: StoreStatus
    attempts: int
    code: str | None = None
    """Why the last attempt failed: the code of an error, or the name of its class."""


def status_of(stores: Iterable[StoreResult]) -> CommitStatus:
    """Return how much of a turn was committed, from what became of its parts."""
    done = [each.status is StoreStatus.COMMITTED for each in stores]
    if all(done):
        return CommitStatus.OK
    return CommitStatus.PARTIAL if any(done) else CommitStatus.FAILED


class Phase(StrEnum):
    """The phases of a commit, in their order."""

    COMPLETION = "completion"
    EVALUATION = "evaluation"
    SELECTION = "selection"
    MEMORY_COMMIT = "memory_commit"
    PUBLICATION = "publication"
    FINALIZATION = "finalization"


class PhaseTiming(Record):
    """How long a phase took, in milliseconds."""

    phase: Phase
    milliseconds: float


class RetentionClass(StrEnum):
    """The type of data of a piece of state, by which it is kept (`retention.yaml`, key `classes`)."""

    USER_DATA = "user_data"
    TOOL_RESULTS = "tool_results"
    OBSERVATIONS = "observations"
    ERRORS = "errors"
    EVENTS = "events"


class Rule(StrEnum):
    """What decided that a piece of state is not remembered."""

    IMPORTANCE = "importance"
    RELEVANCE = "relevance"
    CONFIDENCE = "confidence"
    ACTIONABILITY = "actionability"
    QUOTA = "quota"
    FORGOTTEN = "forgotten"


class Candidate(Record):
    """A piece of a turn's state that may be remembered."""

    type: StateType
    origin: str | None
    """The id of the record that it was, or its place in the input."""
    content: str
    data: dict[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    importance: Importance
    given: bool = False
    """Whether the client gave the importance itself: then its parts say nothing."""
    user_data: bool = False
    happened_at: datetime | None = None
    observation_uid: str | None = None
    """The id of the stored observation that it was."""

    @property
    def retention(self) -> RetentionClass:
        """The type of data by which it is kept."""
        return RetentionClass.USER_DATA if self.user_data else _CLASSES[self.type]


_CLASSES = {
    StateType.TOOL_EXECUTION: RetentionClass.TOOL_RESULTS,
    StateType.OBSERVATION: RetentionClass.OBSERVATIONS,
    StateType.EVENT: RetentionClass.EVENTS,
    StateType.ERROR: RetentionClass.ERRORS,
}


class CandidateDecision(Record):
    """A candidate, and why it is not remembered; None if it is."""

    candidate: Candidate
    rule: Rule | None


class ArchivedEpisode(Record):
    """A stored episode that was archived to make room."""

    uid: str
    importance: float
    for_origin: str
    """The origin of what took its room."""


class StateDecision(Record):
    """What was decided about a piece of a turn's state."""

    type: StateType
    origin: str | None
    """The id of the record that it was, or its place in the input."""
    retention: RetentionClass
    importance: Importance
    rule: Rule | None
    """What left it out; None if it is remembered."""
    memory: str | None = None
    """The id of the episodic memory; None if it is not remembered, or not yet."""
    archived: tuple[str, ...] = ()
    """The ids of the stored episodes that were archived to make room for it."""


class ActiveGoal(Record):
    """An active goal that the state of a turn is compared with."""

    uid: str
    topics: tuple[str, ...] = ()


class CommitResult(Record):
    """What a commit of a turn did."""

    turn: Turn
    status: CommitStatus
    results: tuple[DeltaResult, ...]
    outcome: Outcome | None
    evaluation: Evaluation
    patterns: tuple[Pattern, ...]
    selection: tuple[StateDecision, ...]
    stores: tuple[StoreResult, ...]
    phases: tuple[PhaseTiming, ...]
    export_id: str
    """The id of the StateExport."""


class PendingCommit(Record):
    """A part of a commit, or a call of a tool, that could not be stored, and is tried again.

    What it is made of is read by whoever tries it: a part that nobody can read keeps nobody from the others.
    """

    uid: str
    scope_id: str
    turn_uid: str
    turn_id: str
    """What the turn was known by."""
    store: str
    """The name of a `CommitStore` or a `CallStore`."""
    status: StoreStatus
    attempts: int
    code: str | None
    payload: str | None
    """What the store was to get, as JSON; None once it has it."""
    created_at: datetime
    updated_at: datetime
    by_uid: str


class StoredExport(Record):
    """The StateExport of a turn, as it was published."""

    uid: str
    scope_id: str
    turn_uid: str
    body: str
    """Its JSON."""
    digest: str
    """The SHA-256 of the JSON in UTF-8, in hexadecimal."""
    created_at: datetime
    by_uid: str


class ToolCall(Record):
    """A call of a tool in a turn, as far as a commit looks at it."""

    origin: str
    """The id of the invocation, or its place in the input."""
    tool: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    error: str | None = None
    """Why it failed; None if it did not."""
    preview: str
    """The first characters of its result's JSON."""
    digest: str
    milliseconds: int
    called_at: datetime | None = None
    goal_uid: str | None = None
    client_key: str | None = None
    counted: bool = False
    """Whether an outcome has counted it already."""


class TurnObservation(Record):
    """An observation of a turn, as far as a commit looks at it."""

    origin: str
    """The id of the observation, or its place in the input."""
    uid: str | None = None
    content: str
    type: str
    confidence: float
    tags: tuple[str, ...] = ()
    user_id: str | None = None
    goal_uids: tuple[str, ...] = ()
    """The goals that it names or is evidence of."""
    due: bool = False
    """Whether it names a goal, or its evaluation failed, and it is evidence of no goal yet."""


class GatheredTurn(Record):
    """What a turn has done until its commit (source 004, §Phase 1)."""

    turn_uid: str | None = None
    began_at: datetime | None = None
    session_uid: str | None = None
    called: tuple[ToolCall, ...] = ()
    noticed: tuple[TurnObservation, ...] = ()
    goals: tuple[ActiveGoal, ...] = ()
    budget_used: int = 0
    budget_total: int = 0
    recent: tuple[tuple[str, tuple[ToolCall, ...]], ...] = ()
    """The calls of the turns before it, by the id of the turn."""
    pending: tuple[PendingCommit, ...] = ()
