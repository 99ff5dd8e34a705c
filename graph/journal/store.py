"""Queries that write the journal: one statement writes all rows of a change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id, new_ids
from prefrontal.graph.journal.record import Change, Event, PriorResult, TraceEntry, turn_mark
from prefrontal.graph.journal.turns import turn_row
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


async def claim(tx: Tx, caller: Caller, key: str, body_hash: str, now: datetime, days: int) -> Row:
    """Claim an idempotency key for `days` days.

    Returns:
        A row with `mine`, which is true if this request is the first with the key, and the `body_hash` and
        `result` stored under the key.
    """
    return await tx.one(
        "journal/claim_request",
        org_id=caller.org_id,
        actor_id=caller.actor_id,
        key=key,
        uid=new_id(Kind.REQUEST, now),
        body_hash=body_hash,
        scope_id=caller.home,
        now=now,
        expires_at=now + timedelta(days=days),
    )


async def find_claim(tx: Tx, caller: Caller, key: str, now: datetime) -> Row | None:
    """Return the `body_hash` and the `result` stored under an idempotency key of the caller, or None."""
    return await tx.optional(
        "journal/find_request", org_id=caller.org_id, actor_id=caller.actor_id, key=key, now=now
    )


async def claim_many(
    tx: Tx, caller: Caller, hashes: Mapping[str, str], now: datetime, days: int
) -> dict[str, PriorResult]:
    """Claim several idempotency keys, each with the hash of its body.

    Returns:
        By key, the stored body hash and result of every key that was claimed before.
    """
    row = await tx.one(
        "journal/claim_requests",
        org_id=caller.org_id,
        actor_id=caller.actor_id,
        rows=[
            {"key": key, "uid": new_id(Kind.REQUEST, now), "body_hash": hashes[key]} for key in sorted(hashes)
        ],
        scope_id=caller.home,
        now=now,
        expires_at=now + timedelta(days=days),
    )
    return {
        item["key"]: PriorResult(body_hash=item["body_hash"], result=json.loads(item["result"]))
        for item in row["items"]
        if not item["mine"]
    }


async def append(
    tx: Tx, caller: Caller, change: Change, now: datetime, *, request_key: str | None = None
) -> None:
    """Write a caller's change to the journal: its turns, trace entries, events and request results."""
    await append_rows(
        tx,
        org_id=caller.org_id,
        actor_id=caller.actor_id,
        home=caller.home,
        change=change,
        now=now,
        request_key=request_key,
    )


async def append_rows(
    tx: Tx,
    *,
    org_id: str,
    actor_id: str,
    home: str,
    change: Change,
    now: datetime,
    request_key: str | None = None,
    keeping_names: bool = False,
) -> None:
    """Write a change to the journal for an actor of an organisation.

    Turns are created in the space `home`. With `keeping_names` each name stands for the turn that has it now,
    however old that is.
    """
    turns = {turn for turn in change.turns if turn}
    turns |= {entry.turn for entry in change.traces if entry.turn}
    turns |= {event.turn for event in change.events if event.turn}
    trace_ids = new_ids(Kind.TRACE_EVENT, now, len(change.traces))
    event_ids = new_ids(Kind.OUTBOX_EVENT, now, len(change.events))
    requests: list[dict[str, Any]] = []
    if request_key is not None:
        requests.append({"key": request_key, "result": json.dumps(change.result), "body_hash": None})
    requests += [
        {"key": key, "result": json.dumps(prior.result), "body_hash": prior.body_hash}
        for key, prior in change.requests.items()
    ]
    await tx.execute(
        "journal/append_entries",
        org_id=org_id,
        actor_id=actor_id,
        home=home,
        now=now,
        turns=[
            turn_row(key, actor_id=actor_id, home=home, now=now, keeping=keeping_names)
            for key in sorted(turns)
        ],
        traces=[
            {
                "uid": uid,
                "scope_id": entry.scope_id or home,
                "name": short_name(entry.message),
                "kind": entry.kind.value,
                "message": entry.message,
                "ids": list(entry.ids),
                "details": json.dumps(entry.details),
                "turn_key": entry.turn,
            }
            for uid, entry in zip(trace_ids, change.traces, strict=True)
        ],
        events=[
            {
                "uid": uid,
                "scope_id": event.scope_id,
                "type": event.type.value,
                "aggregate": event.aggregate,
                "aggregate_version": event.aggregate_version,
                "data": json.dumps(event.data),
                "turn_key": event.turn,
            }
            for uid, event in zip(event_ids, change.events, strict=True)
        ],
        made=_written_records(change.events),
        versions=[
            {"turn_key": turn, "mark": turn_mark(turn), "uid": uid, "number": number}
            for turn, uid, number in dict.fromkeys(
                (event.turn, event.aggregate, event.aggregate_version) for event in change.events
            )
            if turn
        ],
        requests=requests,
    )


def _written_records(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return a row for each record that a turn wrote, with the type of the first event of the record."""
    first: dict[tuple[str, str], Event] = {}
    for event in events:
        if event.turn:
            first.setdefault((event.turn, event.aggregate), event)
    return [
        {"turn_key": turn, "uid": uid, "operation": event.type.value}
        for (turn, uid), event in sorted(first.items(), key=lambda item: item[0])
    ]


def trace_entry(row: Row) -> TraceEntry:
    """Return the record of a stored trace entry's row."""
    return TraceEntry(
        uid=row["uid"],
        created_at=row["created_at"],
        turn=row["turn_key"],
        kind=row["kind"],
        message=row["message"],
        ids=tuple(row["ids"]),
        details=json.loads(row["details"]),
    )
