"""Pending actions and the registry's action types as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from sys import float_info
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, node_field, refs_field, space_field, turn_of
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.api.graphql.registry.types import TypeWarningType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.gates import blocker_of, is_blocked
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOrder,
    ActionOwner,
    Holds,
    MovedAction,
    PendingAction,
    PendingActionDraft,
    UpsertResult,
)
from prefrontal.graph.cortex.actions.rules import is_open
from prefrontal.graph.cortex.endings import has_ended
from prefrontal.graph.cortex.relevance import relevance
from prefrontal.graph.ids import Kind
from prefrontal.graph.registry.proposals.rules import nearest, usable

if TYPE_CHECKING:
    from prefrontal.api.graphql.proposals.types import RegistryProposalType

strawberry.enum(ActionOrder, name="PendingActionOrder", description="The order of a list of actions.")

PendingActionInput: Any = input_type(PendingActionDraft)

if TYPE_CHECKING:

    class PendingActionFilterInput:
        """The filter of `pendingActions`, made from the record."""

else:
    PendingActionFilterInput = input_type(ActionFilter, "PendingActionFilterInput")


def _density(root: ActionScoreType) -> float:
    # Efforts below the present bound were stored once; no answer holds an infinity.
    return min(root.record.density, float_info.max)


@graphql_type_of(
    PendingAction,
    "The sort key of the order by utility, compared part by part: `density` descending; `dueAt` "
    "ascending, actions without one last; blocking actions first; among the best 200, "
    "`alignment` descending; then the id.",
    name="ActionScore",
)
class ActionScoreType(RecordType):
    """The score of an action."""

    record: strawberry.Private[PendingAction]
    density: float = strawberry.field(resolver=_density, description="Priority (1–4) divided by effort.")
    due_at: datetime | None
    blocking: bool

    @strawberry.field(
        description="The relevance of the action's goal, 0–1, from the goal's priority, status and "
        "progress; 0 without a goal."
    )
    async def alignment(self, info: Context) -> float:
        goal = await info.context.loaders.goals.load(self.record.goal_id) if self.record.goal_id else None
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

    name: str = strawberry.field(
        description="The name as the client wrote it; untrusted text. Empty if no type was named."
    )
    owner: ActionOwner | None = strawberry.field(description="The requested owner.")
    nearest: strawberry.ID | None = strawberry.field(description="The known type with the most similar name.")
    known_types: list[strawberry.ID] = strawberry.field(
        description="The types that the action can have instead; see `actionTypes`."
    )
    proposal_id: strawberry.Private[str | None]

    @strawberry.field(
        description="The proposal to add the type; null if no type was named, or if you may not read the "
        "organisation's common space."
    )
    async def proposal(
        self, info: Context
    ) -> Annotated[RegistryProposalType, strawberry.lazy("prefrontal.api.graphql.proposals.types")] | None:
        from prefrontal.api.graphql.proposals.types import RegistryProposalType as Found  # noqa: PLC0415 - a cycle

        if self.proposal_id is None:
            return None
        proposal = await info.context.loaders.proposals.load(self.proposal_id)
        return Found.from_record(proposal) if proposal else None


def _original_type(root: PendingActionType) -> str | None:
    return root.record.original_type or None


def _score(root: PendingActionType) -> ActionScoreType:
    return ActionScoreType.from_record(root.record)


@graphql_type_of(PendingAction, "A pending action: a concrete next step towards a goal.")
class PendingActionType(RecordType, Node):
    """A pending action."""

    record: strawberry.Private[PendingAction]
    space = space_field()
    goal = node_field(Kind.GOAL, "goal_id", "The goal that the action advances; null if there is none.")
    type: str = strawberry.field(description="The id of an `ActionType`.")
    original_type: str | None = strawberry.field(
        resolver=_original_type,
        description="The requested type, if the action got another one: because it was unknown, or "
        "deprecated with a successor.",
    )
    title: str
    description: str | None
    owner: ActionOwner
    person = node_field(
        Kind.PERSON,
        "person_id",
        "The person whose action it is, if a user owns it; null if no person is known. The person finds the "
        "action in `pendingActions` and may change it, whatever space it is in.",
    )
    priority: str
    effort: float | None
    status: str
    due_at: datetime | None
    blocking: bool
    requires_confirmation: bool
    confirmation_requested: bool = strawberry.field(
        description="Whether somebody asked for the confirmation by name. It stays required, whatever type "
        "the action gets, until a user takes it back."
    )
    auto_complete: bool = strawberry.field(
        description="Whether the action is completed as soon as the agent that carries it out supplies a "
        "result."
    )
    score: ActionScoreType = strawberry.field(resolver=_score)
    evidence_refs: list[str] = strawberry.field(description="Tool results, files and other references.")
    evidence = refs_field(
        Kind.OBSERVATION, "evidence_refs", "The readable observations among `evidenceRefs`, in their order."
    )
    confirmed_by = actor_field("confirmed_by", "Who confirmed the action; null if nobody did")
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
    turn = turn_of()
    created_at: datetime
    updated_at: datetime
    created_by = actor_field("by_uid", "Who created the action")
    version: int

    @strawberry.field(description="Whether the action is open and its due time has passed.")
    def overdue(self, info: Context) -> bool:
        now, action = info.context.services.clock.now(), self.record
        return action.archived_at is None and action.due_at is not None and action.due_at <= now

    @strawberry.field(
        description="The open blocking actions of the goal; the action cannot be started while there are any."
    )
    async def blocked_by(
        self, info: Context, first: First = None, after: After = None
    ) -> Connection[PendingActionType]:
        action, blockers = self.record, info.context.loaders.goal_blockers
        # No goal has an empty id, so nothing blocks the action.
        waits = action.goal_id is not None and not action.blocking and action.archived_at is None
        uid = action.goal_id if waits and action.goal_id else ""
        return Connection.of(PendingActionType, await blockers.page(uid, first, after), blockers.counted(uid))

    @strawberry.field(
        description="Whether the open action cannot be started because of its goal: the goal has ended, "
        "has the status BLOCKED, or has an open blocking action. A blocking action waits for no other one; "
        "an agent's waits for an older one that a user owns or must confirm."
    )
    async def is_blocked(self, info: Context) -> bool:
        action, loaders = self.record, info.context.loaders
        goal = await loaders.goals.load(action.goal_id) if action.goal_id else None
        if goal is None or not is_open(action):
            return False
        table = info.context.services.catalog.goals
        # The oldest of them decide.
        open_ones = (await loaders.goal_blockers.page(goal.uid, None, None)).items
        return has_ended(goal.status.value, table) or is_blocked(
            action,
            Holds(
                goal_blocked=goal.status.value == table.blocked_status,
                goal_forbidden=goal.status.value == table.blocked_status and bool(goal.violates),
                blockers=tuple(blocker_of(each) for each in open_ones),
            ),
        )

    @strawberry.field(description="The type as it is in force; null if the registry no longer has it.")
    async def action_type(self, info: Context) -> ActionTypeType | None:
        types = info.context.services.registry.effective_types.of(await info.context.caller())
        return ActionTypeType.from_record(types[self.type], types) if self.type in types else None

    @strawberry.field(
        description="The requested type that is still unknown; null once the action has a known type."
    )
    async def unknown_type(self, info: Context) -> UnknownActionType | None:
        awaited = await info.context.loaders.awaited.load(self.record.uid)
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


@graphql_type_of(UpsertResult, "The result of one entry.", name="PendingActionUpsertResult")
class UpsertResultType(RecordType):
    """The result of one entry."""

    action: PendingActionType | None = strawberry.field(description="Null if there is a problem.")
    created: bool = strawberry.field(description="True if it was created, false if it was changed.")
    problem: Problem | None = strawberry.field(description="The reason why the entry was not applied.")
    warnings: list[TypeWarningType]


@strawberry.type(description="The result of each entry, in the order of the input.")
class UpsertPendingActionsPayload:
    """The result of `upsertPendingActions`."""

    ok: bool = strawberry.field(description="Whether every entry was applied.")
    results: list[UpsertResultType]


@graphql_type_of(MovedAction, "A pending action after a change of its status.")
class MovedActionType(RecordType):
    """A pending action after a change of its status."""

    action: PendingActionType
    repeated: bool = strawberry.field(
        description="Whether the action had the status already, so that nothing was changed."
    )


@strawberry.type(description="The actions as they are now, in the order of the input.")
class TransitionPendingActionsPayload:
    """The result of `transitionPendingActions`."""

    results: list[MovedActionType]


@strawberry.type(description="The action as it is now.")
class TransitionPendingActionPayload:
    """The result of `transitionPendingAction`."""

    action: PendingActionType
    repeated: bool = strawberry.field(
        description="Whether the action had the status already, so that nothing was changed."
    )


@strawberry.type(description="The action as it is now.")
class CompletePendingActionPayload:
    """The result of `completePendingAction`."""

    action: PendingActionType
    repeated: bool = strawberry.field(
        description="Whether the action was completed before; then it has the result of the first completion."
    )


@strawberry.type(description="The action as it is now.")
class ConfirmPendingActionPayload:
    """The result of `confirmPendingAction`."""

    action: PendingActionType
