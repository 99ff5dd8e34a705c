"""The records of actors and spaces, and the commands that create spaces and change who may use them."""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.journal.command import Command
from prefrontal.graph.record import Id, Record


class KnownActor(Record):
    """An actor of the caller's organisation, as other actors see it.

    Every caller that may read sees the kind, the key and the name of each actor of its organisation whose id
    it knows. Ids of actors stand in what the caller may read (who created a goal, who made a change, who
    shared something). There is no list of an organisation's actors. What belongs to an actor (its private
    space, and all that is in it) has the access rules of spaces.
    """

    uid: str
    kind: ActorKind
    key: str
    name: str
    home_id: str


class Space(Record):
    """A space, with the strongest permission that the caller has in it."""

    uid: str
    key: str
    name: str
    kind: str
    permission: SpacePermission
    owner_id: str | None = None
    """The actor that a private space belongs to."""
    links_devices: bool = False
    """Whether sessions of a private space on different devices may be related."""


class CreateSpace(Command):
    """The shared space to create."""

    name: str


class RevokeAccess(Command):
    """The space and the actor whose access to revoke."""

    space: Id
    actor: Actor


class GrantAccess(Command):
    """The space, the actor and the permission to grant."""

    space: Id
    actor: Actor
    permission: SpacePermission


class AcceptGrant(Command):
    """The space of the grants to accept."""

    space: Id


class LeaveSpace(Command):
    """The space to leave."""

    space: Id


class GrantResult(Record):
    """The outcome of a grant: the actor, and whether the grant counts already."""

    actor_id: str
    accepted: bool


class OfferedGrant(Record):
    """A grant that one of the caller's actors has not accepted yet."""

    space_id: str
    space_name: str
    actor_id: str
    permission: SpacePermission
    granted_by: str
    since: datetime
