"""Queries of the outbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.outbox.record import Backlog, Waiting

if TYPE_CHECKING:
    from prefrontal.graph.storage.unit_of_work import Tx


async def find_waiting(tx: Tx, batch: int) -> list[Waiting]:
    """Return up to a batch of the oldest events without a place, and earlier versions of their aggregates."""
    row = await tx.one("outbox/find_waiting", batch=batch)
    return [Waiting.model_validate(item) for item in row["items"]]


async def stamp(tx: Tx, orders: Mapping[str, Sequence[str]], now: datetime) -> dict[str, int]:
    """Give events the next places of their organisations; return each organisation's last place."""
    row = await tx.one(
        "outbox/stamp_events",
        orders=[
            {"org_id": org_id, "uid": new_id(Kind.EVENT_COUNTER, now), "uids": list(uids)}
            for org_id, uids in orders.items()
        ],
        now=now,
    )
    return {item["org_id"]: int(item["seq"]) for item in row["items"]}


async def measure_backlog(tx: Tx, most: int) -> Backlog:
    """Return how many events have no place yet, counted up to `most`, and the time of the oldest."""
    row = await tx.one("outbox/measure_backlog", most=most)
    return Backlog(waiting=int(row["waiting"]), since=row["since"])
