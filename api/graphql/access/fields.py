"""Queries and mutations of access."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.access.types import (
    AcceptGrantPayload,
    ActorRef,
    CreateSpacePayload,
    GrantAccessPayload,
    LeaveSpacePayload,
    Me,
    OfferedGrantType,
    RevokeAccessPayload,
    SpaceType,
    offers_page,
    spaces_page,
)
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.permissions import DECIDES
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.access.record import (
    AcceptGrant,
    CreateSpace,
    GrantAccess,
    LeaveSpace,
    RevokeAccess,
    Space,
)
from prefrontal.graph.caller import SpacePermission


@strawberry.type
class AccessQuery:
    """Queries of access."""

    @strawberry.field(description="The caller: your organisation, actors, roles and spaces.")
    async def me(self, info: Context) -> Me:
        return Me.from_record(await info.context.caller())

    @strawberry.field(
        description="A page of the grants that others offer to you, ordered by space. A grant by anybody but "
        "a maintainer counts once you accept it with `acceptGrant`; `leaveSpace` declines it."
    )
    async def offered_grants(
        self, info: Context, first: First = None, after: After = None
    ) -> Connection[OfferedGrantType]:
        return await offers_page(info, first, after)

    @strawberry.field(description="A page of the spaces that you may read, ordered by id.")
    async def spaces(self, info: Context, first: First = None, after: After = None) -> Connection[SpaceType]:
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
        "Grants an actor of your organisation access to a space that you administer. Unless you are a "
        "maintainer, an actor that does not use the space yet has to accept the grant first.",
        "The access that was granted, or the problem.",
    )
    async def grant_access(self, info: Context, command: GrantAccess) -> GrantAccessPayload:
        granted = await info.context.services.access.grant_access(await info.context.caller(), command)
        return GrantAccessPayload(
            record=ActorRef(granted.actor_id), permission=command.permission, accepted=granted.accepted
        )

    @mutation(
        "Accepts what is offered to you in a space; from then on you can use the space.",
        "The space, or the problem.",
        requires=DECIDES,
    )
    async def accept_grant(self, info: Context, command: AcceptGrant) -> AcceptGrantPayload:
        uid = await info.context.services.access.accept_grant(await info.context.caller(), command)
        info.context.forget_caller()
        return AcceptGrantPayload(space=SpaceType.maybe(await info.context.loaders.spaces.load(uid)))

    @mutation(
        "Ends your own access to a space, and declines what is offered to you there. Your private space is "
        "always yours.",
        "The id of the space that you have left, or the problem.",
        requires=DECIDES,
    )
    async def leave_space(self, info: Context, command: LeaveSpace) -> LeaveSpacePayload:
        uid = await info.context.services.access.leave_space(await info.context.caller(), command)
        info.context.forget_caller()
        return LeaveSpacePayload(space_id=strawberry.ID(uid))

    @mutation(
        "Revokes an actor's access to a space that you administer.",
        "The actor whose access was revoked, or the problem.",
    )
    async def revoke_access(self, info: Context, command: RevokeAccess) -> RevokeAccessPayload:
        actor_id = await info.context.services.access.revoke_access(await info.context.caller(), command)
        return RevokeAccessPayload(record=ActorRef(actor_id))
