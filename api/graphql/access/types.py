"""Callers, spaces and grants as GraphQL types."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.input_types import takes
from prefrontal.api.graphql.inputs import key_field, named
from prefrontal.graph.access.record import Space
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission

strawberry.enum(ActorKind, name="ActorKind", description="The kind of an actor.")
strawberry.enum(
    SpacePermission,
    name="SpacePermission",
    description="A permission in a space; each one includes the permissions before it.",
)


@strawberry.type(description="The caller.")
class Me:
    """The caller."""

    organisation: str
    org_id: strawberry.ID
    agent_id: strawberry.ID | None
    person_id: strawberry.ID | None
    device_id: strawberry.ID | None
    roles: list[str]
    permissions: list[str]
    home_space: strawberry.ID = strawberry.field(description="The space that mutations write to by default.")
    readable_spaces: list[strawberry.ID]
    writable_spaces: list[strawberry.ID]

    @classmethod
    def from_caller(cls, caller: Caller, roles: tuple[str, ...]) -> Me:
        """Return the type of a caller."""
        return cls(
            organisation=caller.org_key,
            org_id=strawberry.ID(caller.org_id),
            agent_id=strawberry.ID(caller.agent_id) if caller.agent_id else None,
            person_id=strawberry.ID(caller.person_id) if caller.person_id else None,
            device_id=strawberry.ID(caller.device_id) if caller.device_id else None,
            roles=sorted(roles),
            permissions=sorted(caller.permissions),
            home_space=strawberry.ID(caller.home),
            readable_spaces=[strawberry.ID(uid) for uid in caller.readable],
            writable_spaces=[strawberry.ID(uid) for uid in caller.writable],
        )


@strawberry.type(
    name="Space", description="A space: every node belongs to one, and permissions are granted per space."
)
class SpaceType:
    """A space."""

    id: strawberry.ID
    key: str
    name: str
    kind: str = strawberry.field(description="private, common or shared.")
    permission: SpacePermission = strawberry.field(description="Your permission in the space.")

    @classmethod
    def from_record(cls, space: Space) -> SpaceType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(space.uid),
            key=space.key,
            name=space.name,
            kind=space.kind,
            permission=space.permission,
        )


@takes(Actor)
@strawberry.input(description="An actor of your organisation, by its key in tokens.")
class ActorInput:
    """An actor."""

    kind: ActorKind
    key: str

    def named(self, most: int) -> tuple[ActorKind, str]:
        """Return kind and key; raise `InvalidInput` if the key is empty, too long or no valid text."""
        return self.kind, named(self.key, "actor.key", most, required=True)

    def values(self, _path: str) -> dict[str, object]:
        """Return the fields of the record."""
        return {"kind": self.kind, "key": self.key}

    def spellings(self, _path: str) -> dict[str, str]:
        """Return no spellings: each field has one name."""
        return {}


@strawberry.input(description="The shared space to create.")
class CreateSpaceInput:
    """The input of `createSpace`."""

    name: str
    idempotency_key: str | None = key_field()


@strawberry.type(description="The new space; you administer it.")
class CreateSpacePayload:
    """The result of `createSpace`."""

    space: SpaceType


@strawberry.input(description="The space, the actor and the permission to grant.")
class GrantAccessInput:
    """The input of `grantAccess`."""

    space: strawberry.ID
    actor: ActorInput
    permission: SpacePermission
    idempotency_key: str | None = key_field()


@strawberry.type(description="The actor and its permission in the space.")
class GrantAccessPayload:
    """The result of `grantAccess`."""

    actor_id: strawberry.ID
    permission: SpacePermission


@strawberry.input(description="The space and the actor whose access to revoke.")
class RevokeAccessInput:
    """The input of `revokeAccess`."""

    space: strawberry.ID
    actor: ActorInput
    idempotency_key: str | None = key_field()


@strawberry.type(description="The actor whose access was revoked.")
class RevokeAccessPayload:
    """The result of `revokeAccess`."""

    actor_id: strawberry.ID
