"""Queries for outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.lessons.outcome_record import Outcome
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_outcomes = RecordMapper(Outcome)


def _record(row: Row, _: datetime) -> Outcome:
    return _outcomes.record(row)


of_turns = RelatedList(
    "outcomes/list_outcomes_of_turns", "outcomes/count_outcomes_of_turns", _record, str, shared=False
)


of_lessons = RelatedList(
    "outcomes/list_outcomes_of_lessons", "outcomes/count_outcomes_of_lessons", _record, str, shared=False
)


async def find_known(tx: Tx, caller: Caller, scope_id: str, key: str) -> tuple[str, str] | None:
    """Return the id and the digest of the outcome of a space with a client key, or None."""
    row = await tx.optional(
        "outcomes/find_known", scope_id=scope_id, client_key=key, writable=list(caller.writable)
    )
    return (row["uid"], row["client_hash"]) if row else None


async def record(tx: Tx, caller: Caller, outcome: Outcome, digest: str | None) -> None:
    """Store an outcome of its turn."""
    said = "Succeeded" if outcome.success else "Failed"
    await tx.one(
        "outcomes/record_outcome",
        turn_uid=outcome.turn_uid,
        properties={
            **_outcomes.properties(outcome),
            "org_id": caller.org_id,
            "name": short_name(f"{said}: {outcome.result}" if outcome.result else said),
            "client_hash": digest,
        },
        writable=list(caller.writable),
    )


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Outcome]:
    """Return the readable outcomes among some ids, by id."""
    row = await tx.one("outcomes/find_outcomes", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: _outcomes.record(item) for item in row["items"]}


async def list_page(
    tx: Tx, caller: Caller, successes: Sequence[bool], turn_uid: str | None, *, before: str, limit: int
) -> list[Outcome]:
    """Return up to `limit` readable outcomes before the id `before`, newest first."""
    given = {
        "readable": list(caller.readable),
        "successes": list(successes),
        "before_uid": before,
        "limit": limit,
    }
    if turn_uid is None:
        row = await tx.one("outcomes/list_outcomes", **given)
    else:
        row = await tx.one("outcomes/list_outcomes_by_turn", turn_uid=turn_uid, **given)
    return [_outcomes.record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, successes: Sequence[bool], turn_uid: str | None) -> int:
    """Return the number of readable outcomes."""
    row = await tx.one(
        "outcomes/count_outcomes",
        readable=list(caller.readable),
        successes=list(successes),
        turn_uid=turn_uid,
    )
    return int(row["total"])
