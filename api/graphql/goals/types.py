"""Goals and their lineage as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.types import PendingActionInput, PendingActionType
from prefrontal.api.graphql.inputs import draft, each, key_field, space_field, turn_field, version_field
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.questions.types import QuestionType
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.summaries.types import SummaryType
from prefrontal.graph.caller import ActorKind, SpacePermission
from prefrontal.graph.cortex.goals.record import (
    Evidence,
    EvidenceDraft,
    Goal,
    GoalDraft,
    GoalOrigin,
    GoalPage,
    GoalShare,
    GoalStatus,
    Horizon,
    HorizonUnit,
    Lineage,
    LineageEdge,
    LineageNode,
    ProgressDelta,
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


@strawberry.type(name="Horizon", description="How far away a goal is, in days or in steps.")
class HorizonType:
    """A horizon."""

    value: float
    unit: HorizonUnit

    @classmethod
    def from_record(cls, h: Horizon) -> HorizonType:
        """Return the type of a record."""
        return cls(value=h.value, unit=h.unit)


@strawberry.type(name="Milestone", description="An intermediate step towards a goal.")
class MilestoneType:
    """A milestone."""

    title: str
    reached_at: datetime | None


@strawberry.type(name="Evidence", description="An observation that supports a goal, with its content.")
class EvidenceType:
    """A piece of evidence."""

    observation_id: strawberry.ID
    content: str = strawberry.field(
        description="The content of the observation; kept after the observation has expired."
    )
    confidence: float
    note: str | None
    since: datetime

    @classmethod
    def from_record(cls, e: Evidence) -> EvidenceType:
        """Return the type of a record."""
        return cls(
            observation_id=strawberry.ID(e.observation_id),
            content=e.content,
            confidence=e.confidence,
            note=e.note,
            since=e.since,
        )


@strawberry.type(
    name="GoalShare", description="An actor's permission for a goal and everything below it in its space."
)
class GoalShareType:
    """A share of a goal."""

    actor_id: strawberry.ID
    kind: ActorKind
    key: str
    permission: SpacePermission
    granted_by: strawberry.ID
    since: datetime

    @classmethod
    def from_record(cls, s: GoalShare) -> GoalShareType:
        """Return the type of a record."""
        return cls(
            actor_id=strawberry.ID(s.actor_id),
            kind=s.kind,
            key=s.key,
            permission=s.permission,
            granted_by=strawberry.ID(s.granted_by),
            since=s.since,
        )


@strawberry.type(name="GoalContext", description="The observations that a goal is based on.")
class GoalContextType:
    """The context of a goal."""

    observations: list[EvidenceType]


@strawberry.type(name="Goal", description="A long-horizon objective, with the reasons why it exists.")
class GoalType(Node):
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

    @classmethod
    def from_record(cls, g: Goal) -> GoalType:
        """Return the type of a record."""
        return cls(
            record=g,
            id=strawberry.ID(g.uid),
            space=strawberry.ID(g.scope_id),
            agent_id=strawberry.ID(g.agent_id) if g.agent_id else None,
            org_id=strawberry.ID(g.org_id),
            title=g.title,
            description=g.description,
            goal_type=g.goal_type,
            user_id=g.user_id,
            origin=g.origin,
            priority=g.priority,
            priority_rank=g.priority_rank,
            horizon=HorizonType.from_record(g.horizon) if g.horizon else None,
            status=g.status,
            progress=g.progress,
            metrics=JSON(g.metrics) if g.metrics is not None else None,
            constraints=list(g.constraints),
            milestones=[MilestoneType(title=m.title, reached_at=m.reached_at) for m in g.milestones],
            status_reason=g.status_reason,
            completed_at=g.completed_at,
            archived_at=g.archived_at,
            created_at=g.created_at,
            updated_at=g.updated_at,
            created_by=strawberry.ID(g.by_uid),
            version=g.version,
            client_key=g.client_key,
        )


@strawberry.type(description="A goal in a page.")
class GoalEdge:
    """An edge of the connection."""

    cursor: str
    node: GoalType


@strawberry.type(description="A page of goals, most urgent first; goals of equal priority newest first.")
class GoalConnection:
    """A page of goals."""

    statuses: strawberry.Private[list[GoalStatus] | None]
    wanted_type: strawberry.Private[str | None]
    edges: list[GoalEdge]
    nodes: list[GoalType]
    page_info: PageInfo

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.goals.service.count(
            await info.context.caller(), statuses=self.statuses, goal_type=self.wanted_type
        )

    @classmethod
    def from_page(
        cls, page: GoalPage, statuses: list[GoalStatus] | None, goal_type: str | None
    ) -> GoalConnection:
        """Return the connection of a page."""
        nodes = [GoalType.from_record(goal) for goal in page.items]
        return cls(
            statuses=statuses,
            wanted_type=goal_type,
            edges=[GoalEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


@strawberry.type(name="LineageNode", description="A node of a lineage.")
class LineageNodeType:
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

    @classmethod
    def from_record(cls, n: LineageNode) -> LineageNodeType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(n.uid),
            kind=n.kind,
            role=n.role,
            name=n.name,
            status=n.status,
            progress=n.progress,
            confidence=n.confidence,
        )


@strawberry.type(name="LineageEdge", description="An edge of a lineage, as stored in the graph.")
class LineageEdgeType:
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

    @classmethod
    def from_record(cls, e: LineageEdge) -> LineageEdgeType:
        """Return the type of a record."""
        return cls(
            source=strawberry.ID(e.source),
            target=strawberry.ID(e.target),
            type=e.type,
            confidence=e.confidence,
            reason=e.reason,
            since=e.since,
            until=e.until,
        )


@strawberry.type(
    name="GoalLineage", description="The lineage of a goal: what it comes from and what depends on it."
)
class GoalLineageType:
    """A lineage."""

    goal_id: strawberry.ID
    depth: int
    nodes: list[LineageNodeType]
    edges: list[LineageEdgeType]
    truncated: bool = strawberry.field(
        description="Whether nodes were left out because the lineage exceeds the largest size."
    )

    @classmethod
    def from_record(cls, lineage: Lineage) -> GoalLineageType:
        """Return the type of a record."""
        return cls(
            goal_id=strawberry.ID(lineage.goal_id),
            depth=lineage.depth,
            nodes=[LineageNodeType.from_record(node) for node in lineage.nodes],
            edges=[LineageEdgeType.from_record(edge) for edge in lineage.edges],
            truncated=lineage.truncated,
        )


@strawberry.input(description="How far away a goal is, in days or in steps.")
class HorizonInput:
    """A horizon."""

    value: float
    unit: HorizonUnit


@strawberry.input(description="An intermediate step towards a goal.")
class MilestoneInput:
    """A milestone."""

    title: str
    reached_at: datetime | None = None


@strawberry.input(description="An observation that supports a goal.")
class EvidenceInput:
    """A piece of evidence."""

    observation_id: strawberry.ID
    confidence: float | None = strawberry.field(
        default=None, description="Default: the confidence of the observation."
    )
    note: str | None = None


@strawberry.input(description="Conditions on goals; all given conditions must hold.")
class GoalFilterInput:
    """The filter of `goals`."""

    status: list[GoalStatus] | None = strawberry.field(
        default=None, description="Any of these; default: the active statuses."
    )
    goal_type: str | None = None


@strawberry.input(description="A goal to create in one transaction with its evidence and first actions.")
class CreateGoalInput:
    """The input of `createGoal`."""

    title: str
    description: str | None = None
    goal_type: str | None = None
    user_id: str | None = strawberry.field(
        default=None, description="The person that the goal is about, as in `userId` of observations."
    )
    priority: str | None = strawberry.field(
        default=None, description="low, medium, high, critical or 1–4; default medium."
    )
    horizon: HorizonInput | None = None
    metrics: JSON | None = None
    constraints: list[str] = strawberry.field(default_factory=list)
    milestones: list[MilestoneInput] = strawberry.field(default_factory=list)
    parent_goal_id: strawberry.ID | None = None
    derived_from: list[strawberry.ID] = strawberry.field(default_factory=list)
    evidence: list[EvidenceInput] = strawberry.field(default_factory=list)
    pending_actions: list[PendingActionInput] = strawberry.field(default_factory=list)
    space: strawberry.ID | None = space_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def spellings(self) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        found: dict[str, str] = {}
        for number, action in enumerate(self.pending_actions):
            found |= action.spellings(f"pendingActions[{number}]")
        return found

    def draft(self) -> GoalDraft:
        """Return the draft; raise `InvalidInput` for values of the wrong form."""
        return draft(
            GoalDraft,
            {
                "title": self.title,
                "description": self.description,
                "goal_type": self.goal_type,
                "user_id": self.user_id,
                "priority": self.priority,
                "horizon": {"value": self.horizon.value, "unit": self.horizon.unit} if self.horizon else None,
                "metrics": self.metrics,
                "constraints": tuple(self.constraints),
                "milestones": tuple({"title": m.title, "reached_at": m.reached_at} for m in self.milestones),
                "parent_goal_id": self.parent_goal_id,
                "derived_from": tuple(self.derived_from),
                "evidence": tuple(
                    {"observation_id": e.observation_id, "confidence": e.confidence, "note": e.note}
                    for e in self.evidence
                ),
                "pending_actions": tuple(
                    action.values(f"pendingActions[{number}]")
                    for number, action in enumerate(self.pending_actions)
                ),
            },
        )


@strawberry.type(description="The new goal.")
class CreateGoalPayload:
    """The result of `createGoal`."""

    goal: GoalType


@strawberry.type(name="ProgressResult", description="The change of a goal's progress.")
class ProgressResultType:
    """A change of a goal's progress."""

    goal: GoalType
    before: float = strawberry.field(description="0–1.")
    after: float = strawberry.field(description="0–1.")
    clamped: bool = strawberry.field(
        description="Whether the sum was outside 0–1 and was limited to that range."
    )

    @classmethod
    def from_record(cls, r: ProgressResult) -> ProgressResultType:
        """Return the type of a record."""
        return cls(goal=GoalType.from_record(r.goal), before=r.before, after=r.after, clamped=r.clamped)


@strawberry.input(description="A goal, its new status and the reason.")
class TransitionGoalInput:
    """The input of `transitionGoal`."""

    id: strawberry.ID
    status: GoalStatus
    reason: str | None = None
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.input(description="A change of a goal's progress, with its references.")
class ProgressDeltaInput:
    """A delta of `updateProgress`."""

    goal_id: strawberry.ID
    delta: float = strawberry.field(description="The change of the progress, -1 to 1.")
    note: str | None = None
    references: list[str] = strawberry.field(
        default_factory=list,
        description="References such as tool results, files and links; stored in the goal's history.",
    )

    def body(self, path: str) -> ProgressDelta:
        """Return the delta; raise `InvalidInput` for values out of range."""
        values = {
            "goal_id": self.goal_id,
            "delta": self.delta,
            "note": self.note,
            "references": tuple(self.references),
        }
        return draft(ProgressDelta, values, path)


@strawberry.input(description="Changes of progress to apply in their order: all or none.")
class UpdateProgressInput:
    """The input of `updateProgress`."""

    deltas: list[ProgressDeltaInput]
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def drafts(self) -> list[ProgressDelta]:
        """Return the deltas; raise `InvalidInput` for values out of range."""
        return each(self.deltas, "deltas", ProgressDeltaInput.body)


@strawberry.input(description="The observation and the goal to link.")
class LinkObservationInput:
    """The input of `linkObservation`."""

    observation_id: strawberry.ID
    goal_id: strawberry.ID
    confidence: float | None = strawberry.field(
        default=None, description="Default: the confidence of the observation."
    )
    note: str | None = None
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def draft(self) -> EvidenceDraft:
        """Return the evidence; raise `InvalidInput` for values out of range."""
        return draft(
            EvidenceDraft,
            {"observation_id": self.observation_id, "confidence": self.confidence, "note": self.note},
        )


@strawberry.input(description="The observation and the goal to unlink.")
class UnlinkObservationInput:
    """The input of `unlinkObservation`."""

    observation_id: strawberry.ID
    goal_id: strawberry.ID
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


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
