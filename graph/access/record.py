"""Principals (what a token says) and callers (what the graph lets them see)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

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


class Space(Record):
    """A place that memories belong to, and what the caller may do there."""

    uid: str
    key: str
    name: str
    kind: str
    permission: SpacePermission
