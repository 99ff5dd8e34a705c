"""Reads turns and their trace: runs named queries and returns records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.context.record import ReceiptItem
from prefrontal.graph.journal.record import CREATING, TraceEntry, TraceKind
from prefrontal.graph.journal.store import trace_entry
from prefrontal.graph.storage.related import Related
from prefrontal.graph.turns.record import Neighbours, Turn, TurnStatus

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


def _seen(row: Row, _: datetime) -> ReceiptItem:
    return ReceiptItem.from_row(row)


def _entry(row: Row, _: datetime) -> TraceEntry:
    return trace_entry(row)


seen = Related("turns/list_seen", "turns/count_seen", _seen, str, int, shared=False)


def _turn(row: Row, _: datetime) -> Turn:
    return Turn.model_validate(row["turn"])


of_sessions = Related(
    "turns/list_turns_of_sessions", "turns/count_turns_of_sessions", _turn, str, shared=False
)
entries = Related("turns/list_trace_of_turns", "turns/count_trace", _entry, str, shared=False)


async def find(tx: Tx, caller: Caller, key: str) -> Turn | None:
    """Return the readable turn with that client id, or None."""
    row = await tx.optional("turns/find_turn", readable=list(caller.readable), key=key, home=caller.home)
    return Turn.model_validate(row["turn"]) if row else None


async def list_turns(
    tx: Tx, caller: Caller, statuses: Sequence[TurnStatus], *, before: str, limit: int
) -> list[Turn]:
    """Return up to `limit` readable turns before the id `before`, newest first."""
    row = await tx.one(
        "turns/list_turns",
        readable=list(caller.readable),
        statuses=list(statuses),
        before_uid=before,
        limit=limit,
    )
    return [Turn.model_validate(item) for item in row["items"]]


async def count_turns(tx: Tx, caller: Caller, statuses: Sequence[TurnStatus]) -> int:
    """Return the number of readable turns with one of the statuses."""
    row = await tx.one("turns/count_turns", readable=list(caller.readable), statuses=list(statuses))
    return int(row["total"])


async def find_by_ids(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Turn]:
    """Return the readable turns among some ids, by id."""
    row = await tx.one("turns/find_turns", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: Turn.model_validate(item) for item in row["items"]}


async def find_neighbours(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Neighbours]:
    """Return the readable neighbours of the readable turns among some ids, by id."""
    row = await tx.one("turns/find_neighbours", uids=list(uids), readable=list(caller.readable))
    return {
        item["uid"]: Neighbours.model_validate({"previous": item["previous"], "next": item["next"]})
        for item in row["items"]
    }


async def count_trace(tx: Tx, caller: Caller, key: str, kinds: Sequence[TraceKind] | None) -> int:
    """Return the number of entries of a turn's trace."""
    row = await tx.one(
        "turns/count_trace_by_key",
        readable=list(caller.readable),
        key=key,
        kinds=[kind.value for kind in kinds] if kinds else None,
    )
    return int(row["total"])


async def find_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Turn]:
    """Return the readable turns that created the records among some ids, by the id of the record."""
    row = await tx.one(
        "turns/find_turns_of",
        uids=list(uids),
        operations=[event.value for event in sorted(CREATING)],
        readable=list(caller.readable),
    )
    return {item["of"]: Turn.model_validate(item["turn"]) for item in row["items"]}


async def list_made(tx: Tx, caller: Caller, uid: str, *, after: str, limit: int) -> list[str]:
    """Return up to `limit` ids of readable records that a turn wrote, after the id `after`, in order."""
    row = await tx.one("turns/list_made", uid=uid, after=after, limit=limit, **caller.reads)
    return list(row["uids"])


async def count_made(tx: Tx, caller: Caller, uid: str) -> int:
    """Return the number of readable records that a turn wrote."""
    return int((await tx.one("turns/count_made", uid=uid, **caller.reads))["count"])


async def list_trace_of_spaces(
    tx: Tx, caller: Caller, *, kinds: Sequence[TraceKind] | None, before: str, limit: int
) -> list[TraceEntry]:
    """Return up to `limit` entries of the readable spaces before the entry `before`, newest first.

    Ids that the caller may not read are left out.
    """
    row = await tx.one(
        "turns/list_trace_of_spaces",
        readable=list(caller.readable),
        kinds=[kind.value for kind in kinds] if kinds else None,
        before=before,
        limit=limit,
    )
    return [trace_entry(item) for item in row["items"]]


async def list_trace(
    tx: Tx, caller: Caller, key: str, *, kinds: Sequence[TraceKind] | None, after: str, limit: int
) -> list[TraceEntry]:
    """Return up to `limit` entries of a turn's trace after the entry `after`, oldest first."""
    row = await tx.one(
        "turns/list_trace",
        readable=list(caller.readable),
        key=key,
        kinds=[kind.value for kind in kinds] if kinds else None,
        after=after,
        limit=limit,
    )
    return [trace_entry(item) for item in row["items"]]
