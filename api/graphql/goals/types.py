"""Goals and their lineage as GraphQL types."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Self, TypeVar

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.access.types import ActorType, OneActor
from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import (
    NamedLazyType,
    actor_field,
    list_field,
    node_field,
    refs_field,
    space_field,
    turn_of,
)
from prefrontal.api.graphql.paging import After, Connection, Edge, First, loaded_page
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.registry.types import TypeWarningType
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.api.graphql.summaries.types import SummaryType
from prefrontal.graph.access.record import KnownActor
from prefrontal.graph.caller import SpacePermission
from prefrontal.graph.cortex.goals.record import (
    Evidence,
    EvidenceLink,
    Goal,
    GoalFilter,
    GoalOrder,
    GoalOrigin,
    GoalShare,
    GoalStatus,
    GoalSuggestion,
    Horizon,
    HorizonUnit,
    Lineage,
    LineageEdge,
    LineageNode,
    Milestone,
    ProgressResult,
    SupportedGoal,
)
from prefrontal.graph.ids import Kind

strawberry.enum(
    GoalStatus, name="GoalStatus", description="The status of a goal; the first three are active."
)
strawberry.enum(
    GoalOrigin,
    name="GoalOrigin",
    description="How a goal was created: on a client's request, or by the evaluation of observations.",
)
strawberry.enum(HorizonUnit, name="HorizonUnit", description="The unit of a horizon.")
strawberry.enum(GoalOrder, name="GoalOrder", description="The order of a list of goals.")


@graphql_type_of(Horizon, "How far away a goal is, in days or in steps.")
class HorizonType(RecordType):
    """A horizon."""

    value: float
    unit: HorizonUnit


@graphql_type_of(Milestone, "An intermediate step towards a goal.")
class MilestoneType(RecordType):
    """A milestone."""

    title: str
    reached_at: datetime | None


T = TypeVar("T")


@strawberry.type
class _EvidenceLinkEdge(Edge[T]):
    confidence: float
    note: str | None
    since: datetime

    @classmethod
    def of(cls, cursor: str, node: T, link: EvidenceLink, **more: str | None) -> Self:
        """Return the edge of a link, with the values of further fields."""
        return cls(
            cursor=cursor, node=node, confidence=link.confidence, note=link.note, since=link.since, **more
        )


@strawberry.type(description="An observation that supports a goal, and how.")
class EvidenceEdge(_EvidenceLinkEdge[ObservationType]):
    """The link of an observation to a goal."""

    content: str | None = strawberry.field(
        description="The text that the observation had when it was linked, also if it has been edited or has "
        "expired since; null if it was edited before the service kept texts."
    )


@strawberry.type(description="A page of the observations that support a goal.")
class EvidenceConnection(Connection[ObservationType]):
    """A page of evidence."""

    edges: list[EvidenceEdge]  # type: ignore[assignment]  # edges with more fields

    @classmethod
    def edge_of(cls, cursor: str, link: Evidence) -> EvidenceEdge:
        """Return the edge of a piece of evidence."""
        seen = ObservationType.from_record(link.observation)
        return EvidenceEdge.of(cursor, seen, link, content=link.content)


@strawberry.type(description="An actor that a goal is shared with.")
class GoalShareEdge(Edge[ActorType]):
    """A share of a goal."""

    record: strawberry.Private[GoalShare]
    permission: SpacePermission = strawberry.field(
        description="The actor's permission for the goal and everything below it in its space."
    )
    since: datetime
    granted_by = actor_field("granted_by", "Who shared the goal")


@strawberry.type(description="A page of the actors that a goal is shared with.")
class GoalShareConnection(Connection[ActorType]):
    """A page of shares."""

    edges: list[GoalShareEdge]  # type: ignore[assignment]  # edges with more fields

    @classmethod
    def edge_of(cls, cursor: str, link: tuple[KnownActor, GoalShare]) -> GoalShareEdge:
        actor, share = link
        return GoalShareEdge(
            cursor=cursor,
            node=ActorType.from_record(actor),
            record=share,
            permission=share.permission,
            since=share.since,
        )


@graphql_type_of(Goal, "A long-horizon objective, with the reasons why it exists.")
class GoalType(RecordType, Node):
    """A goal."""

    record: strawberry.Private[Goal]
    space = space_field()
    agent = node_field(Kind.AGENT, "agent_id", "The agent that created the goal; null if a person did.")
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
    violates = refs_field(
        Kind.MANDATE, "violates", "The mandates that block the goal, as far as you may read them."
    )
    completed_at: datetime | None
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    created_by = actor_field("by_uid", "Who created the goal")
    version: int
    client_key: str | None = strawberry.field(description="Your own name for the goal, from `upsertGoal`.")
    children = list_field("children", Kind.GOAL, "The goals that are part of this goal, most urgent first.")
    derived_from = list_field("predecessors", Kind.GOAL, "The goals that this goal was derived from.")
    lineage = list_field(
        "origins",
        Kind.GOAL,
        "All goals that this goal comes from (ancestors and predecessors), nearest first.",
    )
    evidence = list_field(
        "evidence",
        NamedLazyType("goals.types", "EvidenceConnection"),
        "The readable observations that support the goal, in the order in which they were linked. An "
        "observation stays readable here after it has expired.",
    )
    actions = list_field(
        "goal_actions", Kind.PENDING_ACTION, "The pending actions of the goal, in order of creation."
    )
    blocked_by = list_field(
        "goal_blockers",
        Kind.PENDING_ACTION,
        "The open blocking actions of the goal; its other actions cannot be started while there are any.",
    )

    @strawberry.field(
        description="Whether the goal has the status BLOCKED or an open blocking action. Then its other "
        "actions are neither offered by `startTurn` nor started."
    )
    async def is_blocked(self, info: Context) -> bool:
        if self.record.status is GoalStatus.BLOCKED:
            return True
        return await info.context.loaders.goal_blockers.counted(self.record.uid)() > 0

    questions = list_field(
        "goal_questions", Kind.QUESTION, "The open questions about the goal, most urgent first."
    )
    answered_questions = list_field(
        "goal_answers",
        Kind.QUESTION,
        "The answered questions about the goal, most urgent first; `stories` of each has the answers.",
    )
    summaries = list_field(
        "goal_summaries", SummaryType, "The summaries of the goal and of its finished actions, newest first."
    )
    turn = turn_of()

    @strawberry.field(
        description="The goal that this goal is part of; null if there is none, or if it is not readable."
    )
    async def parent(self, info: Context) -> GoalType | None:
        return GoalType.maybe(await info.context.loaders.parents.load(self.record.uid))

    @strawberry.field(
        description="The number of observations that support the goal, including those that you may not read."
    )
    async def evidence_count(self, info: Context) -> int:
        return await info.context.loaders.evidence_counts.load(self.record.uid)

    @strawberry.field(description="Your permission for the goal, through its space or through a share.")
    async def permission(self, info: Context) -> SpacePermission:
        found = await info.context.loaders.goal_permissions.load(self.record.uid)
        return found or SpacePermission.READ

    @strawberry.field(
        description="The actors that this goal itself is shared with; null unless you administer the goal."
    )
    async def shared_with(
        self, info: Context, first: First = None, after: After = None
    ) -> GoalShareConnection | None:
        loaders = info.context.loaders
        found = await loaders.goal_shares.load(self.record.uid)
        if found is None:
            return None
        shares = {share.actor_id: share for share in found}
        page = await loaded_page(loaders.actors, list(shares), first, after)
        links = page.with_items((actor, shares[actor.uid]) for actor in page.items)

        async def counted() -> int:
            return len(shares)

        return GoalShareConnection.of_links(links, counted)


@strawberry.type(description="A goal that an observation supports, and how.")
class SupportedGoalEdge(_EvidenceLinkEdge[GoalType]):
    """The link of a goal to an observation."""


@strawberry.type(description="A page of the goals that an observation supports.")
class SupportedGoalConnection(Connection[GoalType]):
    """A page of goals with their links."""

    edges: list[SupportedGoalEdge]  # type: ignore[assignment]  # edges with more fields

    @classmethod
    def edge_of(cls, cursor: str, link: SupportedGoal) -> SupportedGoalEdge:
        return SupportedGoalEdge.of(cursor, GoalType.from_record(link.goal), link)


@graphql_type_of(LineageNode, "A node of a lineage.")
class LineageNodeType(RecordType):
    """A node of a lineage."""

    id: strawberry.ID
    kind: str = strawberry.field(
        description="goal, observation, pending_action, question, story, outcome or tool_invocation."
    )
    role: str = strawberry.field(
        description="The role of the node for the goal: self, ancestor, descendant, derivation, evidence, "
        "action, question, story, outcome or tool_call."
    )
    name: str
    status: str
    progress: float | None
    confidence: float | None
    node = node_field(None, "uid", "The node itself, as it is now.")


@graphql_type_of(LineageEdge, "An edge of a lineage, as stored in the graph; OUTCOME_OF stands for a turn.")
class LineageEdgeType(RecordType):
    """An edge of a lineage."""

    nodes: strawberry.Private[Mapping[str, LineageNode]]
    type: str = strawberry.field(
        description="CHILD_OF, DERIVED_FROM, EVIDENCES, ADVANCES, ABOUT or ANSWERS, or OUTCOME_OF from the "
        "outcome of a turn to a goal that the turn wrote."
    )
    confidence: float | None
    reason: str | None
    since: datetime | None
    until: datetime | None = strawberry.field(
        description="When the link ended, if it has ended since the requested time."
    )

    @strawberry.field(description="The node that the edge starts at; one of `nodes` of the lineage.")
    def source(self) -> LineageNodeType:
        return LineageNodeType.from_record(self.nodes[self.record.source])

    @strawberry.field(description="The node that the edge leads to; one of `nodes` of the lineage.")
    def target(self) -> LineageNodeType:
        return LineageNodeType.from_record(self.nodes[self.record.target])


@graphql_type_of(
    Lineage, "The lineage of a goal: what it comes from and what depends on it.", name="GoalLineage"
)
class GoalLineageType(RecordType):
    """A lineage."""

    goal = node_field(Kind.GOAL, "goal_id", "The goal.", required=True)
    depth: int
    nodes: list[LineageNodeType]
    truncated: bool = strawberry.field(
        description="Whether nodes were left out because the lineage exceeds the largest size."
    )

    @strawberry.field(description="The edges between the nodes.")
    def edges(self) -> list[LineageEdgeType]:
        nodes = {node.uid: node for node in self.record.nodes}
        edges = [LineageEdgeType.from_record(edge) for edge in self.record.edges]
        for edge in edges:
            edge.nodes = nodes
        return edges


@strawberry.type(name="GoalSuggestion", description="A goal that an observation may be linked to, and why.")
class GoalSuggestionType:
    """A suggestion."""

    goal: GoalType
    likelihood: float = strawberry.field(
        description="How likely the observation speaks for the goal, 0 to 1; see `suggestions` of "
        "`registry/goals.yaml`."
    )
    closeness: float | None = strawberry.field(
        description="How close the goal is to the text of the observation, 0 to 1; null if the goal was not "
        "found by its text."
    )
    shared_topics: list[str] = strawberry.field(
        description="The topics that both are about, as the observation spells them."
    )
    shared_entities: list[str] = strawberry.field(
        description="The entities of the observation that evidence of the goal mentions, too."
    )
    named: bool = strawberry.field(description="Whether the observation names the goal, by its id or type.")

    @classmethod
    def from_record(cls, record: GoalSuggestion) -> Self:
        """Return a suggestion as it is shown."""
        common = record.in_common
        return cls(
            goal=GoalType.from_record(record.goal),
            likelihood=record.likelihood,
            closeness=common.closeness,
            shared_topics=list(common.topics),
            shared_entities=list(common.entities),
            named=common.named,
        )


if TYPE_CHECKING:

    class GoalFilterInput:
        """The filter of `goals`, made from the record."""

else:
    GoalFilterInput = input_type(GoalFilter)


@strawberry.type(description="The new goal.")
class CreateGoalPayload:
    """The result of `createGoal`."""

    goal: GoalType
    warnings: list[TypeWarningType]


@graphql_type_of(ProgressResult, "The change of a goal's progress.")
class ProgressResultType(RecordType):
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


@strawberry.type(description="The goals as they are now, in the order of the input.")
class TransitionGoalsPayload:
    """The result of `transitionGoals`."""

    goals: list[GoalType]


@strawberry.type(description="The goals as they are now, in the order of the input.")
class UpdateGoalsPayload:
    """The result of `updateGoals`."""

    goals: list[GoalType]


@strawberry.type(description="The change of each goal's progress, in the order of the deltas.")
class UpdateProgressPayload:
    """The result of `updateProgress`."""

    results: list[ProgressResultType]


@strawberry.type(description="The change of the goal's progress by the link.")
class LinkObservationPayload:
    """The result of `linkObservation`."""

    result: ProgressResultType


@strawberry.type(
    description="The change of each goal's progress by its new links, in the order in which the input names "
    "the goals first."
)
class LinkObservationsPayload:
    """The result of `linkObservations`."""

    results: list[ProgressResultType]


@strawberry.type(description="The change of the goal's progress by the end of the link.")
class UnlinkObservationPayload:
    """The result of `unlinkObservation`."""

    result: ProgressResultType


@strawberry.type(description="The change of the goal's progress by the link with its new values.")
class UpdateEvidencePayload:
    """The result of `updateEvidence`."""

    result: ProgressResultType


@strawberry.type(description="The goal as it is now.")
class UpsertGoalPayload:
    """The result of `upsertGoal`."""

    goal: GoalType
    created: bool = strawberry.field(description="True if it was created, false if it was changed.")


@strawberry.type(description="The actor and its permission for the goal and everything below it.")
class ShareGoalPayload(OneActor):
    """The result of `shareGoal`."""

    permission: SpacePermission


@strawberry.type(description="The actor whose share ended.")
class UnshareGoalPayload(OneActor):
    """The result of `unshareGoal`."""
