"""Queries of the outbox."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.outbox.cloud_event import source_of
from prefrontal.graph.outbox.record import (
    Backlog,
    Consumer,
    DeadLetter,
    JobLease,
    KnownConsumer,
    PublishedEvent,
    Undelivered,
    UnorderedEvent,
    UnpublishedBacklog,
)
from prefrontal.graph.outbox.rules import Progress

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.record import EventType
    from prefrontal.graph.storage.unit_of_work import Tx


def counter_id(org_id: str) -> str:
    """Return the id of an organisation's counter: made of that of the organisation, so that there is one."""
    return f"{Kind.EVENT_COUNTER.value}_{org_id.partition('_')[2]}"


async def find_waiting(tx: Tx, batch: int) -> list[UnorderedEvent]:
    """Return up to a batch of the oldest events without a place, and earlier versions of their aggregates."""
    row = await tx.one("outbox/find_waiting", batch=batch)
    return [UnorderedEvent.model_validate(item) for item in row["items"]]


async def stamp(tx: Tx, orders: Mapping[str, Sequence[str]], now: datetime) -> dict[str, int]:
    """Give events the next places of their organisations; return each organisation's last place."""
    row = await tx.one(
        "outbox/stamp_events",
        orders=[
            {"org_id": org_id, "uid": counter_id(org_id), "uids": list(uids)}
            for org_id, uids in orders.items()
        ],
        now=now,
    )
    return {item["org_id"]: int(item["seq"]) for item in row["items"]}


async def measure_backlog(tx: Tx, most: int) -> Backlog:
    """Return how many events have no place yet, counted up to `most`, and the time of the oldest."""
    row = await tx.one("outbox/measure_backlog", most=most)
    return Backlog(waiting=int(row["waiting"]), since=row["since"], untold=row["untold"])


async def advance_stream_positions(tx: Tx, now: datetime) -> dict[str, int]:
    """Let readers go by the stamps of earlier transactions; return the last place of each organisation."""
    row = await tx.one("outbox/advance_stream_positions", now=now)
    return {item["org_id"]: int(item["seq"]) for item in row["items"]}


async def list_stream_positions(tx: Tx, org_ids: Iterable[str]) -> dict[str, int]:
    """Return the last place that readers may go by, of each of some organisations that have one."""
    row = await tx.one("outbox/list_stream_positions", org_ids=sorted(org_ids))
    return {item["org_id"]: int(item["seq"]) for item in row["items"]}


async def list_events(
    tx: Tx, caller: Caller, types: Sequence[EventType] | None, *, after: int, limit: int
) -> tuple[list[PublishedEvent], int]:
    """Return up to `limit` events of the caller after a place, and the last place that was looked at.

    Their data is as it is stored.
    """
    row = await tx.one(
        "outbox/list_events",
        org_id=caller.org_id,
        readable=list(caller.readable),
        scope_id=caller.session_space,
        device_id=caller.device_id or "",
        types=None if types is None else [each.value for each in types],
        after=after,
        limit=limit,
    )
    return [_event(item, caller.org_key) for item in row["items"]], int(row["told"])


async def acknowledged_seq(tx: Tx, caller: Caller, name: str) -> int:
    """Return the place up to which a consumer of the caller has acknowledged; 0 if it never has."""
    row = await tx.one("outbox/find_acknowledged_seq", org_id=caller.org_id, scope_id=caller.home, key=name)
    return int(row["place"])


async def acknowledge(
    tx: Tx, caller: Caller, name: str, seq: int, *, most: int, now: datetime
) -> tuple[int, int, Consumer | None]:
    """Move a consumer of the caller forward, unless the place or the number of consumers forbids it.

    Returns:
        The last place that readers go by, how many other consumers the caller has, and the consumer.
    """
    row = await tx.one(
        "outbox/acknowledge_events",
        org_id=caller.org_id,
        scope_id=caller.home,
        actor_id=caller.actor_id,
        key=name,
        uid=new_id(Kind.EVENT_CONSUMER, now),
        seq=seq,
        most=most,
        now=now,
    )
    return int(row["told"]), int(row["others"]), _consumer(row["consumer"], row["told"])


async def reset(tx: Tx, caller: Caller, name: str, seq: int, now: datetime) -> tuple[int, Consumer | None]:
    """Move a consumer of the caller to a place, and forget it if that is 0.

    Returns:
        The last place that readers go by, and the consumer; None if there is none, or the place is behind
        the last one.
    """
    row = await tx.one(
        "outbox/reset_consumer", org_id=caller.org_id, scope_id=caller.home, key=name, seq=seq, now=now
    )
    return int(row["told"]), _consumer(row["consumer"], row["told"])


async def list_consumers(tx: Tx, caller: Caller) -> list[Consumer]:
    """Return the consumers of the caller, by name."""
    row = await tx.one("outbox/list_consumers", org_id=caller.org_id, scope_id=caller.home)
    return [consumer for item in row["items"] if (consumer := _consumer(item, row["told"]))]


def _consumer(item: Mapping[str, Any] | None, head: int) -> Consumer | None:
    if item is None:
        return None
    return Consumer(
        uid=item["uid"],
        scope_id=item["scope_id"],
        key=item["key"],
        place=item["place"],
        moved_at=item["moved_at"],
        last=head,
    )


async def find_unpublished(
    tx: Tx, key: str, *, after: str, resting: Iterable[str], organisations: int, page: int
) -> list[Undelivered]:
    """Return the next events that a broker lacks, of organisations behind `after` that do not rest."""
    row = await tx.one(
        "outbox/find_unpublished",
        key=key,
        after=after,
        resting=sorted(resting),
        organisations=organisations,
        page=page,
    )
    return [
        Undelivered(
            org_id=item["org_id"],
            org_key=item["org_key"],
            head=item["told"],
            seq=item["place"],
            failing=item["failing_uid"],
            attempts=item["attempts"],
            events=tuple(_event(event, item["org_key"]) for event in item["events"]),
        )
        for item in row["items"]
    ]


async def move_publisher(tx: Tx, key: str, rows: Iterable[tuple[str, Progress]], now: datetime) -> None:
    """Store how far a broker has the events of some organisations, and its dead letters."""
    await tx.one(
        "outbox/move_publisher",
        key=key,
        rows=[
            {
                "org_id": org_id,
                "uid": new_id(Kind.EVENT_CONSUMER, now),
                "place": made.seq,
                "failing_uid": made.failing,
                "attempts": made.attempts,
                "dead": [
                    {"uid": uid, "seq": seq, "attempts": attempts, "reason": reason}
                    for uid, seq, attempts, reason in made.dead
                ],
            }
            for org_id, made in rows
        ],
        now=now,
    )


async def measure_unpublished(tx: Tx, key: str, most: int) -> UnpublishedBacklog:
    """Return what a broker lacks, counted up to `most` organisations and dead letters."""
    row = await tx.one("outbox/measure_unpublished", key=key, most=most)
    return UnpublishedBacklog(waiting=row["waiting"], since=row["since"], dead=row["dead"])


async def list_dead_letters(tx: Tx, *, after: str, uid: str | None, limit: int) -> list[DeadLetter]:
    """Return a page of dead letters of all organisations, oldest first, or the one with an id."""
    row = await tx.one("outbox/list_dead_letters", after=after, uid=uid, limit=limit)
    return [
        DeadLetter(
            event=_event(item, item["org_key"]),
            org_key=item["org_key"],
            consumer=item["dead_for"],
            at=item["dead_at"],
            attempts=item["dead_attempts"],
            reason=item["dead_reason"],
        )
        for item in row["items"]
    ]


async def end_dead_letter(tx: Tx, uid: str, reason: str | None, now: datetime) -> None:
    """Store that the broker has a dead letter now, or why it refused it again."""
    await tx.one("outbox/end_dead_letter", uid=uid, reason=reason, now=now)


async def list_all_consumers(tx: Tx, *, after: str, limit: int) -> tuple[list[KnownConsumer], str]:
    """Return a page of the consumers of all organisations, and the id of the last one."""
    row = await tx.one("outbox/list_all_consumers", after=after, limit=limit)
    return [
        KnownConsumer(
            org_key=item["org_key"],
            actor=item["actor"],
            key=item["key"],
            place=item["place"],
            last=item["last"],
            moved_at=item["moved_at"],
            failing=item["failing_uid"],
            attempts=item["attempts"],
        )
        for item in row["items"]
    ], row["items"][-1]["uid"] if row["items"] else ""


async def list_leases(tx: Tx, jobs: Iterable[str], now: datetime) -> list[JobLease]:
    """Return who may run some jobs now; a job that never ran has no lease."""
    row = await tx.one("outbox/list_leases", names=[f"job:{job}" for job in jobs])
    return [
        JobLease(
            job=item["name"].removeprefix("job:"),
            holder=(item["owner"] or None) if item["expires_at"] > now else None,
            fence=item["fence"],
            until=item["expires_at"],
            worked_at=item["worked_at"],
        )
        for item in row["items"]
    ]


def _event(item: Mapping[str, Any], org_key: str) -> PublishedEvent:
    export = item.get("export")
    return PublishedEvent(
        uid=item["uid"],
        seq=item["seq"],
        source=source_of(org_key),
        type=item["type"],
        subject=item["aggregate"],
        subject_version=item["aggregate_version"],
        scope_id=item["scope_id"],
        at=datetime.fromisoformat(item["at"]),
        by_uid=item["by_uid"],
        turn=item["turn_key"],
        data=json.loads(item["data"]) | ({} if export is None else {"export": json.loads(export)}),
    )
