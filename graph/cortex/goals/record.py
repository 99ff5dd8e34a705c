"""Value types of goals and their lineage (source 003, §Data Model; source 001, §Create FC Goal)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.caller import ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.record import Record


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
    """How far away the completion of a goal is."""

    value: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    unit: HorizonUnit


class Milestone(Record):
    """A step towards a goal that deserves a story of its own."""

    title: str
    reached_at: AwareDatetime | None = None


class EvidenceDraft(Record):
    """An observation to link to a goal as evidence, and how strongly it supports the goal."""

    observation_id: str
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    note: str | None = None


class GoalDraft(Record):
    """A new goal as the client describes it; all fields but `title` are optional."""

    title: str
    description: str | None = None
    goal_type: str | None = None
    user_id: str | None = None
    priority: str | None = None
    horizon: Horizon | None = None
    metrics: dict[str, Any] | None = None
    constraints: tuple[str, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    parent_goal_id: str | None = None
    derived_from: tuple[str, ...] = ()
    evidence: tuple[EvidenceDraft, ...] = ()
    pending_actions: tuple[PendingActionDraft, ...] = ()
    client_key: str | None = None
    """The client's own key for the goal, unique in its space."""


class GoalChanges(Record):
    """Fields of a goal to change: those in `model_fields_set`; None clears a field."""

    title: str | None = None
    description: str | None = None
    goal_type: str | None = None
    priority: str | None = None
    horizon: Horizon | None = None
    metrics: dict[str, Any] | None = None
    constraints: tuple[str, ...] | None = None
    milestones: tuple[Milestone, ...] | None = None
    parent_goal_id: str | None = None
    derived_from: tuple[str, ...] | None = None


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
    """The subject words of the goal's title and type, and the topics of its evidence."""


class ProgressDelta(Record):
    """A step of progress, forward or back, with its reasons."""

    goal_id: str
    delta: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
    note: str | None = None
    references: tuple[str, ...] = ()


class ProgressResult(Record):
    """The effect on a goal's progress."""

    goal: Goal
    before: float
    after: float
    clamped: bool
    """Whether the sum left the range 0–1 and was clamped to it."""


class Evidence(Record):
    """An observation linked to a goal, with its present text."""

    observation_id: str
    content: str
    confidence: float
    note: str | None
    since: datetime


class GoalLinks(Record):
    """The place of a goal in the lineage: parent, predecessors, and all ancestors."""

    parent_goal_id: str | None = None
    derived_from: tuple[str, ...] = ()
    lineage_ids: tuple[str, ...] = ()


class GoalShare(Record):
    """A share: an actor may read, write or administer a goal and everything below it in the same space."""

    actor_id: str
    kind: ActorKind
    key: str
    permission: SpacePermission
    granted_by: str
    since: datetime


class GoalPage(Record):
    """One page of goals, most urgent first, then newest."""

    items: tuple[Goal, ...]
    cursors: tuple[str, ...]
    has_next: bool


class LineageNode(Record):
    """A node of a lineage graph: a goal, an observation, a pending action, a question or a story."""

    uid: str
    kind: str
    role: str
    """The relation to the requested goal: self, ancestor, descendant, derivation; for a node linked to one of
    those goals: evidence, action, question, story."""
    name: str
    status: str
    progress: float | None = None
    confidence: float | None = None


class LineageEdge(Record):
    """An edge of a lineage graph, as stored."""

    source: str
    target: str
    type: str
    confidence: float | None = None
    reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """When the link ended; set only in a lineage of an earlier time."""


class Lineage(Record):
    """Why a goal exists and what is linked to it, as nodes and edges."""

    goal_id: str
    depth: int
    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    truncated: bool
    """Not all nodes fit into one answer; request a smaller depth or start at another goal."""
