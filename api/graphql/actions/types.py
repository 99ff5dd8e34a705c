"""Pending actions and the registry's action types as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeVar

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.input_types import takes
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction, PendingActionDraft
from prefrontal.graph.cortex.relevance import relevance
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.proposals.rules import nearest, usable

if TYPE_CHECKING:
    from prefrontal.api.graphql.proposals.types import RegistryProposalType


@strawberry.type(
    name="ActionScore",
    description="The sort key of the order by utility, compared part by part: `density` descending; `dueAt` "
    "ascending, actions without one last; blocking actions first; among the best 200, "
    "`alignment` descending; then the id.",
)
class ActionScoreType:
    """The score of an action."""

    density: float = strawberry.field(description="Priority (1–4) divided by effort.")
    due_at: datetime | None
    blocking: bool
    goal_id: strawberry.Private[str | None]

    @strawberry.field(
        description="The relevance of the action's goal, 0–1, from the goal's priority, status and "
        "progress; 0 without a goal."
    )
    async def alignment(self, info: Context) -> float:
        """Return the relevance."""
        goal = await info.context.loaders.goals.load(self.goal_id) if self.goal_id else None
        if goal is None:
            return 0.0
        table = info.context.services.catalog.goals
        # Rounded so that clients read 0.45 and not the nearest binary fraction.
        return round(relevance(goal.priority_rank, goal.status.value, goal.progress, table), 6)


@strawberry.type(
    name="UnknownActionType",
    description="The unknown type that was requested for an action. To give the action a known type, call "
    "`upsertPendingActions` with its `id` and `type`; or with the requested type in a later "
    "turn, once the registry has loaded it.",
)
class UnknownActionType:
    """The unknown type of an action, with the alternatives."""

    name: str = strawberry.field(description="The name as the client wrote it; untrusted text.")
    owner: ActionOwner | None = strawberry.field(description="The requested owner.")
    nearest: strawberry.ID | None = strawberry.field(description="The known type with the most similar name.")
    known_types: list[strawberry.ID] = strawberry.field(
        description="The types that the action can have instead; see `actionTypes`."
    )
    proposal_id: strawberry.Private[str]

    @strawberry.field(
        description="The proposal to add the type; null if you may not read the organisation's common space."
    )
    async def proposal(
        self, info: Context
    ) -> Annotated[RegistryProposalType, strawberry.lazy("prefrontal.api.graphql.proposals.types")] | None:
        """Return the proposal."""
        from prefrontal.api.graphql.proposals.types import RegistryProposalType as Found  # noqa: PLC0415 - a cycle

        proposal = await info.context.loaders.proposals.load(self.proposal_id)
        return Found.from_record(proposal) if proposal else None


@strawberry.type(name="PendingAction", description="A pending action: a concrete next step towards a goal.")
class PendingActionType(Node):
    """A pending action."""

    space: strawberry.ID
    goal_id: strawberry.ID | None
    type: str = strawberry.field(description="The id of an `ActionType`.")
    original_type: str | None = strawberry.field(
        description="The requested type, if it was unknown and the action became a `user_task` instead."
    )
    title: str
    description: str | None
    owner: ActionOwner
    priority: str
    effort: float | None
    status: str
    due_at: datetime | None
    blocking: bool
    requires_confirmation: bool
    auto_complete: bool = strawberry.field(
        description="Whether the action is completed as soon as the agent that carries it out supplies a "
        "result."
    )
    score: ActionScoreType
    evidence_refs: list[str] = strawberry.field(description="Tool results, files and other references.")
    confirmed_by: strawberry.ID | None
    confirmed_at: datetime | None
    result: JSON | None
    completed_at: datetime | None
    archived_at: datetime | None = strawberry.field(
        description="When the action was archived; an archived action is no longer listed as pending."
    )
    escalated_at: datetime | None = strawberry.field(
        description="When the action last escalated because it was overdue; at most once for each due time."
    )
    event_at: datetime | None = strawberry.field(
        description="When the event in `metadata.event` happened, for a type whose actions become due "
        "after an event."
    )
    client_key: str | None
    metadata: JSON
    created_from_turn_id: str | None
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int

    @strawberry.field(description="Whether the action is open and its due time has passed.")
    def overdue(self, info: Context) -> bool:
        """Return whether the action is overdue now."""
        now = info.context.services.clock.now()
        return self.archived_at is None and self.due_at is not None and self.due_at <= now

    @strawberry.field(
        description="The open blocking actions of the goal; the action cannot be started while there are any."
    )
    async def blocked_by(self, info: Context) -> list[strawberry.ID]:
        """Return the actions' ids."""
        if self.goal_id is None or self.blocking or self.archived_at is not None:
            return []
        return [strawberry.ID(uid) for uid in await info.context.loaders.goal_blockers.load(self.goal_id)]

    @strawberry.field(
        description="The requested type that is still unknown; null once the action has a known type."
    )
    async def unknown_type(self, info: Context) -> UnknownActionType | None:
        """Return the unknown type."""
        awaited = await info.context.loaders.awaited.load(self.id)
        if awaited is None:
            return None
        types = info.context.services.registry.effective_types.of(await info.context.caller())
        near = nearest(awaited.name, types)
        return UnknownActionType(
            name=awaited.name,
            owner=ActionOwner(awaited.owner) if awaited.owner else None,
            nearest=strawberry.ID(near) if near else None,
            known_types=[strawberry.ID(name) for name in usable(types)],
            proposal_id=awaited.proposal_id,
        )

    @classmethod
    def from_record(cls, a: PendingAction) -> PendingActionType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(a.uid),
            space=strawberry.ID(a.scope_id),
            goal_id=strawberry.ID(a.goal_id) if a.goal_id else None,
            type=a.type,
            original_type=a.original_type or None,
            title=a.title,
            description=a.description,
            owner=a.owner,
            priority=a.priority,
            effort=a.effort,
            status=a.status,
            due_at=a.due_at,
            blocking=a.blocking,
            requires_confirmation=a.requires_confirmation,
            auto_complete=a.auto_complete,
            score=ActionScoreType(density=a.density, due_at=a.due_at, blocking=a.blocking, goal_id=a.goal_id),
            evidence_refs=list(a.evidence_refs),
            confirmed_by=strawberry.ID(a.confirmed_by) if a.confirmed_by else None,
            confirmed_at=a.confirmed_at,
            result=JSON(a.result) if a.result is not None else None,
            completed_at=a.completed_at,
            archived_at=a.archived_at,
            escalated_at=a.escalated_at,
            event_at=a.event_at,
            client_key=a.client_key,
            metadata=JSON(a.metadata),
            created_from_turn_id=a.created_from_turn_id,
            created_at=a.created_at,
            updated_at=a.updated_at,
            created_by=strawberry.ID(a.by_uid),
            version=a.version,
        )


@takes(PendingActionDraft)
@strawberry.input(
    description="A pending action to create. `actionType` is an alias of `type`, and `assignedTo` of `owner`."
)
class PendingActionInput:
    """A new pending action."""

    type: str | None = None
    action_type: str | None = None
    title: str | None = strawberry.field(
        default=None, description="Default: the first line of `description`."
    )
    description: str | None = None
    owner: ActionOwner | None = None
    assigned_to: ActionOwner | None = None
    priority: str | None = strawberry.field(default=None, description="low, medium, high, critical or 1–4.")
    effort: float | None = strawberry.field(
        default=None, description="Above 0; without a value it counts as 1."
    )
    due_at: datetime | None = None
    blocking: bool | None = None
    requires_confirmation: bool | None = None
    auto_complete: bool | None = None
    evidence_refs: list[str] = strawberry.field(default_factory=list)
    metadata: JSON | None = None

    def values(self, path: str) -> dict[str, object]:
        """Return the values of the draft; raise `InvalidInput` if a field and its alias differ."""
        return {
            "type": one_of_two(self.type, self.action_type, f"{path}.actionType"),
            "title": self.title,
            "description": self.description,
            "owner": one_of_two(self.owner, self.assigned_to, f"{path}.assignedTo"),
            "priority": self.priority,
            "effort": self.effort,
            "due_at": self.due_at,
            "blocking": self.blocking,
            "requires_confirmation": self.requires_confirmation,
            "auto_complete": self.auto_complete,
            "evidence_refs": tuple(self.evidence_refs),
            "metadata": self.metadata,
        }

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        found: dict[str, str] = {}
        if self.type is None and self.action_type is not None:
            found[f"{path}.type"] = f"{path}.actionType"
        if self.owner is None and self.assigned_to is not None:
            found[f"{path}.owner"] = f"{path}.assignedTo"
        return found


T = TypeVar("T", bound=str)


def one_of_two(first: T | None, second: T | None, field: str) -> T | None:
    """Return the value of a field or of its alias; raise `InvalidInput` if the two differ."""
    if first is not None and second is not None and first != second:
        raise InvalidInput("is an alias of a field with another value; give only one of the two", field=field)
    return first if first is not None else second
