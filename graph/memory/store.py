"""Queries for mandates and capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.clock import NEVER
from prefrontal.graph.history.rows import record_version_row
from prefrontal.graph.memory.record import Memory
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx

_memories = RecordMapper(Memory)


async def remember(tx: Tx, caller: Caller, memories: Sequence[Memory], turn_id: str | None) -> int:
    """Store memories, each with its first version, and return the number written.

    Memories of spaces that the caller may not write to are skipped.
    """
    rows = [
        {
            "label": memory.kind.value.capitalize(),
            "properties": {
                **_memories.properties(memory),
                "org_id": caller.org_id,
                "name": short_name(memory.content),
                "searchable_in": memory.scope_id,
                "expires_at": NEVER,
            },
            "version": record_version_row(caller, None, memory, caption=memory.content, turn_id=turn_id),
        }
        for memory in memories
    ]
    row = await tx.one("memory/remember", rows=rows, writable=list(caller.writable))
    return int(row["written"])


async def forget(tx: Tx, caller: Caller, before: Memory, after: Memory, turn_id: str | None) -> bool:
    """Take a memory back and return true; return false if it is not as in `before` any more.

    The node stays, so that its history and what refers to it stay readable; no search finds it.
    """
    row = await tx.one(
        "memory/forget",
        uid=before.uid,
        writable=list(caller.writable),
        before=before.version,
        now=after.updated_at,
        version=record_version_row(caller, before, after, caption=after.content, turn_id=turn_id),
    )
    return bool(row["written"])


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Memory]:
    """Return the mandates and capabilities among `uids` that the caller may read, by id."""
    row = await tx.one("memory/find_memories", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: _memories.record(item) for item in row["items"]}
