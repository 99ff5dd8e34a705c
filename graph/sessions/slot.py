"""The items that a session holds, and their rank (source 002, §1.4; decisions G-061 and G-084).

rank    1 for the highest salience, then for the highest contextual importance, then for the latest access,
        then for the smaller id; an item without a contextual importance comes after those that have one
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple


class Slot(NamedTuple):
    """An item that a session holds."""

    item_uid: str
    salience: float
    confidence: float
    admitted_at: datetime
    last_access: datetime
    access_count: int = 0
    importance: float | None = None
    """Its contextual importance: no term of a score, it only decides between equal saliences."""
    entities: frozenset[str] = frozenset()
    """Folded names."""
    themes: tuple[str, ...] = ()
    at: datetime | None = None
    """When what it says happened; without it the time of its admission counts."""
    pinned: bool = False

    @property
    def time(self) -> datetime:
        """When what it says happened, or else when it was admitted."""
        return self.at or self.admitted_at


def ranks(slots: Iterable[Slot]) -> dict[str, int]:
    """Return the rank of each item by its id; 1 is the highest, and no two items have the same."""
    ordered = sorted(slots, key=lambda slot: slot.item_uid)
    ordered.sort(key=_rank_key, reverse=True)
    return {slot.item_uid: place for place, slot in enumerate(ordered, 1)}


def _rank_key(slot: Slot) -> tuple[float, float, datetime]:
    return slot.salience, -1.0 if slot.importance is None else slot.importance, slot.last_access
