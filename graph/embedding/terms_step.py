"""Steps of two migrations: they give what was stored before its terms, and note that it lacks a vector.

0026    memories
0028    goals, questions and stories

Cypher cannot compute stems. Terms are made before the service starts, because a search by words that finds
half of the memories is wrong; vectors are made afterwards, because words find a memory meanwhile. Each batch
is a transaction of its own, and what has terms is left out, so that a second run continues where a run that
was killed has stopped.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from prefrontal.graph.embedding import store
from prefrontal.graph.embedding.rules import memory_terms, plan_properties

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx

    _Find = Callable[..., Awaitable[Row]]
    _Write = Callable[..., Awaitable[None]]

_BATCH = 500
_TIMEOUT_S = 60.0


async def store_terms(database: Database, *, encoder: str | None) -> None:
    """Create the slots of vectors, for an encoder, and give each memory that has no terms its terms."""
    await database.write(partial(store.claim_slot, encoder=encoder), timeout_s=_TIMEOUT_S)
    await _walk(database, _find, _write)


async def store_plan_terms(database: Database) -> None:
    """Give each goal, question and story that has no terms what searches find it by."""
    await _walk(database, _find_plans, _write_plans)


async def _walk(database: Database, find: _Find, write: _Write) -> None:
    after, looked = "", _BATCH
    while looked == _BATCH:
        found = await database.read(partial(find, after=after), timeout_s=_TIMEOUT_S)
        if found["items"]:
            await database.write(partial(write, items=found["items"]), timeout_s=_TIMEOUT_S)
        looked, after = int(found["looked"]), found["last_uid"]


async def _find(tx: Tx, *, after: str) -> Row:
    return await tx.one("embedding/find_without_terms", after=after, limit=_BATCH)


async def _write(tx: Tx, *, items: Sequence[Row]) -> None:
    rows = [{"uid": item["uid"], "terms": _terms(item)} for item in items]
    await tx.execute("embedding/write_terms", rows=rows)


async def _find_plans(tx: Tx, *, after: str) -> Row:
    return await tx.one("embedding/find_plans_without_terms", after=after, limit=_BATCH)


async def _write_plans(tx: Tx, *, items: Sequence[Row]) -> None:
    rows = [{"uid": item["uid"], **_found_by(item)} for item in items]
    await tx.execute("embedding/write_plan_terms", rows=rows)


def _found_by(item: Row) -> dict[str, str | None]:
    return plan_properties(
        item["kind"],
        item["texts"],
        datetime.fromisoformat(item["at"]),
        tags=item["tags"] or (),
        space=item["space"],
    )


def _terms(item: Row) -> str:
    names = item["entity_names"] or [entity["name"] for entity in json.loads(item["entities"] or "[]")]
    return memory_terms(
        item["content"],
        datetime.fromisoformat(item["at"]),
        speaker=item["speaker"],
        tags=item["tags"] or (),
        names=names,
    )
