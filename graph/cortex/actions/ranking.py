"""Pages by utility: the best actions are ranked by their goals, too (source 003, §Prioritization; G-050).

    the best   the first ones in the stored order (density, due time, blocking, id), as many as `ranked` of
               `registry/actions.yaml`: of those equal but for the id, the one of the more relevant goal first
    the rest   in the stored order

The first page fixes where the best end: its cursors carry that place, so that every page ranks the same ones,
whatever comes and goes meanwhile, and the pages together give each action once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.record import ActionFilter, ActionOrder, ActionPage, PendingAction
from prefrontal.graph.cortex.actions.utility import LAST, place, sort_key
from prefrontal.graph.storage.paging import decode_cursor, encode_cursor

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.cortex.relevance import Weights
    from prefrontal.graph.storage.unit_of_work import Tx

_ROOM = 2
"""How many times as many a later page looks at, since some may have come in before the place of the end."""


@dataclass(frozen=True, slots=True)
class Position:
    """An item of a list by utility: its key, its alignment, and where the best end; no end behind them."""

    key: str
    alignment: float
    end: str

    @property
    def cursor(self) -> str:
        """The position as a cursor."""
        return encode_cursor(ActionOrder.UTILITY.value, self.key, self.alignment, self.end)


def position(cursor: str) -> Position:
    """Return the position that a cursor says; raise `InvalidInput` when it is none of this order."""
    _, key, alignment, end = decode_cursor(cursor, str, str, float, str)
    return Position(str(key), float(alignment), str(end))


async def ranked_page(
    tx: Tx,
    caller: Caller,
    wanted: ActionFilter,
    after: Position | None,
    *,
    size: int,
    best: int,
    weights: Weights,
) -> ActionPage:
    """Return the page of the list by utility that comes after a position; the first one without."""
    items: list[tuple[PendingAction, Position]] = []
    key, more = after.key if after else "", True
    if after is None or after.end:
        look = best if after is None else best * _ROOM
        found = await store.ranked(
            tx,
            caller,
            wanted,
            weights,
            until=after.end if after else LAST,
            best=look,
            after=(place(after.key), after.alignment, after.key[len(place(after.key)) :])
            if after
            else ("", math.inf, ""),
            limit=size + 1,
        )
        end = after.end if after else found.last
        items = [(a, Position(sort_key(a), alignment, end)) for a, alignment in found.items]
        # Behind the end of the best the stored order goes on.
        key, more = found.last if found.full else end, found.full or after is not None
    if more and len(items) <= size:
        rest = await store.list_page(
            tx, caller, wanted, ActionOrder.UTILITY, after=key, limit=size + 1 - len(items)
        )
        items += [(a, Position(sort_key(a), 0.0, "")) for a in rest]
    shown = items[:size]
    return ActionPage(
        items=tuple(action for action, _ in shown),
        cursors=tuple(where.cursor for _, where in shown),
        has_next=len(items) > size,
    )
