"""Organisations, actors, spaces and grants in the graph."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.access.record import Space
from prefrontal.graph.caller import ActorKind, Caller, Principal, SpacePermission
from prefrontal.graph.ids import Kind, new_id

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_ID_KIND = {
    ActorKind.AGENT: Kind.AGENT,
    ActorKind.PERSON: Kind.PERSON,
    ActorKind.DEVICE: Kind.DEVICE,
}


async def find_caller(tx: Tx, principal: Principal) -> Row | None:
    """Return the organisation, actors and spaces of a principal, or None for an unknown organisation."""
    return await tx.optional(
        "access/find_caller",
        org_key=principal.org,
        actors=[{"kind": kind.value, "key": key} for kind, key in principal.actors],
    )


async def find_operator(tx: Tx, org_key: str) -> Row | None:
    """Return the organisation with all its spaces, or None for an unknown one."""
    return await tx.optional("access/find_operator", org_key=org_key)


async def ensure_actors(tx: Tx, principal: Principal, now: datetime) -> None:
    """Make those actors of the principal that are not there yet, each with a private space."""
    await tx.execute(
        "access/ensure_actors",
        org_key=principal.org,
        now=now,
        actors=[
            {
                "kind": kind.value,
                "label": kind.value.capitalize(),
                "key": key,
                "name": key[:60],
                "uid": new_id(_ID_KIND[kind], now),
                "space_uid": new_id(Kind.SPACE, now),
            }
            for kind, key in sorted(principal.actors)
        ],
    )


async def create_organisation(tx: Tx, key: str, name: str, now: datetime) -> tuple[str, bool]:
    """Return the organisation's id, and whether it was made now."""
    row = await tx.one(
        "access/create_organisation",
        org_key=key,
        name=name[:60],
        uid=new_id(Kind.ORGANISATION, now),
        space_uid=new_id(Kind.SPACE, now),
        now=now,
    )
    return row["uid"], row["created"]


async def list_spaces(tx: Tx, caller: Caller) -> tuple[Space, ...]:
    """Return the spaces the caller may read, in order of their ids."""
    actors = [a for a in (caller.agent_id, caller.person_id, caller.device_id) if a]
    row = await tx.one("access/list_spaces", readable=list(caller.readable), actors=actors)
    return tuple(Space.model_validate(item) for item in row["items"])


async def create_space(tx: Tx, caller: Caller, uid: str, name: str, now: datetime) -> None:
    """Make a shared space that the caller administers."""
    await tx.execute(
        "access/create_space",
        org_id=caller.org_id,
        uid=uid,
        key=f"shared:{uid}",
        name=name,
        actor_id=caller.actor_id,
        now=now,
    )


async def grant(
    tx: Tx,
    caller: Caller,
    space_id: str,
    actor: tuple[ActorKind, str],
    permission: SpacePermission,
    now: datetime,
) -> tuple[str, int] | None:
    """Let an actor into a space; return its id and the space's version, or None for no such actor."""
    row = await tx.optional(
        "access/grant_access",
        org_id=caller.org_id,
        space_id=space_id,
        kind=actor[0].value,
        key=actor[1],
        permission=permission.value,
        actor_id=caller.actor_id,
        now=now,
    )
    return (row["actor_id"], row["version"]) if row else None


async def revoke(
    tx: Tx, caller: Caller, space_id: str, actor: tuple[ActorKind, str], now: datetime
) -> tuple[str, int] | None:
    """End an actor's grants on a space; return its id and the space's version, or None if it had none."""
    row = await tx.optional(
        "access/revoke_access",
        org_id=caller.org_id,
        space_id=space_id,
        kind=actor[0].value,
        key=actor[1],
        actor_id=caller.actor_id,
        now=now,
    )
    return (row["actor_id"], row["version"]) if row and row["ended"] else None
