"""The step of migration 0029: gives the long memories of before their passages.

Cypher cannot divide texts. The passages have no vectors yet: a job makes them, and words find a passage
meanwhile. Each batch is a transaction of its own, and what has passages is left out, so that a second run
continues where a run that was killed has stopped.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from prefrontal.graph.memory import store

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.tables import MemoryTable
    from prefrontal.graph.storage.unit_of_work import Database

_BATCH = 200
_TIMEOUT_S = 60.0


async def divide_memories(database: Database, *, clock: Clock, table: MemoryTable) -> None:
    """Give each long memory that can be recalled and has no passages its passages."""
    after, looked, more_than = "", _BATCH, table.passages.from_bytes
    while looked == _BATCH:
        find = partial(store.find_undivided, after=after, more_than=more_than, limit=_BATCH)
        items, looked, after = await database.read(find, timeout_s=_TIMEOUT_S)
        if items:
            work = partial(store.divide, items=items, table=table, now=clock.now())
            await database.write(work, timeout_s=_TIMEOUT_S)
