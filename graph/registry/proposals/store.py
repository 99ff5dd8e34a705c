"""Reads and writes registry proposals: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.rows import record_version_row
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.turns import turn_row
from prefrontal.graph.registry.proposals.record import AwaitedType, RegistryProposal
from prefrontal.graph.registry.proposals.rules import name_key
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.registry.proposals.record import ProposalFilter, ProposalStatus, UnknownUse
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_MAPS = ("diff", "suggested_policies", "allowed_transitions")
_mapper = RecordMapper(RegistryProposal)
proposal_of_row = _mapper.record


async def common_space(tx: Tx, caller: Caller) -> str:
    """Return the id of the common space, which holds the proposals of the caller's organisation."""
    return str((await tx.one("proposals/find_common_space", org_id=caller.org_id))["uid"])


async def create(tx: Tx, caller: Caller, proposal: RegistryProposal, released: Sequence[str]) -> None:
    """Store a new proposal with its first version; the proposals in `released` give up their names."""
    await tx.one(
        "proposals/create_proposal",
        org_id=caller.org_id,
        properties=properties_of(proposal),
        version=version_of(caller, None, proposal, proposal.created_from_turn_id),
        released=list(released),
    )


async def open_all(
    tx: Tx, caller: Caller, scope_id: str, proposals: Iterable[RegistryProposal], turn_id: str | None
) -> dict[str, Row]:
    """Store the proposals whose names have none yet; return `uid` and `created` by the key of each name."""
    row = await tx.one(
        "proposals/open_proposals",
        org_id=caller.org_id,
        scope_id=scope_id,
        rows=[
            {
                "name_key": proposal.name_key,
                "properties": properties_of(proposal),
                "version": version_of(caller, None, proposal, turn_id),
            }
            for proposal in sorted(proposals, key=lambda each: each.name_key or "")
        ],
    )
    return {item["name_key"]: item for item in row["items"]}


async def link_use(
    tx: Tx,
    caller: Caller,
    uids: Iterable[str],
    uses: Iterable[tuple[UnknownUse, str]],
    turn_id: str | None,
    now: datetime,
) -> None:
    """Link the turn to proposals, and actions to the proposals that they wait for."""
    await tx.execute(
        "proposals/link_use",
        org_id=caller.org_id,
        actor_id=caller.actor_id,
        turns=[turn_row(turn_id, actor_id=caller.actor_id, home=caller.home, now=now)] if turn_id else [],
        uids=sorted(set(uids)),
        rows=[
            {**use.model_dump(exclude={"staged"}), "proposal_id": proposal_id} for use, proposal_id in uses
        ],
        now=now,
    )


async def holders_of(tx: Tx, proposal: RegistryProposal, now: datetime) -> list[Row]:
    """Lock the name of a proposal to add a type; return `uid`, `status` and `name_key` of those that have it.

    These are the proposal that holds the folded name, and those with the same id that are not decided.
    """
    row = await tx.one(
        "proposals/find_proposal_by_name",
        org_id=proposal.org_id,
        scope_id=proposal.scope_id,
        name_key=name_key(proposal.type_id or ""),
        type_id=proposal.type_id,
        now=now,
    )
    return [item for item in row["items"] if item["uid"] != proposal.uid]


async def lock(tx: Tx, caller: Caller, uid: str, now: datetime) -> RegistryProposal | None:
    """Lock a readable proposal and return it; None if there is no readable proposal of this id."""
    if kind_of(uid) is not Kind.REGISTRY_PROPOSAL:
        return None
    row = await tx.one("proposals/lock_proposals", uids=[uid], readable=list(caller.readable), now=now)
    return next((proposal_of_row(item) for item in row["items"]), None)


async def lock_known(tx: Tx, caller: Caller, uid: str, now: datetime) -> RegistryProposal:
    """Lock a readable proposal and return it.

    Raises:
        NotFound: If there is no readable proposal of this id.
    """
    found = await lock(tx, caller, uid, now)
    if found is None:
        raise NotFound("no such proposal", field="id")
    return found


async def submitters(tx: Tx, caller: Caller, uid: str) -> frozenset[str]:
    """Return the actors of the token that submitted a readable proposal; who revised it later is left out."""
    row = await tx.optional("proposals/find_first_version", uid=uid, readable=list(caller.readable))
    return frozenset(json.loads(row["changes"])["authors"] if row is not None else ())


async def save(
    tx: Tx, caller: Caller, before: RegistryProposal, after: RegistryProposal, turn_id: str | None
) -> bool:
    """Store the next version of a proposal; return whether the space is writable."""
    version = version_of(caller, before, after, turn_id)
    rows = [{"properties": properties_of(after), "version": version}]
    row = await tx.one("proposals/update_proposals", rows=rows, writable=list(caller.writable))
    return bool(row["written"])


async def list_undecided(tx: Tx, status: ProposalStatus, after: str, limit: int) -> list[RegistryProposal]:
    """Return proposals of a status of every organisation, in order of their ids."""
    row = await tx.one("proposals/list_undecided", status=status.value, after=after, batch=limit)
    return [proposal_of_row(item) for item in row["items"]]


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, RegistryProposal]:
    """Return the readable proposals among some ids, by id."""
    row = await tx.one("proposals/find_proposals", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: proposal_of_row(item) for item in row["items"]}


async def list_page(
    tx: Tx,
    caller: Caller,
    wanted: ProposalFilter,
    statuses: Sequence[ProposalStatus],
    *,
    before: str,
    limit: int,
) -> list[RegistryProposal]:
    """Return up to `limit` proposals older than `before`, newest first."""
    params: dict[str, Any] = _filter_params(caller, wanted, statuses) | {"before_uid": before, "limit": limit}
    if wanted.turn_id is None:
        row = await tx.one("proposals/list_proposals", **params)
    else:
        row = await tx.one("proposals/list_proposals_by_turn", turn_key=wanted.turn_id, **params)
    return [proposal_of_row(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: ProposalFilter, statuses: Sequence[ProposalStatus]) -> int:
    """Return the number of matching proposals."""
    params = _filter_params(caller, wanted, statuses)
    if wanted.turn_id is None:
        row = await tx.one("proposals/count_proposals", **params)
    else:
        row = await tx.one("proposals/count_proposals_by_turn", turn_key=wanted.turn_id, **params)
    return int(row["total"])


async def awaited_types(tx: Tx, caller: Caller, action_ids: Sequence[str]) -> dict[str, AwaitedType]:
    """Return the unknown types that the readable actions among some ids wait for, by action."""
    row = await tx.one(
        "proposals/find_awaited",
        uids=list(action_ids),
        readable=list(caller.readable),
        people=caller.people,
    )
    return {
        item["action_id"]: AwaitedType(
            name=item["name"], owner=item["owner"], proposal_id=item["proposal_id"]
        )
        for item in row["items"]
    }


async def end_awaited(tx: Tx, caller: Caller, action_ids: Sequence[str], now: datetime) -> None:
    """End the waiting of actions that have got a known type."""
    await tx.execute(
        "proposals/end_awaited",
        uids=list(action_ids),
        writable=list(caller.writable),
        people=caller.people,
        actor_id=caller.actor_id,
        now=now,
    )


def _filter_params(
    caller: Caller, wanted: ProposalFilter, statuses: Sequence[ProposalStatus]
) -> dict[str, Any]:
    return {
        "readable": list(caller.readable),
        "statuses": [status.value for status in statuses],
        "type_id": wanted.type_id,
    }


def version_of(
    caller: Caller, before: RegistryProposal | None, after: RegistryProposal, turn_id: str | None
) -> dict[str, Any]:
    """Return the properties of a proposal's version."""
    return record_version_row(caller, before, after, caption=_caption(after), turn_id=turn_id)


def properties_of(proposal: RegistryProposal) -> dict[str, Any]:
    """Return the properties of the stored node of a proposal."""
    found = _mapper.properties(proposal) | {"name": short_name(_caption(proposal))}
    # Empty maps are kept: they were given, unlike those that are missing.
    found |= {name: "{}" for name in _MAPS if getattr(proposal, name) == {}}
    return found | {"reviews": found["reviews"] or "[]"}


def _caption(proposal: RegistryProposal) -> str:
    about = proposal.display_name or proposal.type_id or proposal.requested_name or proposal.subject.value
    return f"{proposal.proposal_type.value} {about}"
