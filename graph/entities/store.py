"""Queries for entities."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.entities.record import Entity, EntityFilter
from prefrontal.graph.entities.rules import fold_name
from prefrontal.graph.storage.records import RecordMapper

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx

_entities = RecordMapper(Entity)
_LAST = chr(sys.maxunicode)
"""The last character there is: a prefix followed by it sorts after every name that begins with the prefix."""


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Entity]:
    """Return the entities among `uids` that a readable memory mentions, by id."""
    row = await tx.one("entities/find_entities", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: _entities.record(item) for item in row["items"]}


async def list_page(
    tx: Tx, caller: Caller, wanted: EntityFilter, *, after_key: str, limit: int
) -> list[Entity]:
    """Return up to `limit` visible entities with keys after `after_key`, in the order of their keys."""
    prefix = fold_name(wanted.prefix or "")
    row = await tx.one(
        "entities/list_entities",
        readable=list(caller.readable),
        after_key=after_key,
        prefix=prefix,
        prefix_end=prefix + _LAST,
        kinds=list(wanted.kinds) or None,
        limit=limit,
    )
    return [_entities.record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: EntityFilter) -> int:
    """Return the number of visible entities that match the filter."""
    row = await tx.one(
        "entities/count_entities",
        readable=list(caller.readable),
        prefix=fold_name(wanted.prefix or ""),
        kinds=list(wanted.kinds) or None,
    )
    return int(row["total"])


async def count_mentions(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, int]:
    """Return, by entity id, the number of readable memories that mention the entity."""
    row = await tx.one("entities/count_mentions", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: int(item["number"]) for item in row["items"]}
