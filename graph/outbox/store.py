"""Queries of the outbox."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.ids import Kind
from prefrontal.graph.outbox.cloud_event import source_of
from prefrontal.graph.outbox.record import Backlog, PublishedEvent, Waiting

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.record import EventType
    from prefrontal.graph.storage.unit_of_work import Tx


def counter_id(org_id: str) -> str:
    """Return the id of an organisation's counter: made of that of the organisation, so that there is one."""
    return f"{Kind.EVENT_COUNTER.value}_{org_id.partition('_')[2]}"


async def find_waiting(tx: Tx, batch: int) -> list[Waiting]:
    """Return up to a batch of the oldest events without a place, and earlier versions of their aggregates."""
    row = await tx.one("outbox/find_waiting", batch=batch)
    return [Waiting.model_validate(item) for item in row["items"]]


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


async def tell(tx: Tx, now: datetime) -> dict[str, int]:
    """Let readers go by the stamps of earlier transactions; return the last place of each organisation."""
    row = await tx.one("outbox/tell_stamped", now=now)
    return {item["org_id"]: int(item["seq"]) for item in row["items"]}


async def list_heads(tx: Tx, org_ids: Iterable[str]) -> dict[str, int]:
    """Return the last place that readers may go by, of each of some organisations that have one."""
    row = await tx.one("outbox/list_heads", org_ids=sorted(org_ids))
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
    return [
        PublishedEvent(
            uid=item["uid"],
            seq=item["seq"],
            source=source_of(caller.org_key),
            type=item["type"],
            subject=item["aggregate"],
            subject_version=item["aggregate_version"],
            scope_id=item["scope_id"],
            at=datetime.fromisoformat(item["at"]),
            by_uid=item["by_uid"],
            turn=item["turn_key"],
            data=json.loads(item["data"]),
        )
        for item in row["items"]
    ], int(row["told"])
