"""How the time of an ingested batch divides: encoder, statements, and the rest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bench.cleanup import remove_since
from bench.recall_operations import ingest, messages
from bench.tenants import Recall

_BATCHES = 5


class Share(NamedTuple):
    """A part of the time of a batch."""

    what: str
    ms: float
    share: float


async def divided(world: Recall) -> list[Share]:
    """Return where the time of a batch by one caller goes, as means of some batches.

    A statement's time is from sending it to its last row. The rest is Python (checks, rows, versions, events)
    and `BEGIN` and `COMMIT`.
    """
    if world.passages is None:
        return []
    database, since = world.services.database, datetime.now(UTC)
    world.statements.clear()
    world.passages.seconds = whole = cpu = 0.0
    for _ in range(_BATCHES):
        drafts = await messages(world)
        started, used = time.perf_counter(), time.process_time()
        await ingest(world, drafts)
        whole += time.perf_counter() - started
        cpu += time.process_time() - used
    named = sorted(world.statements.by_name.items(), key=lambda pair: -pair[1])
    encoding = world.passages.seconds
    parts = [
        ("a batch", whole),
        ("encoder", encoding),
        *named,
        ("the rest: Python, BEGIN and COMMIT", whole - encoding - world.statements.seconds),
        ("CPU of this process, all threads", cpu),
    ]
    await remove_since(database.driver, database.database, world.org_ids, since)
    return [Share(what, 1000 * seconds / _BATCHES, seconds / whole) for what, seconds in parts]


def cells(shares: Sequence[Share]) -> list[tuple[str, ...]]:
    """Return the rows of a table."""
    return [(each.what, f"{each.ms:.1f}", f"{each.share:.0%}") for each in shares]
