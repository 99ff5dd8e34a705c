"""Goals and their lineage as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import turn_of
from prefrontal.api.graphql.questions.types import QuestionType
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.summaries.types import SummaryType
from prefrontal.graph.caller import ActorKind, SpacePermission
from prefrontal.graph.cortex.goals.record import (
    Evidence,
    Goal,
    GoalOrigin,
    GoalShare,
    GoalStatus,
    Horizon,
    HorizonUnit,
    Lineage,
    LineageEdge,
    LineageNode,
    Milestone,
    ProgressResult,
)

strawberry.enum(
    GoalStatus, name="GoalStatus", description="The status of a goal; the first three are active."
)
strawberry.enum(
    GoalOrigin,
    name="GoalOrigin",
    description="How a goal was created: on a client's request, or by the evaluation of observations.",
)
strawberry.enum(HorizonUnit, name="HorizonUnit", description="The unit of a horizon.")


@shows(Horizon, "How far away a goal is, in days or in steps.")
class HorizonType(Shown):
    """A horizon."""

    value: float
    unit: HorizonUnit


@shows(Milestone, "An intermediate step towards a goal.")
class MilestoneType(Shown):
    """A milestone."""

    title: str
    reached_at: datetime | None


@shows(Evidence, "An observation that supports a goal, with its content.")
class EvidenceType(Shown):
    """A piece of evidence."""

    observation_id: strawberry.ID
    content: str = strawberry.field(
        description="The content of the observation; kept after the observation has expired."
    )
    confidence: float
    note: str | None
    since: datetime


@shows(GoalShare, "An actor's permission for a goal and everything below it in its space.")
class GoalShareType(Shown):
    """A share of a goal."""

    actor_id: strawberry.ID
    kind: ActorKind
    key: str
    permission: SpacePermission
    granted_by: strawberry.ID
    since: datetime


@strawberry.type(name="GoalContext", description="The observations that a goal is based on.")
class GoalContextType:
    """The context of a goal."""

    observations: list[EvidenceType]


@shows(Goal, "A long-horizon objective, with the reasons why it exists.")
class GoalType(Shown, Node):
    """A goal."""

    record: strawberry.Private[Goal]
    space: strawberry.ID
    agent_id: strawberry.ID | None
    org_id: strawberry.ID
    title: str
    description: str | None
    goal_type: str | None
    user_id: str | None = strawberry.field(description="The person that the goal is about.")
    origin: GoalOrigin
    priority: str
    priority_rank: int
    horizon: HorizonType | None
    status: GoalStatus
    progress: float = strawberry.field(description="0–1.")
    metrics: JSON | None
    constraints: list[str]
    milestones: list[MilestoneType]
    status_reason: str | None = strawberry.field(description="The reason for the status, if one was given.")
    completed_at: datetime | None
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int
    client_key: str | None = strawberry.field(description="Your own name for the goal, from `upsertGoal`.")
    turn = turn_of()

    @strawberry.field(
        description="The readable observations that support the goal, in the order in which they were linked."
    )
    async def evidence(self, info: Context) -> list[EvidenceType]:
        """Return the evidence."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return [EvidenceType.from_record(item) for item in found]

    @strawberry.field(
        description="The number of observations that support the goal, including those that you may not read."
    )
    async def evidence_count(self, info: Context) -> int:
        """Return the number."""
        return await info.context.loaders.evidence_counts.load(self.record.uid)

    @strawberry.field(description="Your permission for the goal, through its space or through a share.")
    async def permission(self, info: Context) -> SpacePermission:
        """Return the permission."""
        found = await info.context.loaders.goal_permissions.load(self.record.uid)
        return found or SpacePermission.READ

    @strawberry.field(description="The shares of this goal itself; null unless you administer the goal.")
    async def shared_with(self, info: Context) -> list[GoalShareType] | None:
        """Return the shares."""
        found = await info.context.loaders.goal_shares.load(self.record.uid)
        return None if found is None else [GoalShareType.from_record(share) for share in found]

    @strawberry.field(description="The same as `evidence`, in the form that the specification uses.")
    async def context(self, info: Context) -> GoalContextType:
        """Return the context."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return GoalContextType(observations=[EvidenceType.from_record(item) for item in found])

    @strawberry.field(description="The first observation that supports the goal.")
    async def observation_id(self, info: Context) -> strawberry.ID | None:
        """Return the observation's id."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return strawberry.ID(found[0].observation_id) if found else None

    @strawberry.field(
        description="All readable observations that support the goal; those of its creation first."
    )
    async def observation_ids(self, info: Context) -> list[strawberry.ID]:
        """Return the observations' ids."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return [strawberry.ID(item.observation_id) for item in found]

    @strawberry.field(description="Alias of `observationIds`.")
    async def linked_observations(self, info: Context) -> list[strawberry.ID]:
        """Return the observations' ids."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return [strawberry.ID(item.observation_id) for item in found]

    @strawberry.field(description="The pending actions of the goal, in order of creation.")
    async def pending_actions(self, info: Context) -> list[PendingActionType]:
        """Return the actions."""
        found = await info.context.loaders.goal_actions.load(self.record.uid)
        return [PendingActionType.from_record(action) for action in found]

    @strawberry.field(description="The open questions about the goal, most urgent first; at most 100.")
    async def questions(self, info: Context) -> list[QuestionType]:
        """Return the questions."""
        found = await info.context.loaders.goal_questions.load(self.record.uid)
        return [QuestionType.from_record(question) for question in found]

    @strawberry.field(
        description="The summaries of the goal and of its finished actions, newest first; at most 100."
    )
    async def summaries(self, info: Context) -> list[SummaryType]:
        """Return the summaries."""
        found = await info.context.loaders.goal_summaries.load(self.record.uid)
        return [SummaryType.from_record(summary) for summary in found]

    @strawberry.field(
        description="The open blocking actions of the goal; its other actions cannot be started while "
        "there are any."
    )
    async def blocked_by(self, info: Context) -> list[strawberry.ID]:
        """Return the actions' ids."""
        return [strawberry.ID(uid) for uid in await info.context.loaders.goal_blockers.load(self.record.uid)]

    @strawberry.field(description="The goal that this goal is part of.")
    async def parent_goal_id(self, info: Context) -> strawberry.ID | None:
        """Return the parent's id."""
        parent = (await info.context.loaders.links.load(self.record.uid)).parent_goal_id
        return strawberry.ID(parent) if parent else None

    @strawberry.field(description="The goals that this goal was derived from.")
    async def derived_from(self, info: Context) -> list[strawberry.ID]:
        """Return the predecessors' ids."""
        links = await info.context.loaders.links.load(self.record.uid)
        return [strawberry.ID(uid) for uid in links.derived_from]

    @strawberry.field(
        description="All goals that this goal comes from (ancestors and predecessors), nearest first."
    )
    async def lineage_ids(self, info: Context) -> list[strawberry.ID]:
        """Return the ids."""
        links = await info.context.loaders.links.load(self.record.uid)
        return [strawberry.ID(uid) for uid in links.lineage_ids]


@shows(LineageNode, "A node of a lineage.")
class LineageNodeType(Shown):
    """A node of a lineage."""

    id: strawberry.ID
    kind: str = strawberry.field(description="goal, observation, pending_action, question or story.")
    role: str = strawberry.field(
        description="The role of the node for the goal: self, ancestor, descendant, derivation, evidence, "
        "action, question or story."
    )
    name: str
    status: str
    progress: float | None
    confidence: float | None


@shows(LineageEdge, "An edge of a lineage, as stored in the graph.")
class LineageEdgeType(Shown):
    """An edge of a lineage."""

    source: strawberry.ID
    target: strawberry.ID
    type: str = strawberry.field(description="CHILD_OF, DERIVED_FROM, EVIDENCES, ADVANCES, ABOUT or ANSWERS.")
    confidence: float | None
    reason: str | None
    since: datetime | None
    until: datetime | None = strawberry.field(
        description="When the link ended, if it has ended since the requested time."
    )


@shows(Lineage, "The lineage of a goal: what it comes from and what depends on it.", name="GoalLineage")
class GoalLineageType(Shown):
    """A lineage."""

    goal_id: strawberry.ID
    depth: int
    nodes: list[LineageNodeType]
    edges: list[LineageEdgeType]
    truncated: bool = strawberry.field(
        description="Whether nodes were left out because the lineage exceeds the largest size."
    )


@strawberry.input(description="Conditions on goals; all given conditions must hold.")
class GoalFilterInput:
    """The filter of `goals`."""

    status: list[GoalStatus] | None = strawberry.field(
        default=None, description="Any of these; default: the active statuses."
    )
    goal_type: str | None = None


@strawberry.type(description="The new goal.")
class CreateGoalPayload:
    """The result of `createGoal`."""

    goal: GoalType


@shows(ProgressResult, "The change of a goal's progress.")
class ProgressResultType(Shown):
    """A change of a goal's progress."""

    goal: GoalType
    before: float = strawberry.field(description="0–1.")
    after: float = strawberry.field(description="0–1.")
    clamped: bool = strawberry.field(
        description="Whether the sum was outside 0–1 and was limited to that range."
    )


@strawberry.type(description="The goal in its new status.")
class TransitionGoalPayload:
    """The result of `transitionGoal`."""

    goal: GoalType


@strawberry.type(description="The change of each goal's progress, in the order of the deltas.")
class UpdateProgressPayload:
    """The result of `updateProgress`."""

    results: list[ProgressResultType]


@strawberry.type(description="The change of the goal's progress by the link.")
class LinkObservationPayload:
    """The result of `linkObservation`."""

    result: ProgressResultType


@strawberry.type(description="The change of the goal's progress by the end of the link.")
class UnlinkObservationPayload:
    """The result of `unlinkObservation`."""

    result: ProgressResultType


@strawberry.type(description="The goal as it is now.")
class UpsertGoalPayload:
    """The result of `upsertGoal`."""

    goal: GoalType
    created: bool = strawberry.field(description="True if it was created, false if it was changed.")


@strawberry.type(description="The actor and its permission for the goal and everything below it.")
class ShareGoalPayload:
    """The result of `shareGoal`."""

    actor_id: strawberry.ID
    permission: SpacePermission


@strawberry.type(description="The actor whose share ended.")
class UnshareGoalPayload:
    """The result of `unshareGoal`."""

    actor_id: strawberry.ID
