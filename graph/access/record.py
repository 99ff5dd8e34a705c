"""The records of actors and spaces, and the commands that create spaces and change who may use them."""

from __future__ import annotations

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
