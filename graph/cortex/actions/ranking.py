"""Pages of actions by utility: the best are also ranked by their goals (source 003, §Prioritization; G-050).

    the best   the first actions in the stored order (density, due time, blocking, id), as many as `ranked` in
               `actions.yaml`; of actions equal but for the id, the more relevant goal comes first
    the rest   the stored order

The first page fixes where the best actions end, and its cursors carry that position. So every page ranks the
same actions, even if actions are added or closed meanwhile, and the pages together return each action once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.record import ActionFilter, ActionOrder, PendingAction
from prefrontal.graph.cortex.actions.utility import LAST, rank_key, sort_key
from prefrontal.graph.cortex.relevance import weights_of
from prefrontal.graph.storage.paging import Page, decode_cursor, encode_cursor

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import GoalsTable
    from prefrontal.graph.storage.unit_of_work import Tx

_ROOM = 2
"""Factor on `ranked` for later pages: actions may have been added before the fixed end of the best."""


@dataclass(frozen=True, slots=True)
class Position:
    """The position of an item in the list by utility: its key, its alignment, and where the best actions end.

    `end` is empty for an item behind the best actions.
    """

    key: str
    alignment: float
    end: str

    @property
    def cursor(self) -> str:
        """The position, encoded as a cursor."""
        return encode_cursor(ActionOrder.UTILITY.value, self.key, self.alignment, self.end)


def position(cursor: str) -> Position:
    """Return the position that a cursor encodes.

    Raises:
        InvalidInput: If the cursor does not belong to the order by utility.
    """
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
    table: GoalsTable,
    now: datetime,
) -> Page[PendingAction]:
    """Return the page of the list by utility after a position; the first page if `after` is None."""
    items: list[tuple[PendingAction, Position]] = []
    key, more = after.key if after else "", True
    if after is None or after.end:
        look = best if after is None else best * _ROOM
        found = await store.ranked(
            tx,
            caller,
            wanted,
            table,
            weights_of(table),
            now=now,
            until=after.end if after else LAST,
            best=look,
            after=(rank_key(after.key), after.alignment, after.key[len(rank_key(after.key)) :])
            if after
            else ("", math.inf, ""),
            limit=size + 1,
        )
        end = after.end if after else found.last
        items = [(a, Position(sort_key(a), alignment, end)) for a, alignment in found.items]
        # Behind the best actions the list continues in the stored order.
        key, more = found.last if found.full else end, found.full or after is not None
    if more and len(items) <= size:
        rest = await store.list_page(
            tx, caller, wanted, ActionOrder.UTILITY, table, now=now, after=key, limit=size + 1 - len(items)
        )
        items += [(a, Position(sort_key(a), 0.0, "")) for a in rest]
    shown = items[:size]
    return Page(
        items=tuple(action for action, _ in shown),
        cursors=tuple(where.cursor for _, where in shown),
        has_next=len(items) > size,
    )
