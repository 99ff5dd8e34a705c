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

strawberry.enum(GoalStatus, name="GoalStatus", description="Where a goal stands; the first three are active.")
strawberry.enum(GoalOrigin, name="GoalOrigin", description="Who decided that there is a goal.")
strawberry.enum(HorizonUnit, name="HorizonUnit", description="What a horizon is measured in.")


@strawberry.type(name="Horizon", description="How far away a goal is.")
class HorizonType:
    """A horizon."""

    value: float
    unit: HorizonUnit

    @classmethod
    def from_record(cls, h: Horizon) -> HorizonType:
        """Return the type of a record."""
        return cls(value=h.value, unit=h.unit)


@strawberry.type(name="Milestone", description="A step on the way.")
class MilestoneType:
    """A milestone."""

    title: str
    reached_at: datetime | None


@strawberry.type(name="Evidence", description="An observation that speaks for a goal, and what it says.")
class EvidenceType:
    """A piece of evidence."""

    observation_id: strawberry.ID
    content: str = strawberry.field(
        description="What the observation says; kept after it has faded from the page."
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
    name="GoalShare", description="That an actor may use a goal and everything of its space below it."
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


@strawberry.type(name="GoalContext", description="What a goal was made from.")
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
    user_id: str | None = strawberry.field(description="The person it is about.")
    origin: GoalOrigin
    priority: str
    priority_rank: int
    horizon: HorizonType | None
    status: GoalStatus
    progress: float = strawberry.field(description="0–1.")
    metrics: JSON | None
    constraints: list[str]
    milestones: list[MilestoneType]
    status_reason: str | None = strawberry.field(description="Why it has its status, if somebody said so.")
    completed_at: datetime | None
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int
    client_key: str | None = strawberry.field(description="Your own name for it, given with `upsertGoal`.")

    @strawberry.field(
        description="The readable observations that speak for it, in the order they were linked."
    )
    async def evidence(self, info: Context) -> list[EvidenceType]:
        """Return the evidence."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return [EvidenceType.from_record(item) for item in found]

    @strawberry.field(description="How many observations speak for it, also those you may not read.")
    async def evidence_count(self, info: Context) -> int:
        """Return the number."""
        return await info.context.loaders.evidence_counts.load(self.record.uid)

    @strawberry.field(description="What you may do with it, by its space or because it is shared with you.")
    async def permission(self, info: Context) -> SpacePermission:
        """Return the permission."""
        found = await info.context.loaders.goal_permissions.load(self.record.uid)
        return found or SpacePermission.READ

    @strawberry.field(description="With whom it itself is shared; null unless you administer it.")
    async def shared_with(self, info: Context) -> list[GoalShareType] | None:
        """Return the shares."""
        found = await info.context.loaders.goal_shares.load(self.record.uid)
        return None if found is None else [GoalShareType.from_record(share) for share in found]

    @strawberry.field(description="The same as `evidence`, in the shape of the specification.")
    async def context(self, info: Context) -> GoalContextType:
        """Return the context."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return GoalContextType(observations=[EvidenceType.from_record(item) for item in found])

    @strawberry.field(description="The first observation it was made from.")
    async def observation_id(self, info: Context) -> strawberry.ID | None:
        """Return the observation's id."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return strawberry.ID(found[0].observation_id) if found else None

    @strawberry.field(description="Every observation that speaks for it; those of its creation first.")
    async def observation_ids(self, info: Context) -> list[strawberry.ID]:
        """Return the observations' ids."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return [strawberry.ID(item.observation_id) for item in found]

    @strawberry.field(description="Another name of `observationIds`.")
    async def linked_observations(self, info: Context) -> list[strawberry.ID]:
        """Return the observations' ids."""
        found = await info.context.loaders.evidence.load(self.record.uid)
        return [strawberry.ID(item.observation_id) for item in found]

    @strawberry.field(description="The next steps towards it, in order of creation.")
    async def pending_actions(self, info: Context) -> list[PendingActionType]:
        """Return the actions."""
        found = await info.context.loaders.goal_actions.load(self.record.uid)
        return [PendingActionType.from_record(action) for action in found]

    @strawberry.field(description="What waits for an answer about it, most urgent first; 100 at most.")
    async def questions(self, info: Context) -> list[QuestionType]:
        """Return the questions."""
        found = await info.context.loaders.goal_questions.load(self.record.uid)
        return [QuestionType.from_record(question) for question in found]

    @strawberry.field(
        description="What was summarised of it and of its finished actions, newest first; 100 at most."
    )
    async def summaries(self, info: Context) -> list[SummaryType]:
        """Return the summaries."""
        found = await info.context.loaders.goal_summaries.load(self.record.uid)
        return [SummaryType.from_record(summary) for summary in found]

    @strawberry.field(
        description="The open blocking actions that halt it: meanwhile its other actions are not started."
    )
    async def blocked_by(self, info: Context) -> list[strawberry.ID]:
        """Return the actions' ids."""
        return [strawberry.ID(uid) for uid in await info.context.loaders.goal_blockers.load(self.record.uid)]

    @strawberry.field(description="The goal it is part of.")
    async def parent_goal_id(self, info: Context) -> strawberry.ID | None:
        """Return the parent's id."""
        parent = (await info.context.loaders.links.load(self.record.uid)).parent_goal_id
        return strawberry.ID(parent) if parent else None

    @strawberry.field(description="The goals it was derived from.")
    async def derived_from(self, info: Context) -> list[strawberry.ID]:
        """Return the predecessors' ids."""
        links = await info.context.loaders.links.load(self.record.uid)
        return [strawberry.ID(uid) for uid in links.derived_from]

    @strawberry.field(description="Everything it comes from, ancestors and predecessors, nearest first.")
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


@strawberry.type(description="A page of goals, most urgent first and newest first among equals.")
class GoalConnection:
    """A page of goals."""

    statuses: strawberry.Private[list[GoalStatus] | None]
    wanted_type: strawberry.Private[str | None]
    edges: list[GoalEdge]
    nodes: list[GoalType]
    page_info: PageInfo

    @strawberry.field(description="Every match, whatever the page; counted only when asked for.")
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


@strawberry.type(name="LineageNode", description="A node of the drawing.")
class LineageNodeType:
    """A node of a lineage."""

    id: strawberry.ID
    kind: str = strawberry.field(description="goal, observation, pending_action, question or story.")
    role: str = strawberry.field(
        description="self, ancestor, descendant, derivation, evidence, action, question or story, "
        "seen from the goal."
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


@strawberry.type(name="LineageEdge", description="An edge of the drawing, as the graph stores it.")
class LineageEdgeType:
    """An edge of a lineage."""

    source: strawberry.ID
    target: strawberry.ID
    type: str = strawberry.field(description="CHILD_OF, DERIVED_FROM, EVIDENCES, ADVANCES, ABOUT or ANSWERS.")
    confidence: float | None
    reason: str | None
    since: datetime | None
    until: datetime | None = strawberry.field(
        description="When it ended, of one that held at an earlier time."
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


@strawberry.type(name="GoalLineage", description="Why a goal exists and what hangs on it.")
class GoalLineageType:
    """A lineage."""

    goal_id: strawberry.ID
    depth: int
    nodes: list[LineageNodeType]
    edges: list[LineageEdgeType]
    truncated: bool = strawberry.field(description="There is more than one answer may hold.")

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


@strawberry.input(description="How far away a goal is.")
class HorizonInput:
    """A horizon."""

    value: float
    unit: HorizonUnit


@strawberry.input(description="A step on the way.")
class MilestoneInput:
    """A milestone."""

    title: str
    reached_at: datetime | None = None


@strawberry.input(description="An observation that speaks for a goal.")
class EvidenceInput:
    """A piece of evidence."""

    observation_id: strawberry.ID
    confidence: float | None = strawberry.field(default=None, description="Default: the observation's own.")
    note: str | None = None


@strawberry.input(description="Which goals.")
class GoalFilterInput:
    """The filter of `goals`."""

    status: list[GoalStatus] | None = strawberry.field(
        default=None, description="Any of them; default the active ones."
    )
    goal_type: str | None = None


@strawberry.input(description="A goal with its evidence and first actions, created in one transaction.")
class CreateGoalInput:
    """The input of `createGoal`."""

    title: str
    description: str | None = None
    goal_type: str | None = None
    user_id: str | None = strawberry.field(
        default=None, description="The person it is about, as observations name people."
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
        """Return the fields that were given under another name, as problems name them."""
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


@strawberry.type(name="ProgressResult", description="What became of a goal's progress.")
class ProgressResultType:
    """A move of a goal."""

    goal: GoalType
    before: float = strawberry.field(description="0–1.")
    after: float = strawberry.field(description="0–1.")
    clamped: bool = strawberry.field(description="The sum went beyond 0–1 and was held there.")

    @classmethod
    def from_record(cls, r: ProgressResult) -> ProgressResultType:
        """Return the type of a record."""
        return cls(goal=GoalType.from_record(r.goal), before=r.before, after=r.after, clamped=r.clamped)


@strawberry.input(description="Where a goal goes, and why.")
class TransitionGoalInput:
    """The input of `transitionGoal`."""

    id: strawberry.ID
    status: GoalStatus
    reason: str | None = None
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.input(description="A step towards a goal, or back, and what speaks for it.")
class ProgressDeltaInput:
    """A delta of `updateProgress`."""

    goal_id: strawberry.ID
    delta: float = strawberry.field(description="A fraction of the whole, -1 to 1.")
    note: str | None = None
    references: list[str] = strawberry.field(
        default_factory=list, description="Tool results, files, links; kept in the goal's history."
    )

    def body(self, path: str) -> ProgressDelta:
        """Return the step; raise `InvalidInput` for values out of range."""
        values = {
            "goal_id": self.goal_id,
            "delta": self.delta,
            "note": self.note,
            "references": tuple(self.references),
        }
        return draft(ProgressDelta, values, path)


@strawberry.input(description="Steps to take, all or none, in their order.")
class UpdateProgressInput:
    """The input of `updateProgress`."""

    deltas: list[ProgressDeltaInput]
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def drafts(self) -> list[ProgressDelta]:
        """Return the deltas; raise `InvalidInput` for values out of range."""
        return each(self.deltas, "deltas", ProgressDeltaInput.body)


@strawberry.input(description="Which observation speaks for which goal.")
class LinkObservationInput:
    """The input of `linkObservation`."""

    observation_id: strawberry.ID
    goal_id: strawberry.ID
    confidence: float | None = strawberry.field(default=None, description="Default: the observation's own.")
    note: str | None = None
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def draft(self) -> EvidenceDraft:
        """Return the evidence; raise `InvalidInput` for values out of range."""
        return draft(
            EvidenceDraft,
            {"observation_id": self.observation_id, "confidence": self.confidence, "note": self.note},
        )


@strawberry.input(description="Which observation no longer speaks for which goal.")
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


@strawberry.type(description="What became of each goal, in the order of the deltas.")
class UpdateProgressPayload:
    """The result of `updateProgress`."""

    results: list[ProgressResultType]


@strawberry.type(description="What the link did to the goal.")
class LinkObservationPayload:
    """The result of `linkObservation`."""

    result: ProgressResultType


@strawberry.type(description="What the end of the link did to the goal.")
class UnlinkObservationPayload:
    """The result of `unlinkObservation`."""

    result: ProgressResultType
