"""Callers, spaces and grants as GraphQL types."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import node_at
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.access.record import KnownActor, Space
from prefrontal.graph.caller import ActorKind, Caller, SpacePermission
from prefrontal.graph.ids import Kind

strawberry.enum(ActorKind, name="ActorKind", description="The kind of an actor.")
strawberry.enum(
    SpacePermission,
    name="SpacePermission",
    description="A permission in a space; each one includes the permissions before it.",
)


def _roles(info: Context) -> list[str]:
    return sorted(info.context.principal.roles)


def _permissions(self: Shown) -> list[str]:
    return sorted(self.record.permissions)


@shows(
    Caller,
    "The caller.",
    name="Me",
    rename={
        "organisation": "org_key",
        "home_space": "home",
        "readable_spaces": "readable",
        "writable_spaces": "writable",
    },
)
class Me(Shown):
    """The caller."""

    organisation: str
    org_id: strawberry.ID
    agent_id: strawberry.ID | None
    person_id: strawberry.ID | None
    device_id: strawberry.ID | None
    roles: list[str] = strawberry.field(resolver=_roles)
    permissions: list[str] = strawberry.field(resolver=_permissions)
    home_space: strawberry.ID = strawberry.field(description="The space that mutations write to by default.")
    readable_spaces: list[strawberry.ID]
    writable_spaces: list[strawberry.ID]


@shows(KnownActor, "An actor of your organisation: an agent, a person or a device.", name="Actor")
class ActorType(Shown, Node):
    """An actor; `KnownActor` says who may see which actors."""

    kind: ActorKind
    key: str = strawberry.field(description="The actor's key in tokens.")
    name: str
    home_space = node_at(
        Kind.SPACE, "home_id", "The private space of the actor; null if you may not read the space."
    )


@shows(Space, "A space: every node belongs to one, and permissions are granted per space.")
class SpaceType(Shown, Node):
    """A space."""

    key: str
    name: str
    kind: str = strawberry.field(description="private, common or shared.")
    permission: SpacePermission = strawberry.field(description="Your permission in the space.")
    owner = node_at(
        Kind.AGENT, "owner_id", "The actor that a private space belongs to; null for other spaces."
    )


@strawberry.type(description="The new space; you administer it.")
class CreateSpacePayload:
    """The result of `createSpace`."""

    space: SpaceType


@strawberry.type(description="The actor and its permission in the space.")
class GrantAccessPayload:
    """The result of `grantAccess`."""

    actor_id: strawberry.ID
    permission: SpacePermission


@strawberry.type(description="The actor whose access was revoked.")
class RevokeAccessPayload:
    """The result of `revokeAccess`."""

    actor_id: strawberry.ID
