"""Queries and mutations of access."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.access.types import (
    CreateSpacePayload,
    GrantAccessPayload,
    Me,
    RevokeAccessPayload,
    SpaceType,
)
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess, Space
from prefrontal.graph.caller import SpacePermission


@strawberry.type
class AccessQuery:
    """Queries of access."""

    @strawberry.field(description="The caller: your organisation, actors, roles and spaces.")
    async def me(self, info: Context) -> Me:
        """Return the caller."""
        return Me.from_record(await info.context.caller())

    @strawberry.field(description="The spaces that you may read, ordered by id.")
    async def spaces(self, info: Context) -> list[SpaceType]:
        """Return the spaces."""
        caller = await info.context.caller()
        found = await info.context.services.access.spaces(caller, caller.readable)
        return [SpaceType.from_record(found[uid]) for uid in caller.readable]


@strawberry.type
class AccessMutation:
    """Mutations of access."""

    @mutation("Creates a shared space; you become its administrator.", "The new space, or the problem.")
    async def create_space(self, info: Context, command: CreateSpace) -> CreateSpacePayload:
        """Make the space."""
        uid = await info.context.services.access.create_space(await info.context.caller(), command)
        space = Space(
            uid=uid,
            key=f"shared:{uid}",
            name=command.name,
            kind="shared",
            permission=SpacePermission.ADMIN,
        )
        return CreateSpacePayload(space=SpaceType.from_record(space))

    @mutation(
        "Grants an actor of your organisation access to a space that you administer.",
        "The access that was granted, or the problem.",
    )
    async def grant_access(self, info: Context, command: GrantAccess) -> GrantAccessPayload:
        """Grant the access."""
        actor_id = await info.context.services.access.grant_access(await info.context.caller(), command)
        return GrantAccessPayload(actor_id=strawberry.ID(actor_id), permission=command.permission)

    @mutation(
        "Revokes an actor's access to a space that you administer.",
        "The actor whose access was revoked, or the problem.",
    )
    async def revoke_access(self, info: Context, command: RevokeAccess) -> RevokeAccessPayload:
        """Revoke the access."""
        actor_id = await info.context.services.access.revoke_access(await info.context.caller(), command)
        return RevokeAccessPayload(actor_id=strawberry.ID(actor_id))
