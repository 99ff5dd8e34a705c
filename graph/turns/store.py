"""Reads turns and their trace: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.context.record import ReceiptItem
from prefrontal.graph.journal.record import CREATING, TraceEntry, TraceKind, TurnRef
from prefrontal.graph.journal.store import trace_entry
from prefrontal.graph.record import Record
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.turns.commit_record import (
    GatheredTurn,
    PendingCommit,
    StoredExport,
    StoreStatus,
)
from prefrontal.graph.turns.record import Neighbours, Turn, TurnStatus

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.turns.rules import ForgottenContent


def _receipt_item(row: Row, _: datetime) -> ReceiptItem:
    return ReceiptItem.from_row(row)


def _entry(row: Row, _: datetime) -> TraceEntry:
    return trace_entry(row)


seen = RelatedList("turns/list_seen", "turns/count_seen", _receipt_item, str, int, shared=False)


def _turn(row: Row, _: datetime) -> Turn:
    return Turn.model_validate(row["turn"])


_pending = RecordMapper(PendingCommit)
_exports = RecordMapper(StoredExport)
UNFINISHED = (StoreStatus.PENDING.value, StoreStatus.ESCALATED.value)
"""The statuses of the parts of commits that are tried again."""


def _export(row: Row, _: datetime) -> StoredExport:
    return _exports.record(row)


exports_of_turns = RelatedList(
    "turns/list_exports_of_turns", "turns/count_exports_of_turns", _export, str, shared=False
)
of_sessions = RelatedList(
    "turns/list_turns_of_sessions", "turns/count_turns_of_sessions", _turn, str, shared=False
)
entries = RelatedList("turns/list_trace_of_turns", "turns/count_trace", _entry, str, shared=False)


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


async def count_trace(
    tx: Tx, caller: Caller, key: str, kinds: Sequence[TraceKind] | None, *, oldest: str
) -> int:
    """Return the number of entries of a turn's trace from the id `oldest` on."""
    row = await tx.one(
        "turns/count_trace_by_key",
        readable=list(caller.readable),
        key=key,
        kinds=[kind.value for kind in kinds] if kinds else None,
        oldest=oldest,
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
    tx: Tx, caller: Caller, *, kinds: Sequence[TraceKind] | None, before: str, oldest: str, limit: int
) -> list[TraceEntry]:
    """Return up to `limit` entries of the readable spaces before the entry `before`, newest first.

    Those before the id `oldest` are not kept any more.

    Ids that the caller may not read are left out.
    """
    row = await tx.one(
        "turns/list_trace_of_spaces",
        readable=list(caller.readable),
        kinds=[kind.value for kind in kinds] if kinds else None,
        before=before,
        oldest=oldest,
        limit=limit,
    )
    return [trace_entry(item) for item in row["items"]]


async def list_trace(
    tx: Tx,
    caller: Caller,
    key: str,
    *,
    kinds: Sequence[TraceKind] | None,
    after: str,
    oldest: str,
    limit: int,
) -> list[TraceEntry]:
    """Return up to `limit` entries of a turn's trace after `after` and from `oldest` on, oldest first."""
    row = await tx.one(
        "turns/list_trace",
        readable=list(caller.readable),
        key=key,
        kinds=[kind.value for kind in kinds] if kinds else None,
        after=after,
        oldest=oldest,
        limit=limit,
    )
    return [trace_entry(item) for item in row["items"]]


async def gather(
    tx: Tx,
    caller: Caller,
    turn: str,
    *,
    oldest: str,
    most: int,
    active_statuses: Sequence[str],
    goals: int,
    recent: int,
    pending: int,
) -> GatheredTurn:
    """Return what the caller's turn with a name or an id has done, and what it is compared with.

    Args:
        tx: The transaction.
        caller: Whose turn it is.
        turn: Its name or its id; a new name has done nothing yet.
        oldest: What sorts before the ids of the invocations that are kept.
        most: How many calls and how many observations of a turn are read.
        active_statuses: The statuses of active goals.
        goals: How many active goals are read.
        recent: How many of the turns before it are read.
        pending: How many failed parts of earlier commits are read; first those tried longest ago.
    """
    row = await tx.one(
        "turns/gather_turn",
        turn_key=turn,
        home=caller.home,
        readable=list(caller.readable),
        oldest=oldest,
        most=most,
        active_statuses=list(active_statuses),
        goals=goals,
        recent=recent,
        unfinished=list(UNFINISHED),
        pending=pending,
    )
    return GatheredTurn(
        turn_uid=row["turn_uid"],
        began_at=None if row["began_at"] is None else datetime.fromisoformat(row["began_at"]),
        session_uid=row["session_uid"],
        called=tuple(_call_row(item) for item in row["called"]),
        noticed=row["noticed"],
        goals=row["goals"],
        budget_used=row["budget_used"],
        budget_total=row["budget_total"],
        recent=tuple(
            (item["uid"], tuple(_call_row(call) for call in item["calls"])) for item in row["recent"]
        ),
        pending=tuple(_pending.record(item) for item in row["pending"]),
    )


def _call_row(item: Row) -> dict[str, Any]:
    called_at = item["called_at"]
    return {
        **item,
        "parameters": json.loads(item["parameters"]) if item["parameters"] else {},
        "called_at": None if called_at is None else datetime.fromisoformat(called_at),
    }


async def find_overwritten(
    tx: Tx, caller: Caller, uids: Sequence[str], turn_uid: str, since: datetime
) -> list[Row]:
    """Return which records a turn has changed in fields that somebody else changed since it began.

    Each has its `uid`, its `version`, and the number of the last version that was `overwritten`.
    """
    row = await tx.one(
        "turns/find_overwritten",
        uids=list(uids),
        turn_uid=turn_uid,
        since=since,
        remarks=["updated_at", "version", "by_uid", "status_reason", "locked_at"],
        writable=list(caller.writable),
    )
    return list(row["items"])


async def finish(
    tx: Tx,
    caller: Caller,
    turn_uid: str,
    properties: Mapping[str, Any],
    export: StoredExport,
    pending: Sequence[PendingCommit],
) -> None:
    """Store how a turn ended, its export, and the parts of its commit that failed."""
    shared = {"org_id": caller.org_id}
    await tx.one(
        "turns/finish_turn",
        turn_uid=turn_uid,
        properties=dict(properties),
        export=_exports.properties(export) | shared | {"name": "State export"},
        pending=[_row_of(caller, each) for each in pending],
        writable=list(caller.writable),
    )


async def store_failed_part(tx: Tx, caller: Caller, pending: PendingCommit) -> None:
    """Keep what could not be stored in a turn, to be tried again."""
    await tx.one(
        "turns/store_failed_part",
        turn_uid=pending.turn_uid,
        pending=[_row_of(caller, pending)],
        writable=list(caller.writable),
    )


def _row_of(caller: Caller, pending: PendingCommit) -> dict[str, Any]:
    named = {"org_id": caller.org_id, "name": f"{pending.store} not committed"}
    return _pending.properties(pending) | named


async def find_pending(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, PendingCommit]:
    """Return the failed parts of commits among some ids, by id."""
    row = await tx.one("turns/find_pending_commits", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: _pending.record(item) for item in row["items"]}


async def lock_pending(
    tx: Tx, caller: Caller, uid: str, now: datetime
) -> tuple[PendingCommit, TurnRef, str | None] | None:
    """Lock a failed part of a commit; None if it was done meanwhile.

    Returns:
        The part, its turn, and the summary of the turn.
    """
    row = await tx.optional(
        "turns/lock_pending_commit",
        uid=uid,
        unfinished=list(UNFINISHED),
        writable=list(caller.writable),
        now=now,
    )
    return (_pending.record(row["item"]), TurnRef(**row["turn"]), row["summary"]) if row else None


async def settle_pending(
    tx: Tx,
    caller: Caller,
    uid: str,
    status: StoreStatus,
    code: str | None,
    now: datetime,
    summary: tuple[str, str] | None = None,
) -> int:
    """Say what became of one more attempt of a failed part; return the number of attempts.

    `summary` is that of the turn, as it was read and as it is to be; one that has changed meanwhile stays.
    """
    former, later = summary or (None, None)
    row = await tx.one(
        "turns/settle_pending_commit",
        uid=uid,
        status=status.value,
        code=code,
        keeps_payload=status is not StoreStatus.COMMITTED,
        commit_status="ok",
        former_summary=former,
        summary=later,
        writable=list(caller.writable),
        now=now,
    )
    return int(row["attempts"])


async def find_exports(tx: Tx, caller: Caller, uids: Sequence[str], oldest: str) -> dict[str, StoredExport]:
    """Return the readable exports among some ids that are still kept, by id."""
    row = await tx.one("turns/find_exports", uids=list(uids), readable=list(caller.readable), oldest=oldest)
    return {item["uid"]: _exports.record(item) for item in row["items"]}


class RemainingCopies(Record):
    """What turns keep that may hold what is gone."""

    makers: tuple[str, ...]
    """The ids of the turns that made it."""
    theirs: tuple[dict[str, Any], ...]
    """The exports of those turns."""
    exports: tuple[dict[str, Any], ...]
    """Exports with such words, with their JSON (`body`)."""
    summaries: tuple[dict[str, Any], ...]
    """Turns with such words in their summary."""
    parts: tuple[dict[str, Any], ...]
    """All parts of commits that are still to be done, with their JSON (`payload`)."""


async def find_remaining_copies(
    tx: Tx, gone: ForgottenContent, spaces: Sequence[str], *, named: bool
) -> RemainingCopies:
    """Return what turns of some spaces keep that may hold what is gone, or name it if `named`."""
    row = await tx.one(
        "turns/find_remaining_copies",
        uids=list(gone.uids),
        words=[*gone.words, *(uid.lower() for uid in gone.uids if named)],
        quotes=gone.quotes,
        unfinished=list(UNFINISHED),
        writable=list(spaces),
    )
    return RemainingCopies.model_validate(dict(row))


async def forget(
    tx: Tx,
    exports: Sequence[str],
    turns: Sequence[str],
    parts: Sequence[Mapping[str, str]],
    spaces: Sequence[str],
    now: datetime,
) -> None:
    """Delete exports, take the summaries from turns, and change the payloads of parts of commits."""
    await tx.one(
        "turns/forget_in_turns",
        exports=list(exports),
        turns=list(turns),
        parts=list(parts),
        writable=list(spaces),
        now=now,
    )
