"""Who asks: principals (what a token says), callers (what the graph lets them see), and what one may do.

Every use case takes a caller. Roles say what a caller may do, spaces say where.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from prefrontal.graph.errors import Forbidden, NotFound
from prefrontal.graph.record import Record


class Permission(StrEnum):
    """What a role allows; spaces say where."""

    READ = "read"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMINISTER = "administer"


class SpacePermission(StrEnum):
    """What a `MAY` edge allows in its space; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class ActorKind(StrEnum):
    """What kind of actor a key names."""

    AGENT = "agent"
    PERSON = "person"
    DEVICE = "device"


class Principal(Record):
    """What a verified token says: an organisation's key, the keys of its actors, and roles."""

    org: str
    agent: str | None = None
    person: str | None = None
    device: str | None = None
    roles: tuple[str, ...] = ()

    @property
    def actors(self) -> tuple[tuple[ActorKind, str], ...]:
        """The actors named, the acting one first: agent, then person, then device."""
        named = (
            (ActorKind.AGENT, self.agent),
            (ActorKind.PERSON, self.person),
            (ActorKind.DEVICE, self.device),
        )
        return tuple((kind, key) for kind, key in named if key is not None)


class Caller(Record):
    """A principal as the graph knows it; every use case takes one, and every query its spaces."""

    org_id: str
    org_key: str
    actor_id: str
    agent_id: str | None = None
    person_id: str | None = None
    device_id: str | None = None
    home: str
    """The space that is written to when none is named: the acting actor's private one."""
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    administrable: tuple[str, ...] = ()
    permissions: frozenset[Permission]

    @property
    def grantees(self) -> list[str]:
        """Its actors that single goals may be shared with."""
        return [uid for uid in (self.agent_id, self.person_id) if uid]

    @classmethod
    def organisation(cls, org_id: str, scopes: Iterable[str]) -> Caller:
        """Return an organisation itself as the actor, who may write to some of its spaces."""
        spaces = tuple(sorted(set(scopes)))
        return cls(
            org_id=org_id,
            org_key="",
            actor_id=org_id,
            home=org_id,
            readable=spaces,
            writable=spaces,
            permissions=frozenset({Permission.READ, Permission.WRITE}),
        )


def require(caller: Caller, permission: Permission) -> None:
    """Return when the caller's roles allow `permission`; else raise `Forbidden`."""
    if permission not in caller.permissions:
        raise Forbidden(f"this needs a role that allows {permission.value!r}; ask for a token with one")


def require_maintainer(caller: Caller) -> None:
    """Return when the caller may decide about the registry; else raise `Forbidden`."""
    require(caller, Permission.WRITE)
    require(caller, Permission.MAINTAIN)


def target_space(caller: Caller, space: str | None, *, field: str = "space") -> str:
    """Return the space a new node goes to: the one named, or the caller's own.

    Raises:
        NotFound: The space is unknown or not readable.
        Forbidden: It is readable but not writable.
    """
    if space is None:
        return caller.home
    if space not in caller.readable:
        raise NotFound("no such space", field=field)
    if space not in caller.writable:
        raise Forbidden("you may read this space but not write to it", field=field)
    return space
