"""Principals, callers and permission checks.

    principal   the organisation, actors and roles that a verified token names
    caller      a principal resolved against the graph, with its permissions and the spaces it may use

Every use case takes a caller. The token's roles decide what the caller may do; grants on spaces decide where.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

from prefrontal.graph.errors import Forbidden, NotFound
from prefrontal.graph.record import Limit, Record


class Permission(StrEnum):
    """What a role allows. Grants on spaces decide where it applies."""

    READ = "read"
    WRITE = "write"
    MAINTAIN = "maintain"


class SpacePermission(StrEnum):
    """What a `MAY` relationship allows in its space. Each permission includes the ones listed before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class ActorKind(StrEnum):
    """The kind of actor that a key belongs to."""

    AGENT = "agent"
    PERSON = "person"
    DEVICE = "device"


class Actor(Record):
    """An actor of your organisation, by its key in tokens."""

    kind: ActorKind
    key: Annotated[str, Limit("key_characters")]


class Principal(Record):
    """The content of a verified token: the organisation's key, the keys of the actors, and the roles."""

    org: str
    agent: str | None = None
    person: str | None = None
    device: str | None = None
    roles: tuple[str, ...] = ()

    @property
    def actors(self) -> tuple[tuple[ActorKind, str], ...]:
        """The actors that the token names: agent, then person, then device.

        The first one is the acting actor.
        """
        named = (
            (ActorKind.AGENT, self.agent),
            (ActorKind.PERSON, self.person),
            (ActorKind.DEVICE, self.device),
        )
        return tuple((kind, key) for kind, key in named if key is not None)


_SPACES = ("readable", "writable", "administrable")


class Caller(Record):
    """A principal resolved against the graph: ids, permissions and spaces.

    Every use case takes a caller, and every query made for a caller takes the caller's spaces.
    """

    org_id: str
    org_key: str
    actor_id: str
    agent_id: str | None = None
    person_id: str | None = None
    device_id: str | None = None
    home: str
    """The private space of the acting actor. Writes go here when the request names no space."""
    homes: tuple[str, ...] = ()
    """The private spaces of all actors that the token names."""
    person_home: str | None = None
    """The private space of the person, if the token names one."""
    common: str | None = None
    """The organisation's common space, if the caller may read it."""
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    administrable: tuple[str, ...] = ()
    shared_with: tuple[str, ...] = ()
    """The ids of the caller's agent and person, each only if goals were shared with it when the caller was
    resolved."""
    permissions: frozenset[Permission]
    stored: int = 0
    """How many records the organisation had stored when they were last counted."""

    @property
    def grantees(self) -> list[str]:
        """The parameter of queries that look for shares; if it is empty, they leave the search out."""
        return list(self.shared_with)

    @property
    def is_person(self) -> bool:
        """Whether the caller is a person, and no agent that acts for one."""
        return self.actor_id == self.person_id

    @property
    def people(self) -> list[str]:
        """The parameter of queries that look for actions for the caller: its id if it is a person, else none.

        What others left for a person stays with the person.
        """
        return [self.actor_id] if self.is_person else []

    @property
    def session_space(self) -> str:
        """The space of the caller's sessions: the private one of its person, else its own."""
        return self.person_home or self.home

    @property
    def reads(self) -> dict[str, Any]:
        """The parameters of every query that reads for the caller."""
        return {"readable": list(self.readable), "grantees": self.grantees}

    @property
    def writes(self) -> dict[str, Any]:
        """The parameters of every query that changes records for the caller."""
        return {"writable": list(self.writable), "grantees": self.grantees}

    @property
    def actors(self) -> list[str]:
        """The ids of the actors that the token names."""
        return [uid for uid in (self.agent_id, self.person_id, self.device_id) if uid is not None]

    @property
    def own(self) -> list[str]:
        """The readable spaces that are the caller's own: the private spaces of its actors."""
        return [uid for uid in self.readable if uid == self.home or uid in self.homes]

    def within(self, space: str) -> Caller:
        """Return the caller with its access to one space alone, and without goals that are shared with it.

        Lists of what a space holds are read for this caller.
        """
        narrow = {name: tuple(uid for uid in getattr(self, name) if uid == space) for name in _SPACES}
        return self.model_copy(update=narrow | {"shared_with": ()})

    def permission_in(self, space: str) -> SpacePermission:
        """Return the caller's strongest permission in a readable space."""
        if space in self.administrable:
            return SpacePermission.ADMIN
        return SpacePermission.WRITE if space in self.writable else SpacePermission.READ

    @classmethod
    def organisation(cls, org_id: str, scopes: Iterable[str]) -> Caller:
        """Return a caller that acts as the organisation itself, with read and write access to `scopes`.

        Jobs use such a caller for changes that no actor asked for.
        """
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
    """Check that the caller's roles allow `permission`.

    Raises:
        Forbidden: If no role of the caller allows it.
    """
    if permission not in caller.permissions:
        raise Forbidden(f"this needs a role that allows {permission.value!r}; ask for a token with one")


def require_reader(caller: Caller) -> None:
    """Check that the caller may read.

    Raises:
        Forbidden: If no role of the caller allows it.
    """
    require(caller, Permission.READ)


def require_maintainer(caller: Caller) -> None:
    """Check that the caller may change the registry, which needs the permissions WRITE and MAINTAIN.

    Raises:
        Forbidden: If one of the two permissions is missing.
    """
    require(caller, Permission.WRITE)
    require(caller, Permission.MAINTAIN)


def is_maintainer(caller: Caller) -> bool:
    """Return whether a role of the caller allows it to maintain what all of its organisation share."""
    return Permission.MAINTAIN in caller.permissions


def target_space(caller: Caller, space: str | None, *, field: str = "space") -> str:
    """Return the id of the space for a new node: `space`, or the caller's private space if None.

    Raises:
        NotFound: If the space does not exist or the caller may not read it.
        Forbidden: If the caller may read the space but not write to it.
    """
    if space is None:
        return caller.home
    if space not in caller.readable:
        raise NotFound("no such space", field=field)
    if space not in caller.writable:
        raise Forbidden("you may read this space but not write to it", field=field)
    return space
