"""Queries and mutations of access."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.access.types import (
    CreateSpaceInput,
    CreateSpacePayload,
    GrantAccessInput,
    GrantAccessPayload,
    Me,
    RevokeAccessInput,
    RevokeAccessPayload,
    SpaceType,
)
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.caller import SpacePermission


@strawberry.type
class AccessQuery:
    """Queries of access."""

    @strawberry.field(description="The caller: your organisation, actors, roles and spaces.")
    async def me(self, info: Context) -> Me:
        """Return the caller."""
        return Me.from_caller(await info.context.caller(), info.context.principal.roles)

    @strawberry.field(description="The spaces that you may read, ordered by id.")
    async def spaces(self, info: Context) -> list[SpaceType]:
        """Return the spaces."""
        found = await info.context.services.access.spaces(await info.context.caller())
        return [SpaceType.from_record(space) for space in found]


@strawberry.type
class AccessMutation:
    """Mutations of access."""

    @strawberry.mutation(
        description="Creates a shared space; you become its administrator.", extensions=[WRITES]
    )
    async def create_space(
        self,
        info: Context,
        input: CreateSpaceInput,
    ) -> Annotated[
        CreateSpacePayload | Problem,
        strawberry.union("CreateSpaceResult", description="The new space, or the problem."),
    ]:
        """Make the space."""
        uid = await info.context.services.access.create_space(
            await info.context.caller(), input.name, idempotency_key=input.idempotency_key
        )
        space = SpaceType(
            id=strawberry.ID(uid),
            key=f"shared:{uid}",
            name=input.name,
            kind="shared",
            permission=SpacePermission.ADMIN,
        )
        return CreateSpacePayload(space=space)

    @strawberry.mutation(
        description="Grants an actor of your organisation access to a space that you administer.",
        extensions=[WRITES],
    )
    async def grant_access(
        self,
        info: Context,
        input: GrantAccessInput,
    ) -> Annotated[
        GrantAccessPayload | Problem,
        strawberry.union("GrantAccessResult", description="The access that was granted, or the problem."),
    ]:
        """Grant the access."""
        actor_id = await info.context.services.access.grant_access(
            await info.context.caller(),
            input.space,
            input.actor.named(info.context.services.catalog.limits.key_characters),
            input.permission,
            idempotency_key=input.idempotency_key,
        )
        return GrantAccessPayload(actor_id=strawberry.ID(actor_id), permission=input.permission)

    @strawberry.mutation(
        description="Revokes an actor's access to a space that you administer.", extensions=[WRITES]
    )
    async def revoke_access(
        self,
        info: Context,
        input: RevokeAccessInput,
    ) -> Annotated[
        RevokeAccessPayload | Problem,
        strawberry.union(
            "RevokeAccessResult", description="The actor whose access was revoked, or the problem."
        ),
    ]:
        """Revoke the access."""
        actor_id = await info.context.services.access.revoke_access(
            await info.context.caller(),
            input.space,
            input.actor.named(info.context.services.catalog.limits.key_characters),
            idempotency_key=input.idempotency_key,
        )
        return RevokeAccessPayload(actor_id=strawberry.ID(actor_id))
