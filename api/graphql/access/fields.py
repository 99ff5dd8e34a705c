"""Queries and mutations of access."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.access.types import (
    ActorRef,
    CreateSpacePayload,
    GrantAccessPayload,
    Me,
    RevokeAccessPayload,
    SpaceType,
    spaces_page,
)
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
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

    @strawberry.field(description="A page of the spaces that you may read, ordered by id.")
    async def spaces(self, info: Context, first: First = None, after: After = None) -> Connection[SpaceType]:
        """Return the page."""
        return await spaces_page(info, (await info.context.caller()).readable, first, after)


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
        return GrantAccessPayload(record=ActorRef(actor_id), permission=command.permission)

    @mutation(
        "Revokes an actor's access to a space that you administer.",
        "The actor whose access was revoked, or the problem.",
    )
    async def revoke_access(self, info: Context, command: RevokeAccess) -> RevokeAccessPayload:
        """Revoke the access."""
        actor_id = await info.context.services.access.revoke_access(await info.context.caller(), command)
        return RevokeAccessPayload(record=ActorRef(actor_id))
