"""Mutations that share single goals."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.access.types import ActorInput
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.inputs import key_field
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.caller import SpacePermission


@strawberry.input(description="The goal, the actor and the permission to share.")
class ShareGoalInput:
    """The input of `shareGoal`."""

    goal_id: strawberry.ID
    actor: ActorInput
    permission: SpacePermission
    idempotency_key: str | None = key_field()


@strawberry.type(description="The actor and its permission for the goal and everything below it.")
class ShareGoalPayload:
    """The result of `shareGoal`."""

    actor_id: strawberry.ID
    permission: SpacePermission


@strawberry.input(description="The goal and the actor whose share to end.")
class UnshareGoalInput:
    """The input of `unshareGoal`."""

    goal_id: strawberry.ID
    actor: ActorInput
    idempotency_key: str | None = key_field()


@strawberry.type(description="The actor whose share ended.")
class UnshareGoalPayload:
    """The result of `unshareGoal`."""

    actor_id: strawberry.ID


@strawberry.type
class GoalSharingMutation:
    """The mutations."""

    @strawberry.mutation(
        description="Shares a goal that you administer, with everything below it in its space, with an "
        "agent or a person of your organisation.",
        extensions=[WRITES],
    )
    async def share_goal(
        self,
        info: Context,
        input: ShareGoalInput,
    ) -> Annotated[
        ShareGoalPayload | Problem,
        strawberry.union("ShareGoalResult", description="The share, or the problem."),
    ]:
        """Share the goal."""
        actor_id = await info.context.services.goals.sharing.share(
            await info.context.caller(),
            input.goal_id,
            input.actor.named(info.context.services.catalog.limits.key_characters),
            input.permission,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.goal_shares, input.goal_id)
        return ShareGoalPayload(actor_id=strawberry.ID(actor_id), permission=input.permission)

    @strawberry.mutation(
        description="Ends the share of a goal that you administer, immediately and for everything below "
        "the goal.",
        extensions=[WRITES],
    )
    async def unshare_goal(
        self,
        info: Context,
        input: UnshareGoalInput,
    ) -> Annotated[
        UnshareGoalPayload | Problem,
        strawberry.union("UnshareGoalResult", description="The actor whose share ended, or the problem."),
    ]:
        """End the share."""
        actor_id = await info.context.services.goals.sharing.unshare(
            await info.context.caller(),
            input.goal_id,
            input.actor.named(info.context.services.catalog.limits.key_characters),
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.goal_shares, input.goal_id)
        return UnshareGoalPayload(actor_id=strawberry.ID(actor_id))
