"""Mutations of pending actions."""

from __future__ import annotations

from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.actions.upsert import (
    UpsertPendingActionsInput,
    UpsertPendingActionsPayload,
    UpsertResultType,
)
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.inputs import key_field, spelled, turn_field, version_field
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.errors import InvalidInput


def map_of(value: JSON | None) -> dict[str, Any] | None:
    """Return the result of an action as a dict; raise `InvalidInput` if it is no JSON object."""
    if value is None or isinstance(value, dict):
        return value
    raise InvalidInput("must be a map", field="result")


@strawberry.input(description="A pending action and its new status.")
class TransitionPendingActionInput:
    """The input of `transitionPendingAction`."""

    id: strawberry.ID
    status: str = strawberry.field(description="One of the type's `allowedStatuses`.")
    result: JSON | None = strawberry.field(
        default=None, description="The result of the action, a JSON object."
    )
    choice: str | None = strawberry.field(default=None, description="The chosen entry of `metadata.options`.")
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The action as it is now.")
class TransitionPendingActionPayload:
    """The result of `transitionPendingAction`."""

    action: PendingActionType


@strawberry.input(description="A pending action to complete.")
class CompletePendingActionInput:
    """The input of `completePendingAction`."""

    id: strawberry.ID
    result: JSON | None = strawberry.field(
        default=None, description="The result of the action, a JSON object."
    )
    choice: str | None = strawberry.field(default=None, description="The chosen entry of `metadata.options`.")
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The action as it is now.")
class CompletePendingActionPayload:
    """The result of `completePendingAction`."""

    action: PendingActionType


@strawberry.input(description="A pending action to confirm.")
class ConfirmPendingActionInput:
    """The input of `confirmPendingAction`."""

    id: strawberry.ID
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The action as it is now.")
class ConfirmPendingActionPayload:
    """The result of `confirmPendingAction`."""

    action: PendingActionType


@strawberry.type
class ActionMutation:
    """Mutations of pending actions."""

    @strawberry.mutation(
        description="Creates pending actions or changes their fields. Each entry is checked separately: a "
        "refused entry does not stop the others.",
        extensions=[WRITES],
    )
    async def upsert_pending_actions(
        self, info: Context, input: UpsertPendingActionsInput
    ) -> Annotated[
        UpsertPendingActionsPayload | Problem,
        strawberry.union(
            "UpsertPendingActionsResult",
            description="The result of each entry, or the problem if none was applied.",
        ),
    ]:
        """Create or change the actions."""
        with spelled(input.spellings()):
            results = await info.context.services.actions.upsert.upsert(
                await info.context.caller(),
                input.entries(),
                space=input.space,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
            )
        info.context.loaders.actions.clear_all()
        info.context.loaders.awaited.clear_all()
        return UpsertPendingActionsPayload(
            ok=all(result.problem is None for result in results),
            results=[UpsertResultType.from_record(result) for result in results],
        )

    @strawberry.mutation(description="Changes the status of a pending action.", extensions=[WRITES])
    async def transition_pending_action(
        self, info: Context, input: TransitionPendingActionInput
    ) -> Annotated[
        TransitionPendingActionPayload | Problem,
        strawberry.union(
            "TransitionPendingActionResult", description="The action with its new status, or the problem."
        ),
    ]:
        """Change the status of the action."""
        action = await info.context.services.actions.transitions.transition(
            await info.context.caller(),
            input.id,
            input.status,
            result=map_of(input.result),
            choice=input.choice,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return TransitionPendingActionPayload(action=PendingActionType.from_record(action))

    @strawberry.mutation(description="Completes a pending action.", extensions=[WRITES])
    async def complete_pending_action(
        self, info: Context, input: CompletePendingActionInput
    ) -> Annotated[
        CompletePendingActionPayload | Problem,
        strawberry.union("CompletePendingActionResult", description="The completed action, or the problem."),
    ]:
        """Complete the action."""
        action = await info.context.services.actions.transitions.complete(
            await info.context.caller(),
            input.id,
            result=map_of(input.result),
            choice=input.choice,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return CompletePendingActionPayload(action=PendingActionType.from_record(action))

    @strawberry.mutation(
        description="Records that the user confirms an action. Needs a token of a person without an agent.",
        extensions=[WRITES],
    )
    async def confirm_pending_action(
        self, info: Context, input: ConfirmPendingActionInput
    ) -> Annotated[
        ConfirmPendingActionPayload | Problem,
        strawberry.union("ConfirmPendingActionResult", description="The confirmed action, or the problem."),
    ]:
        """Confirm the action."""
        action = await info.context.services.actions.transitions.confirm(
            await info.context.caller(),
            input.id,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return ConfirmPendingActionPayload(action=PendingActionType.from_record(action))
