"""Versions hold what changed; folded in order they are the record."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.history.versions import changed_fields, changes_json
from prefrontal.graph.record import Record


class Thing(Record):
    title: str
    score: float | None
    tags: tuple[str, ...]
    extra: dict[str, Any] | None
    version: int
    updated_at: int


things = st.builds(
    Thing,
    title=st.text(max_size=5),
    score=st.none() | st.floats(0, 1),
    tags=st.lists(st.text(max_size=3), max_size=3).map(tuple),
    extra=st.none() | st.dictionaries(st.text(max_size=3), st.integers(0, 3) | st.none(), max_size=2),
    version=st.integers(),
    updated_at=st.integers(),
)


@given(st.lists(things, min_size=1, max_size=8))
def test_the_versions_folded_in_order_are_the_record(history: list[Thing]) -> None:
    folded: dict[str, Any] = {}
    before = None
    for thing in history:
        folded |= json.loads(changes_json(before, thing))
        before = thing

    assert folded == history[-1].model_dump(mode="json", exclude={"version", "updated_at"})


@given(things, things)
def test_only_what_differs_is_kept(before: Thing, after: Thing) -> None:
    changed = changed_fields(before, after)

    assert set(changed) == {
        name for name in ("title", "score", "tags", "extra") if getattr(before, name) != getattr(after, name)
    }
    assert changed_fields(after, after) == {}


@given(things, st.integers(), st.integers())
def test_bookkeeping_alone_is_no_change(thing: Thing, version: int, at: int) -> None:
    assert changed_fields(thing, thing.model_copy(update={"version": version, "updated_at": at})) == {}
