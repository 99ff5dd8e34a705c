"""Goals and their lineage as values (source 003, §Data Model; source 001, §Create FC Goal)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.caller import ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.record import Record


class GoalStatus(StrEnum):
    """Where a goal stands; the first three are active."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    ARCHIVED = "archived"


class GoalOrigin(StrEnum):
    """Who decided that there is a goal."""

    REQUEST = "request"
    """A caller asked for it."""
    PROMOTION = "promotion"
    """Evaluation founded it on observations."""


class HorizonUnit(StrEnum):
    """What a horizon is measured in."""

    DAYS = "days"
    STEPS = "steps"


class Horizon(Record):
    """How far away a goal is."""

    value: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    unit: HorizonUnit


class Milestone(Record):
    """A step on the way that is worth a story."""

    title: str
    reached_at: AwareDatetime | None = None


class EvidenceDraft(Record):
    """An observation that speaks for a goal, and how much."""

    observation_id: str
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    note: str | None = None


class GoalDraft(Record):
    """A goal as a caller gives it; all but `title` may be left out."""

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
    """The caller's own name for it, unique in its space."""


class GoalChanges(Record):
    """What is to change of a goal: the fields that are given (`model_fields_set`); None clears one."""

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
    """The person it is about, as observations name people."""
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
    """How much was built on a goal since a time."""

    goals: int
    """Open goals that were put below it."""
    actions: int
    """Open actions that were added to it."""
    evidence: int
    """Observations that were linked to it and are still."""


class KnownGoal(Record):
    """What is known of a goal that observations may join."""

    uid: str
    scope_id: str
    goal_type: str | None
    user_id: str | None
    status: GoalStatus
    writable: bool
    topics: frozenset[str]
    """Subject words of its title and type, and the topics of its evidence."""


class ProgressDelta(Record):
    """A step towards a goal, or back, and what speaks for it."""

    goal_id: str
    delta: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
    note: str | None = None
    references: tuple[str, ...] = ()


class ProgressResult(Record):
    """What became of a goal's progress."""

    goal: Goal
    before: float
    after: float
    clamped: bool
    """The sum went beyond 0–1 and was held there."""


class Evidence(Record):
    """An observation linked to a goal, with what it said when it was read."""

    observation_id: str
    content: str
    confidence: float
    note: str | None
    since: datetime


class GoalLinks(Record):
    """Where a goal stands in its tree: parent, predecessors, and everything it comes from."""

    parent_goal_id: str | None = None
    derived_from: tuple[str, ...] = ()
    lineage_ids: tuple[str, ...] = ()


class GoalShare(Record):
    """That an actor may read, write or administer a goal and everything of its space below it."""

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
    """A node of a drawing: a goal, an observation, a pending action, a question or a story."""

    uid: str
    kind: str
    role: str
    """What it is to the goal asked for: self, ancestor, descendant, derivation, or what hangs on one of them:
    evidence, action, question, story."""
    name: str
    status: str
    progress: float | None = None
    confidence: float | None = None


class LineageEdge(Record):
    """An edge of a drawing, as the graph stores it."""

    source: str
    target: str
    type: str
    confidence: float | None = None
    reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """When it ended, of one that held at an earlier time."""


class Lineage(Record):
    """Why a goal exists and what hangs on it, as nodes and edges."""

    goal_id: str
    depth: int
    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    truncated: bool
    """There is more than the answer may hold; ask with a smaller depth or from another goal."""
