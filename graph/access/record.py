"""The record of a space, and the commands that create spaces and change who may use them."""

from __future__ import annotations

from prefrontal.graph.caller import Actor, SpacePermission
from prefrontal.graph.journal.command import Command
from prefrontal.graph.record import Id, Record


class Space(Record):
    """A space, with the strongest permission that the caller has in it."""

    uid: str
    key: str
    name: str
    kind: str
    permission: SpacePermission


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
