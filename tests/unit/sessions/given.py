"""Items of sessions, and strategies that make them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.sessions.slot import Slot

CATALOG = load_catalog(ROOT / "registry")
NOW = datetime(2026, 9, 16, 14, 30, tzinfo=UTC)


def slot(uid: str = "a", *, idle: float = 0, held: float | None = None, **fields: Any) -> Slot:
    """An item last read `idle` hours ago and admitted `held` hours ago."""
    return Slot(
        item_uid=uid,
        salience=fields.pop("salience", 0.5),
        confidence=fields.pop("confidence", 0.5),
        admitted_at=NOW - timedelta(hours=idle if held is None else held),
        last_access=NOW - timedelta(hours=idle),
        entities=frozenset(fields.pop("entities", ())),
        themes=tuple(fields.pop("themes", ())),
        **fields,
    )


shares = st.floats(0, 1)
names = st.lists(st.sampled_from(["wine", "red wine", "cellar", "boat", "tax"]), max_size=3)


_times = st.sampled_from([0.0, 0.1, 1.0, 30.0])
_items = st.builds(
    lambda idle, longer, **fields: slot(idle=idle, held=idle + longer, **fields),
    idle=_times,
    longer=_times,
    salience=st.sampled_from([0.2, 0.5, 0.8]),
    confidence=st.sampled_from([0.0, 0.5, 1.0]),
    access_count=st.sampled_from([0, 1, 40]),
    importance=st.sampled_from([None, 0.0, 0.7]),
    entities=names,
    themes=names,
    pinned=st.booleans(),
)


def sessions(least: int = 0, *, pinned: bool = True) -> st.SearchStrategy[list[Slot]]:
    """The items of a session, each with an id of its own; none of them pinned if `pinned` is false."""

    def held(items: list[Slot]) -> list[Slot]:
        return [
            one._replace(item_uid=f"item{number}", pinned=pinned and one.pinned)
            for number, one in enumerate(items)
        ]

    return st.lists(_items, min_size=least, max_size=8).map(held)
