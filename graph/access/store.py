"""Queries for organisations, actors, spaces and grants."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.access.record import (
    AcceptGrant,
    GrantAccess,
    KnownActor,
    LeaveSpace,
    OfferedGrant,
    RevokeAccess,
    Space,
)
from prefrontal.graph.caller import ActorKind, Caller, Principal
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.shared_read import ExpectedRow

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_ID_KIND = {
    ActorKind.AGENT: Kind.AGENT,
    ActorKind.PERSON: Kind.PERSON,
    ActorKind.DEVICE: Kind.DEVICE,
}


async def find_caller(tx: Tx, principal: Principal) -> Row | None:
    """Return a principal's organisation, actors and spaces, or None if the organisation does not exist."""
    return await tx.optional("access/find_caller", **_principal_params(principal))


def expected_caller(principal: Principal, row: Row) -> ExpectedRow:
    """Return the expectation that `find_caller` returns this row again."""
    return ExpectedRow("access/find_caller", _principal_params(principal), row)


def _principal_params(principal: Principal) -> dict[str, Any]:
    actors = [{"kind": kind.value, "key": key} for kind, key in principal.actors]
    return {"org_key": principal.org, "actors": actors}


async def find_operator(tx: Tx, org_key: str) -> Row | None:
    """Return an organisation with all of its spaces, or None if the organisation does not exist."""
    return await tx.optional("access/find_operator", org_key=org_key)


async def ensure_actors(tx: Tx, principal: Principal, now: datetime) -> None:
    """Create the actors of a principal that do not exist yet, each with a private space."""
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
    """Create an organisation; return its id and true, or the id of the one that has the key and false."""
    row = await tx.one(
        "access/create_organisation",
        org_key=key,
        name=name[:60],
        uid=new_id(Kind.ORGANISATION, now),
        space_uid=new_id(Kind.SPACE, now),
        now=now,
    )
    return row["uid"], row["created"]


async def find_actors(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, KnownActor]:
    """Return the actors of the caller's organisation among some ids, by id."""
    row = await tx.one("access/find_actors", uids=list(uids), org_id=caller.org_id)
    return {item["uid"]: KnownActor.model_validate(item) for item in row["items"]}


async def find_spaces(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Space]:
    """Return the readable spaces among some ids, by id, each with the caller's permission."""
    row = await tx.one("access/find_spaces", uids=list(uids), readable=list(caller.readable))
    return {
        item["uid"]: Space.model_validate(item | {"permission": caller.permission_in(item["uid"])})
        for item in row["items"]
    }


async def create_space(tx: Tx, caller: Caller, uid: str, name: str, now: datetime) -> None:
    """Create a shared space and make the caller's acting actor its administrator."""
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
    tx: Tx, caller: Caller, command: GrantAccess, now: datetime, *, trusted: bool
) -> tuple[str, int, bool] | None:
    """Grant an actor a permission in a space, or offer it; end the actor's earlier grants and offers.

    The grant counts at once if it is `trusted`, if the actor is one of the caller's, or if the actor has
    access to the space already. Otherwise it is an offer.

    Returns:
        The actor's id, the space's new version and whether the grant counts, or None if there is no such
        space or actor.
    """
    row = await tx.optional(
        "access/grant_access",
        permission=command.permission.value,
        trusted=trusted,
        own=caller.actors,
        **_grant_params(caller, command, now),
    )
    return (row["actor_id"], row["version"], row["accepted"]) if row else None


async def revoke(tx: Tx, caller: Caller, command: RevokeAccess, now: datetime) -> tuple[str, int] | None:
    """End an actor's grants on a space, and what is offered to it there.

    Returns:
        The actor's id and the space's new version, or None if the actor had no grant and no offer.
    """
    row = await tx.optional("access/revoke_access", **_grant_params(caller, command, now))
    return (row["actor_id"], row["version"]) if row and row["ended"] else None


async def accept(tx: Tx, caller: Caller, command: AcceptGrant, now: datetime) -> tuple[list[Row], int]:
    """Accept what is offered to the caller's actors in a space.

    Returns:
        For each accepted grant the actor's id and the permission, and the space's new version.
    """
    row = await tx.one("access/accept_grant", **_own_access_params(caller, command, now))
    return row["accepted"], row["version"]


async def leave(tx: Tx, caller: Caller, command: LeaveSpace, now: datetime) -> tuple[list[str], int]:
    """End the grants of the caller's actors on a space, and what is offered to them there.

    Returns:
        The ids of the actors that had a grant or an offer, and the space's new version.
    """
    row = await tx.one("access/leave_space", **_own_access_params(caller, command, now))
    return row["actor_ids"], row["version"]


async def list_offers(
    tx: Tx, caller: Caller, *, after: tuple[str, str], limit: int
) -> tuple[list[OfferedGrant], int]:
    """Return up to `limit` of the grants offered to the caller's actors, and the number of all of them.

    They are ordered by the ids of the space and the actor and come after those in `after`.
    """
    row = await tx.one(
        "access/list_offers",
        org_id=caller.org_id,
        actor_ids=caller.actors,
        after_space=after[0],
        after_actor=after[1],
        limit=limit,
    )
    return [OfferedGrant.model_validate(item) for item in row["items"]], row["total"]


def _own_access_params(caller: Caller, command: AcceptGrant | LeaveSpace, now: datetime) -> dict[str, Any]:
    return {
        "org_id": caller.org_id,
        "space_id": command.space,
        "actor_ids": sorted(caller.actors),
        "actor_id": caller.actor_id,
        "now": now,
    }


def _grant_params(caller: Caller, command: GrantAccess | RevokeAccess, now: datetime) -> dict[str, Any]:
    return {
        "org_id": caller.org_id,
        "space_id": command.space,
        "kind": command.actor.kind.value,
        "key": command.actor.key,
        "actor_id": caller.actor_id,
        "now": now,
    }
