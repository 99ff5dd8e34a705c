"""Value types of goals and their lineage (source 003, §Data Model; source 001, §Create FC Goal)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.journal.command import (
    ChangeCommand,
    ChangeEntry,
    Command,
    TurnCommand,
    expected_version,
    space,
)
from prefrontal.graph.record import Id, Key, Limit, Priority, Record, Reference, Text, Title, contained_words
from prefrontal.graph.scratch.record import Observation


class GoalStatus(StrEnum):
    """The status of a goal; the first three are active."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    ARCHIVED = "archived"


class GoalOrigin(StrEnum):
    """Whether a caller or evaluation created the goal."""

    REQUEST = "request"
    """A caller created the goal."""
    PROMOTION = "promotion"
    """Evaluation created the goal from observations."""


class HorizonUnit(StrEnum):
    """The unit of a horizon."""

    DAYS = "days"
    STEPS = "steps"


class Horizon(Record):
    """How far away the completion of a goal is, in days or in steps."""

    value: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    unit: HorizonUnit


class Milestone(Record):
    """An intermediate step towards a goal."""

    title: Title
    reached_at: AwareDatetime | None = None


class EvidenceDraft(Record):
    """An observation that supports a goal."""

    observation_id: Reference
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="Default: the confidence of the observation."
    )
    note: Text | None = None


Metrics = Annotated[dict[str, Any], Limit("metadata_characters")]
Constraints = Annotated[tuple[Title, ...], Limit("list_items")]
Milestones = Annotated[tuple[Milestone, ...], Limit("list_items")]
References = Annotated[tuple[Reference, ...], Limit("list_items")]


class GoalDraft(Record):
    """A new goal as the client describes it; all fields but `title` are optional."""

    title: Title
    description: Text | None = None
    goal_type: Key | None = None
    user_id: Key | None = Field(
        default=None, description="The person that the goal is about, as in `userId` of observations."
    )
    priority: Priority | None = Field(
        default=None, description="low, medium, high, critical or 1–4; default medium."
    )
    horizon: Horizon | None = None
    metrics: Metrics | None = None
    constraints: Constraints = ()
    milestones: Milestones = ()
    parent_goal_id: Reference | None = None
    derived_from: References = ()
    evidence: Annotated[tuple[EvidenceDraft, ...], Limit("evidence_per_goal")] = ()
    pending_actions: Annotated[tuple[PendingActionDraft, ...], Limit("actions_per_goal")] = ()


class CreateGoal(GoalDraft, TurnCommand):
    """A goal to create in one transaction with its evidence and first actions."""

    space: Id | None = space()


_WHOLE_LIST = "The complete new list; it replaces the present one."


class GoalChanges(Record):
    """Fields of a goal to change: those in `model_fields_set`; None clears a field."""

    title: Title | None = Field(default=None, description="Required for a new goal; cannot be cleared.")
    description: Text | None = None
    goal_type: Key | None = None
    priority: Priority | None = Field(
        default=None, description="low, medium, high, critical or 1–4; null means medium."
    )
    horizon: Horizon | None = None
    metrics: Metrics | None = None
    constraints: Constraints | None = Field(default=None, description=_WHOLE_LIST)
    milestones: Milestones | None = Field(default=None, description=_WHOLE_LIST)
    parent_goal_id: Reference | None = Field(default=None, description="The new parent goal; null for none.")
    derived_from: References | None = Field(
        default=None, description="The complete new list of predecessors; it replaces the present one."
    )


class UpsertGoal(GoalChanges, TurnCommand):
    """A goal to create or to change. An omitted field keeps its value; null clears the field.

    In a new goal, an omitted field has its default.
    """

    id: Id | None = Field(default=None, description="The goal to change.")
    client_key: Key | None = Field(
        default=None,
        description="Your own name for the goal, instead of `id`; unique in a space. The goal with this "
        "name is changed, or created if there is none.",
    )
    space: Id | None = space()
    expected_version: int | None = expected_version()


class GoalUpdate(GoalChanges, ChangeEntry):
    """A goal and its new values, as in `upsertGoal`: an omitted field keeps its value; null clears it."""


class UpdateGoals(TurnCommand):
    """Up to 100 goals to change: all or none."""

    goals: Annotated[tuple[GoalUpdate, ...], Limit("changes_per_call")]


class GoalTransition(ChangeEntry):
    """A goal, its new status and the reason."""

    status: GoalStatus
    reason: Title | None = None


class TransitionGoal(GoalTransition, ChangeCommand):
    """A goal, its new status and the reason."""


class TransitionGoals(TurnCommand):
    """Up to 100 goals to give another status: all or none."""

    goals: Annotated[tuple[GoalTransition, ...], Limit("changes_per_call")]


class Goal(Record):
    """A stored goal."""

    uid: str
    scope_id: str
    agent_id: str | None
    org_id: str
    title: str
    description: str | None
    goal_type: str | None
    user_id: str | None
    """The person that the goal is about, by the same id as in observations."""
    origin: GoalOrigin
    priority: str
    priority_rank: int
    horizon: Horizon | None
    status: GoalStatus
    progress: float
    metrics: dict[str, Any] | None
    constraints: tuple[str, ...]
    milestones: tuple[Milestone, ...]
    status_reason: str | None
    completed_at: datetime | None
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
    client_key: str | None
    violates: tuple[str, ...] = ()
    """The mandates that block it."""


class GoalOrder(StrEnum):
    """The order of a list of goals."""

    PRIORITY = "priority"
    """Most urgent first, newest first among equals."""
    CREATED_AT = "created_at"
    """Newest first."""
    UPDATED_AT = "updated_at"
    """Last changed first."""


class GoalFilter(Record):
    """Conditions on goals; all given conditions must hold."""

    status: tuple[GoalStatus, ...] | None = Field(
        default=None, description="Any of these; default: the active statuses."
    )
    goal_type: Key | None = None
    parent_goal_id: Reference | None = Field(default=None, description="The goals directly below this goal.")
    text: Title | None = contained_words()
    person: Key | None = Field(
        default=None,
        description="The key of the person that the token named with which the goal was created.",
    )
    agent: Key | None = Field(default=None, description="The key of the agent that created the goal.")
    user_id: Key | None = Field(default=None, description="The person that the goal is about.")
    space: Reference | None = None
    client_key: Key | None = Field(default=None, description="Your own name for the goal.")


class BuiltOn(Record):
    """What was added to a goal since a time, as counts."""

    goals: int
    """Open goals that were put below this goal."""
    actions: int
    """Open actions that were added to the goal."""
    evidence: int
    """Observations that were linked to the goal and still are."""


class KnownGoal(Record):
    """The facts about a goal that decide whether observations are linked to it."""

    uid: str
    scope_id: str
    goal_type: str | None
    user_id: str | None
    status: GoalStatus
    writable: bool
    topics: frozenset[str]
    """The topics of the goal among those that were looked for."""


class ProgressDelta(Record):
    """A change of a goal's progress, with its references."""

    goal_id: Id
    delta: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] = Field(
        description="The change of the progress, -1 to 1."
    )
    note: Title | None = None
    references: Annotated[tuple[Title, ...], Limit("list_items")] = Field(
        default=(),
        description="References such as tool results, files and links; stored in the goal's history.",
    )


class UpdateProgress(TurnCommand):
    """Changes of progress to apply in their order: all or none."""

    deltas: Annotated[tuple[ProgressDelta, ...], Limit("progress_deltas_per_call")]


class EvidenceLinkDraft(EvidenceDraft):
    """The observation and the goal to link."""

    goal_id: Id


class LinkObservation(EvidenceLinkDraft, TurnCommand):
    """The observation and the goal to link."""


class LinkObservations(TurnCommand):
    """Up to 100 observations to link to goals: all or none."""

    links: Annotated[tuple[EvidenceLinkDraft, ...], Limit("changes_per_call")]


class UnlinkObservation(TurnCommand):
    """The observation and the goal to unlink."""

    observation_id: Id
    goal_id: Id


class UpdateEvidence(TurnCommand):
    """The link of an observation to a goal, and its new values. An omitted field keeps its value; null clears
    `note`, and sets `confidence` to the confidence of the observation.
    """  # noqa: D205 - one paragraph: it is the description of the input

    observation_id: Id
    goal_id: Id
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    note: Text | None = None


class ShareGoal(Command):
    """The goal, the actor and the permission to share."""

    goal_id: Id
    actor: Actor
    permission: SpacePermission


class UnshareGoal(Command):
    """The goal and the actor whose share to end."""

    goal_id: Id
    actor: Actor


class ProgressResult(Record):
    """The effect on a goal's progress."""

    goal: Goal
    before: float
    after: float
    clamped: bool
    """Whether the sum left the range 0–1 and was clamped to it."""


class Course(Record):
    """What has moved a goal since it got its status."""

    moves: tuple[frozenset[str], ...]
    """The names in the versions that changed its status or its progress, that of the status among them."""
    progress: float
    """The progress before it got its status, 0 to 1."""


class EvidenceLink(Record):
    """The link of an observation to a goal."""

    confidence: float
    note: str | None
    since: datetime


class Evidence(EvidenceLink):
    """An observation linked to a goal."""

    observation: Observation
    content: str | None
    """The text that the observation had when it was linked; None if that text was not kept."""


class SupportedGoal(EvidenceLink):
    """A goal that an observation is linked to as evidence."""

    goal: Goal


class GoalLinks(Record):
    """The place of a goal in the lineage: its parent and its predecessors."""

    parent_goal_id: str | None = None
    derived_from: tuple[str, ...] = ()


class GoalShare(Record):
    """A share: an actor may read, write or administer a goal and everything below it in the same space."""

    actor_id: str
    kind: ActorKind
    key: str
    permission: SpacePermission
    granted_by: str
    since: datetime


class LineageNode(Record):
    """A node of a lineage graph: a goal, or what is linked to one."""

    uid: str
    kind: str
    role: str
    """The relation to the requested goal: self, ancestor, descendant, derivation; for a node linked to one of
    those goals: evidence, action, question, story, outcome, tool_call."""
    name: str
    status: str
    progress: float | None = None
    confidence: float | None = None


class LineageEdge(Record):
    """An edge of a lineage graph, as stored; `OUTCOME_OF` stands for the turn of an outcome."""

    source: str
    target: str
    type: str
    confidence: float | None = None
    reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """When the link ended; set only in a lineage of an earlier time."""


class LineageBounds(Record):
    """How much of a lineage is read."""

    depth: int
    """How many edges are followed."""
    most: int
    """How many nodes it has at most."""
    latest: int
    """How many outcomes, and how many tool calls, of each goal: the newest."""
    oldest: str
    """Sorts before the ids of the tool calls that are kept."""


class Lineage(Record):
    """Why a goal exists and what is linked to it, as nodes and edges."""

    goal_id: str
    depth: int
    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    truncated: bool
    """Not all nodes fit into one answer; request a smaller depth or start at another goal."""


class InCommon(Record):
    """What an observation and a goal have in common."""

    goal_id: str
    topics: tuple[str, ...]
    """The topics that both are about, as the observation spells them."""
    entities: tuple[str, ...]
    """The entities of the observation, by its names, that evidence of the goal mentions, too."""
    named: bool
    """Whether the observation names the goal, by its id or its type."""
    closeness: float | None
    """How close the goal is to the observation's text; None if a search for the text does not find it."""


class GoalSuggestion(Record):
    """A goal that an observation may be linked to, and why."""

    goal: Goal
    likelihood: float
    in_common: InCommon
