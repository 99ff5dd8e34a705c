"""Turns and their trace as GraphQL types."""

from __future__ import annotations

import json
from asyncio import gather
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Self

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.context.types import ReceiptType, ScorePartsType, via_field
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.importance import ImportanceType
from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.memory.types import MemoryType
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import (
    NamedLazyType,
    actor_field,
    find_node,
    list_field,
    node_field,
    refs_field,
    space_field,
)
from prefrontal.api.graphql.outcomes.types import OutcomeType
from prefrontal.api.graphql.paging import After, Connection, Edge, First, PageInfo, UncountedPage
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.api.graphql.sessions.types import SessionType
from prefrontal.graph.context.record import Reason, ReceiptItem, Section
from prefrontal.graph.cortex.mandates.record import (
    FoundViolation,
    PlanGoalDraft,
    PlanStepDraft,
    ViolationKind,
)
from prefrontal.graph.ids import Kind
from prefrontal.graph.journal.record import TraceEntry, TraceKind
from prefrontal.graph.lessons.record import Evaluation, Issue, Pattern, PatternKind
from prefrontal.graph.storage.paging import Page
from prefrontal.graph.turns.commit_record import (
    CommitStore,
    Phase,
    PhaseTiming,
    RetentionClass,
    Rule,
    StateDecision,
    StoredExport,
    StoreResult,
    StoreStatus,
)
from prefrontal.graph.turns.export_record import StateType, Urgency
from prefrontal.graph.turns.record import CommitStatus, DeltaKind, DeltaResult, Turn, TurnStatus

strawberry.enum(TraceKind, name="TraceKind", description="The kind of a trace entry.")
strawberry.enum(Urgency, name="Urgency", description="How urgent a turn was.")
strawberry.enum(
    CommitStatus,
    name="CommitStatus",
    description="OK: every store has its part. PARTIAL: some have. FAILED: none has. What is missing is "
    "tried again.",
)
strawberry.enum(
    CommitStore, name="CommitStore", description="One of the four stores that a turn is committed to."
)
strawberry.enum(
    StoreStatus,
    name="CommitStoreStatus",
    description="COMMITTED. PENDING: it failed, and the next commit of the space tries it again. "
    "ESCALATED: all attempts failed, and somebody has to look at it; the next commit tries it again.",
)
strawberry.enum(Urgency, name="Urgency", description="How urgent a turn was.")
strawberry.enum(Phase, name="CommitPhase", description="The phases of a commit, in their order.")
strawberry.enum(StateType, name="StateType", description="The type of a piece of a turn's state.")
strawberry.enum(RetentionClass, name="RetentionClass", description="The type of data by which it is kept.")
strawberry.enum(
    Rule,
    name="SelectionRule",
    description="What left a piece of state out. IMPORTANCE: it is not above the threshold of its type. "
    "RELEVANCE: it is about no goal, not the user, and nothing can be done. CONFIDENCE: it is not sure "
    "enough. ACTIONABILITY: nothing can be done about the error. QUOTA: the space has no room, and nothing "
    "less important to archive. FORGOTTEN: its text was forgotten.",
)
strawberry.enum(PatternKind, name="TurnPatternKind", description="What happens again and again.")
strawberry.enum(DeltaKind, name="DeltaKind", description="The kind of a delta.")
strawberry.enum(
    ViolationKind,
    name="ViolationKind",
    description="PROHIBITED: the mandate forbids it. CONFIRMATION_REQUIRED: a person confirms it first.",
)
strawberry.enum(
    TurnStatus,
    name="TurnStatus",
    description="OPEN: the turn goes on. COMPLETE: its results are "
    "committed. ABANDONED: nothing was heard of it for long, and the service closed it.",
)


if TYPE_CHECKING:

    class PlanGoalInput:
        """The goal of a plan, made from the record."""

    class PlanStepInput:
        """A step of a plan, made from the record."""

else:
    PlanGoalInput = input_type(PlanGoalDraft)
    PlanStepInput = input_type(PlanStepDraft)


@graphql_type_of(FoundViolation, "A mandate that a plan violates.", name="PlanViolation")
class PlanViolationType(RecordType):
    """A violation."""

    mandate = node_field(Kind.MANDATE, "mandate_id", "The violated mandate.", required=True)
    kind: ViolationKind
    step: int | None = strawberry.field(
        description="The place in `steps`, from 0; null if it is the goal itself or one of its actions."
    )
    action = node_field(
        Kind.PENDING_ACTION, "action_id", "The open action of the stored goal that violates it."
    )
    reason: str = strawberry.field(description="What in the step falls under the mandate.")


@strawberry.type(description="Whether a plan satisfies the mandates that bind you.", name="PlanCheck")
class PlanCheckType:
    """The result of `checkPlan`."""

    satisfied: bool = strawberry.field(description="True if none of them is violated.")
    violations: list[PlanViolationType]
    checked: int = strawberry.field(description="How many mandates were compared with the plan.")


@graphql_type_of(TraceEntry, "An entry of a turn's trace.", rename={"turn_id": "turn"})
class TraceEntryType(RecordType):
    """A trace entry."""

    id: strawberry.ID
    created_at: datetime
    turn_id: str | None
    kind: TraceKind
    message: str
    ids: list[strawberry.ID] = strawberry.field(description="The ids of the records that the entry concerns.")
    details: JSON = strawberry.field(description="Codes and numbers, never content.")


@strawberry.type(description="A page of the trace of all readable spaces.")
class TraceLogConnection(UncountedPage[TraceEntryType]):
    """A page of the trace; the trace of a turn has a page with a count."""


@graphql_type_of(Turn, "A turn: one cycle of an agent's work, from assembling the context to the commit.")
class TurnType(RecordType, Node):
    """A turn."""

    record: strawberry.Private[Turn]
    key: str = strawberry.field(description="The client's name for the turn.")
    status: TurnStatus
    ended_at: datetime | None = strawberry.field(
        description="When the turn was first committed, or closed as abandoned. Null if it is open, or began "
        "before this was stored."
    )
    completed_at: datetime | None = strawberry.field(
        description="When its execution was complete and `commitTurn` began. Null before that."
    )
    final_at: datetime | None = strawberry.field(description="When `commitTurn` was done. Null before that.")
    commit_status: CommitStatus | None = strawberry.field(
        description="How much of it was committed. Null before `commitTurn`."
    )
    summary: str | None = strawberry.field(
        description="What was said, decided, done and refused, and what came of it. Null before `commitTurn`."
    )
    space = space_field()
    created_at: datetime
    created_by = actor_field("by_uid", "Who began the turn")
    saw = list_field(
        "seen",
        NamedLazyType("turns.types", "SawConnection"),
        "What the contexts of the turn included: the newest context first, in the order of its text.",
    )
    receipts = list_field("receipts", ReceiptType, "The receipts of the turn's contexts, newest first.")
    invocations = list_field(
        "invocations", Kind.TOOL_INVOCATION, "The tool invocations of the turn, in call order."
    )
    outcomes = list_field(
        "turn_outcomes", Kind.OUTCOME, "The outcomes of the turn, in the order in which they were recorded."
    )
    trace = list_field("trace", TraceEntryType, "The trace of the turn, in order of time.")
    exports = list_field("turn_exports", Kind.STATE_EXPORT, "The StateExports of the turn, oldest first.")

    @strawberry.field(
        description="The session of working memory that the turn is in; null if it is in none, or if the "
        "session is not yours."
    )
    async def session(self, info: Context) -> SessionType | None:
        return SessionType.maybe(await info.context.loaders.sessions_of_turns.load(self.record.uid))

    @strawberry.field(description="The turn before it in its space; null for the first one.")
    async def previous(self, info: Context) -> TurnType | None:
        found = await info.context.loaders.neighbours.load(self.record.uid)
        return TurnType.maybe(found.previous if found else None)

    @strawberry.field(
        description="The turn after it in its space, the first one if several began at once; null for the "
        "last one."
    )
    async def next(self, info: Context) -> TurnType | None:
        found = await info.context.loaders.neighbours.load(self.record.uid)
        return TurnType.maybe(found.next if found else None)

    @strawberry.field(
        description="The records that the turn created or changed, as far as you may read them, in order of "
        "their ids."
    )
    async def made(self, info: Context, first: First = None, after: After = None) -> Connection[Node]:
        trace, caller = info.context.services.turns.trace, await info.context.caller()
        page = await trace.made(caller, self.record.uid, first=first, after=after)
        # The records of the page are read together, with one statement for each kind.
        found = await gather(*(find_node(info.context.loaders, uid) for uid in page.items))
        edges = [
            Edge(cursor=cursor, node=node)
            for cursor, node in zip(page.cursors, found, strict=True)
            if node is not None
        ]
        return Connection(
            counted=partial(trace.count_made, caller, self.record.uid),
            edges=edges,
            nodes=[edge.node for edge in edges],
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


@strawberry.type(description="What a context of a turn included, and why.")
class SawEdge:
    """The link of a turn to what it saw."""

    record: strawberry.Private[ReceiptItem]
    cursor: str
    node = node_field(None, "uid", "What the context had a line about.")
    section: Section
    rank: int = strawberry.field(description="The position in the context, from 1.")
    tokens: int
    score: float = strawberry.field(description="0–1.")
    parts: ScorePartsType = strawberry.field(description="What the score is made of.")
    reason: Reason
    via = via_field()


async def _seen_nodes(self: SawConnection, info: Context) -> list[Node]:
    found = await gather(*(find_node(info.context.loaders, edge.record.uid) for edge in self.edges))
    return [node for node in found if node is not None]


@strawberry.type(description="A page of what the contexts of a turn included.")
class SawConnection(Connection[Node]):
    """A page of what a turn saw."""

    edges: list[SawEdge]  # type: ignore[assignment]  # edges with more fields
    nodes: list[Node] = strawberry.field(resolver=_seen_nodes)

    @classmethod
    def of_links(cls, page: Page[ReceiptItem], counted: Callable[[], Awaitable[int]]) -> Self:
        """Return the connection of a page; its nodes are read when they are selected."""
        edges = [
            SawEdge(
                record=seen,
                cursor=cursor,
                section=seen.section,
                rank=seen.rank,
                tokens=seen.tokens,
                score=seen.score,
                parts=ScorePartsType.from_record(seen.parts),
                reason=seen.reason,
            )
            for cursor, seen in zip(page.cursors, page.items, strict=True)
        ]
        info = PageInfo.of(page.cursors, has_next=page.has_next)
        return cls(counted=counted, edges=edges, page_info=info)


@strawberry.type(description="The state at the beginning of a turn; each list has a deterministic order.")
class StartTurnPayload:
    """The result of `startTurn`."""

    turn: TurnType
    goals: list[GoalType] = strawberry.field(description="The active goals, most urgent first.")
    agent_actions: list[PendingActionType] = strawberry.field(
        description="The agent's open actions, in descending order of utility."
    )
    user_actions: list[PendingActionType] = strawberry.field(
        description="The user's open actions, in the same order."
    )
    questions: list[QuestionType] = strawberry.field(
        description="The open questions, most urgent first, with their `stories`."
    )


@graphql_type_of(DeltaResult, "The result of one delta.", name="TurnDeltaResult")
class DeltaResultType(RecordType):
    """The result of one delta."""

    kind: DeltaKind
    path: str = strawberry.field(
        description="The path of the delta in the input, e.g. `completedActions[2]`."
    )
    key: str | None = strawberry.field(description="The delta's `key`, if it has one.")
    repeated: bool = strawberry.field(
        description="Whether the delta was sent earlier in the turn with this result, or the action was "
        "completed before; then nothing was written now."
    )
    created: bool = strawberry.field(
        description="Whether the delta created a record instead of changing one."
    )
    goal: GoalType | None = strawberry.field(
        description="The goal whose progress or status changed, in its present state."
    )
    observation: ObservationType | None
    memory: MemoryType | None
    before: float | None = strawberry.field(description="The goal's progress before the change.")
    after: float | None = strawberry.field(description="The goal's progress after the change.")
    action: PendingActionType | None
    question: QuestionType | None
    story: StoryType | None
    problem: Problem | None = strawberry.field(description="The reason why the delta was not applied.")


@graphql_type_of(
    StoredExport,
    "The StateExport of a turn: all its state changes, for daemons.",
    name="StateExport",
    rename={"text": "body"},
)
class StateExportType(RecordType, Node):
    """A StateExport."""

    record: strawberry.Private[StoredExport]
    space = space_field()
    turn = node_field(Kind.TURN, "turn_uid", "The turn.")
    text: str = strawberry.field(
        description="Its JSON, by `docs/state_export.schema.json`: the bytes that `digest` is of."
    )
    digest: str = strawberry.field(description="The SHA-256 of `text` in UTF-8, in hexadecimal.")
    created_at: datetime
    created_by = actor_field("by_uid", "Who committed the turn")

    @strawberry.field(description="The same as a JSON object.")
    def body(self) -> JSON:
        return json.loads(self.record.body)  # type: ignore[no-any-return]


@graphql_type_of(Issue, "Something that did not go well in a turn.", name="TurnIssue")
class TurnIssueType(RecordType):
    """An issue."""

    code: str = strawberry.field(description="tool_failed, could_improve, conflicting_feedback or failed.")
    message: str
    tool: str | None
    error: str | None = strawberry.field(description="The kind of the error.")
    recovered: bool = strawberry.field(description="Whether a later call made up for it.")


@graphql_type_of(Evaluation, "How a turn went.", name="TurnEvaluation")
class TurnEvaluationType(RecordType):
    """The evaluation of a turn."""

    success: bool
    issues: list[TurnIssueType]
    needs_follow_up: bool
    follow_up: str | None = strawberry.field(description="What is to be done.")


@graphql_type_of(Pattern, "Something that happened in several of the recent turns.", name="TurnPattern")
class TurnPatternType(RecordType):
    """A pattern."""

    kind: PatternKind
    statement: str
    tool: str
    other: str | None = strawberry.field(description="The tool that took its place.")
    error: str = strawberry.field(description="The kind of the error.")
    turns: int = strawberry.field(description="In how many turns it happened.")
    calls: int = strawberry.field(description="How many calls failed so.")


@graphql_type_of(StateDecision, "What was decided about a piece of a turn's state.", name="SelectedState")
class SelectedStateType(RecordType):
    """A decision."""

    record: strawberry.Private[StateDecision]
    type: StateType
    origin: str | None = strawberry.field(
        description="The id of the record that it was, or its place in the input."
    )
    retention: RetentionClass
    importance: ImportanceType
    rule: Rule | None = strawberry.field(description="What left it out; null if it is remembered.")
    memory = node_field(Kind.EPISODE, "memory", "The episode; null if it is not remembered, or not yet.")
    archived = refs_field(
        Kind.EPISODE, "archived", "The stored episodes that were archived to make room for this one."
    )


@graphql_type_of(
    StoreResult, "What became of the part of a commit that goes to one store.", name="CommitStoreResult"
)
class CommitStoreResultType(RecordType):
    """The result of a store."""

    store: CommitStore
    status: StoreStatus
    attempts: int
    code: str | None = strawberry.field(description="Why the last attempt failed.")


@graphql_type_of(PhaseTiming, "How long a phase of a commit took.", name="CommitPhaseTiming")
class PhaseTimingType(RecordType):
    """A timing."""

    phase: Phase
    milliseconds: float


@strawberry.type(description="What the commit of a turn did.")
class CommitTurnPayload:
    """The result of `commitTurn`."""

    ok: bool = strawberry.field(
        description="Whether every delta was applied and every store has its part, now or earlier."
    )
    turn: TurnType
    commit_status: CommitStatus
    results: list[DeltaResultType] = strawberry.field(
        description="The result of each delta, in the order of application. Deltas of a store that failed "
        "are left out; they are tried again."
    )
    outcome: OutcomeType | None = strawberry.field(description="The outcome, if the call brought one.")
    evaluation: TurnEvaluationType
    patterns: list[TurnPatternType]
    selection: list[SelectedStateType]
    stores: list[CommitStoreResultType]
    phases: list[PhaseTimingType]
    export: StateExportType


@strawberry.type(description="The result of each delta, in the order of application.")
class CommitAtTurnEndPayload:
    """The result of `commitAtTurnEnd`."""

    ok: bool = strawberry.field(description="Whether every delta was applied, now or earlier.")
    results: list[DeltaResultType]
