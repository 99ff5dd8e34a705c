"""Queries and mutations of pending actions, and the query of their types."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import strawberry

from prefrontal.api.graphql.actions.types import (
    CompletePendingActionPayload,
    ConfirmPendingActionPayload,
    MovedActionType,
    PendingActionFilterInput,
    PendingActionType,
    TransitionPendingActionPayload,
    TransitionPendingActionsPayload,
    UpsertPendingActionsPayload,
    UpsertResultType,
)
from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.permissions import READS
from prefrontal.api.graphql.registry.action_types import ActionTypeFilterInput, ActionTypeType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOrder,
    CompletePendingAction,
    ConfirmPendingAction,
    TransitionPendingAction,
    TransitionPendingActions,
    UpsertPendingActions,
)


@strawberry.type
class ActionQuery:
    """Queries of pending actions."""

    @strawberry.field(description="The action types of the registry, ordered by id.", extensions=[READS])
    async def action_types(
        self, info: Context, filter: ActionTypeFilterInput | None = None
    ) -> list[ActionTypeType]:
        types = info.context.services.registry.effective_types.of(await info.context.caller())
        found = [ActionTypeType.from_record(types[name], types) for name in sorted(types)]
        return [kind for kind in found if filter is None or filter.fits(kind)]

    @strawberry.field(description="A page of pending actions, by default in descending order of utility.")
    async def pending_actions(
        self,
        info: Context,
        filter: PendingActionFilterInput | None = None,
        order_by: Annotated[
            ActionOrder, strawberry.argument(description="Default: UTILITY; see `PendingAction.score`.")
        ] = ActionOrder.UTILITY,
        first: First = None,
        after: After = None,
    ) -> Connection[PendingActionType]:
        wanted = filter_of(filter, ActionFilter)
        actions, caller = info.context.services.actions.service, await info.context.caller()
        page = await actions.list(caller, wanted, order_by, first=first, after=after)
        return Connection.of(PendingActionType, page, partial(actions.count, caller, wanted))


@strawberry.type
class ActionMutation:
    """Mutations of pending actions."""

    @mutation(
        "Creates pending actions or changes their fields. Each entry is checked separately: a refused entry "
        "does not stop the others.",
        "The result of each entry, or the problem if none was applied.",
    )
    async def upsert_pending_actions(
        self, info: Context, command: UpsertPendingActions, spellings: dict[str, str]
    ) -> UpsertPendingActionsPayload:
        """Create or change the actions."""
        results = await info.context.services.actions.upsert.upsert(await info.context.caller(), command)
        return UpsertPendingActionsPayload(
            ok=all(result.problem is None for result in results),
            results=[UpsertResultType.from_record(result.respelled(spellings)) for result in results],
        )

    @mutation("Changes the status of a pending action.", "The action with its new status, or the problem.")
    async def transition_pending_action(
        self, info: Context, command: TransitionPendingAction
    ) -> TransitionPendingActionPayload:
        """Change the status of the action."""
        moved = await info.context.services.actions.transitions.move(await info.context.caller(), command)
        action = PendingActionType.from_record(moved.action)
        return TransitionPendingActionPayload(action=action, repeated=moved.repeated)

    @mutation(
        "Changes the statuses of up to 100 pending actions in their order: all or none.",
        "The actions with their new statuses, or the problem; its field names the entry, e.g. "
        "`actions[3].status`.",
    )
    async def transition_pending_actions(
        self, info: Context, command: TransitionPendingActions
    ) -> TransitionPendingActionsPayload:
        """Change the statuses of the actions."""
        transitions = info.context.services.actions.transitions
        moved = await transitions.move_all(await info.context.caller(), command)
        return TransitionPendingActionsPayload(results=[MovedActionType.from_record(each) for each in moved])

    @mutation(
        "Completes a pending action, once. A result that says that the action failed does not complete it.",
        "The action, or the problem.",
    )
    async def complete_pending_action(
        self, info: Context, command: CompletePendingAction
    ) -> CompletePendingActionPayload:
        moved = await info.context.services.actions.transitions.move(await info.context.caller(), command)
        action = PendingActionType.from_record(moved.action)
        return CompletePendingActionPayload(action=action, repeated=moved.repeated)

    @mutation(
        "Records that the user confirms an action. Needs a token of a person without an agent.",
        "The confirmed action, or the problem.",
    )
    async def confirm_pending_action(
        self, info: Context, command: ConfirmPendingAction
    ) -> ConfirmPendingActionPayload:
        action = await info.context.services.actions.transitions.confirm(await info.context.caller(), command)
        return ConfirmPendingActionPayload(action=PendingActionType.from_record(action))
