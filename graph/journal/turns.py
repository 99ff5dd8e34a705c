"""The turn that a write belongs to: found by its name or its id, or begun.

A name stands for the turn that began with it for `NAME_LASTS`. Then it is free: the next write with the name
begins another turn, and the earlier turn is known by its id. A turn in another session takes the name before
that (`taking`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.record import NAME_LASTS, TurnRef
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""Before every turn began."""


def turn_row(
    key: str, *, actor_id: str, home: str, now: datetime, taking: bool = False, keeping: bool = False
) -> dict[str, Any]:
    """Return what the part `turn_by_name` of a statement needs to find a turn, or to begin it.

    `taking` says that the name passes to a new turn, whatever turn it stands for; `keeping`, that it stays
    with the turn that has it, however old that is.
    """
    lasts = timedelta(0) if taking else NAME_LASTS
    return {
        "key": key,
        "uid": new_id(Kind.TURN, now),
        "scope_id": home,
        "name": short_name(key),
        "by_uid": actor_id,
        "now": now,
        "free_before": _LONG_AGO if keeping else now - lasts,
    }


async def enter_turn(
    tx: Tx,
    caller: Caller,
    name: str,
    now: datetime,
    *,
    ends: bool = False,
    taking: bool = False,
    waiting_in: Sequence[str] = (),
    most: int = 0,
) -> TurnRef:
    """Begin the caller's turn with a name, or find it.

    `ends` ends it, if it has not ended before; `taking` begins another turn,
    whatever turn the name stands for. Up to `most` observations of each of the spaces in `waiting_in` are
    named that wait for an evaluation.
    """
    row = await tx.one(
        "journal/enter_turn",
        org_id=caller.org_id,
        turn=turn_row(name, actor_id=caller.actor_id, home=caller.home, now=now, taking=taking),
        ends=ends,
        now=now,
        waiting_in=list(waiting_in),
        most=most,
    )
    return TurnRef(**row["turn"], ended_at=row["ended_at"], awaiting=tuple(row["awaiting"]))


async def turn_began(tx: Tx, caller: Caller, turn_id: str, now: datetime) -> datetime | None:
    """Return the time at which a turn in the caller's home space began, or None if it does not exist yet."""
    row = await tx.optional("turns/find_turn", readable=list(caller.readable), key=turn_id, home=caller.home)
    turn = row["turn"] if row else None
    if turn is None or turn["scope_id"] != caller.home:
        return None
    # The name is free again: the write will begin a new turn.
    passed = turn["uid"] != turn_id and turn["created_at"] <= now - NAME_LASTS
    return None if passed else turn["created_at"]
