"""Database access of erasure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.erasure import rules
from prefrontal.graph.erasure.record import ErasableNode, found
from prefrontal.graph.memory.rows import tombstone_rows

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


async def find_person(tx: Tx, caller: Caller, key: str) -> tuple[str, str] | None:
    """Return the ids of a person's actor and of its private space; None if it never used the service."""
    row = await tx.optional("erasure/find_person", org_id=caller.org_id, key=key)
    return None if row is None else (row["uid"], row["home_id"])


async def list_spaces(tx: Tx, caller: Caller) -> list[str]:
    """Return the ids of all spaces of the caller's organisation."""
    return list((await tx.one("erasure/list_spaces", org_id=caller.org_id))["uids"])


async def find_data(
    tx: Tx, caller: Caller, person: tuple[str, str] | None, names: Collection[str]
) -> list[str]:
    """Return where the database has what is about a person."""
    person_id, home_id = person or (None, None)
    row = await tx.one("erasure/list_spellings", org_id=caller.org_id)
    row = await tx.one(
        "erasure/find_data",
        org_id=caller.org_id,
        person_id=person_id,
        home_id=home_id,
        common=caller.common,
        spellings=rules.spellings_of(row["spellings"], names, person_id),
        names=list(names),
    )
    return list(row["refs"])


async def find_whole(tx: Tx, caller: Caller, refs: Sequence[str]) -> list[ErasableNode]:
    """Return nodes with what was made from them, and what was made from that, and with all parts."""
    known: dict[str, ErasableNode] = {}
    wanted = list(refs)
    while wanted:
        row = await tx.one("erasure/find_whole", org_id=caller.org_id, refs=wanted)
        asked, items = set(wanted), [found(item) for item in row["items"]]
        new = [item for item in items if item.ref not in known]
        known.update((item.ref, item) for item in new)
        wanted = [item.ref for item in new if item.ref not in asked]
    return sorted(known.values(), key=lambda item: item.uid)


async def erase(tx: Tx, caller: Caller, every: Sequence[ErasableNode], now: datetime) -> None:
    """Erase nodes, and leave digests of texts that must not be stored again."""
    keys = ((item.scope_id, item.text_key) for item in every if item.text_key)
    await tx.execute(
        "erasure/erase",
        org_id=caller.org_id,
        refs=[item.ref for item in every],
        tombstones=tombstone_rows(caller, keys, now),
        now=now,
    )
