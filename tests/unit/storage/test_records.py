"""Rows as records and records as properties: what was stored comes back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.record import Record
from prefrontal.graph.storage.records import RecordMapper


class Colour(StrEnum):
    RED = "red"
    WHITE = "white"


class Shelf(Record):
    row: int
    colour: Colour
    note: str | None = None


class Wine(Record):
    uid: str
    colour: Colour
    others: tuple[Colour, ...]
    tags: tuple[str, ...]
    shelf: Shelf | None
    history: tuple[Shelf, ...]
    facts: dict[str, Any]
    extra: dict[str, Any] | None
    made_at: datetime
    drunk_at: datetime | None
    linked: tuple[str, ...] = ()


MAPPER = RecordMapper(Wine, flat=["shelf"], unstored=["linked"])
TIME = datetime(2026, 11, 23, 12, 30, 15, 123456, tzinfo=UTC)
WINE = Wine(
    uid="w",
    colour=Colour.RED,
    others=(Colour.WHITE,),
    tags=("dry",),
    shelf=Shelf(row=3, colour=Colour.WHITE),
    history=(Shelf(row=1, colour=Colour.RED, note="ü"),),
    facts={"a": [1, None]},
    extra=None,
    made_at=TIME,
    drunk_at=None,
    linked=("x",),
)


def test_a_record_is_stored_as_plain_properties() -> None:
    assert MAPPER.properties(WINE) == {
        "uid": "w",
        "colour": "red",
        "others": ["white"],
        "tags": ["dry"],
        "shelf_row": 3,
        "shelf_colour": "white",
        "shelf_note": None,
        "history": '[{"row": 1, "colour": "red", "note": "ü"}]',
        "facts": '{"a": [1, null]}',
        "extra": None,
        "made_at": TIME,
        "drunk_at": None,
    }


def test_a_row_becomes_the_record_that_was_stored_whether_times_are_text_or_not() -> None:
    row = MAPPER.properties(WINE) | {"linked": ["x"], "further": 1}
    again = MAPPER.record(dict(row))
    texts = MAPPER.record(row | {"made_at": "2026-11-23T12:30:15.123456Z"})
    assert again == texts == WINE
    assert [type(value) for value in again.__dict__.values()] == [
        type(value) for value in WINE.__dict__.values()
    ]
    assert list(again.__dict__) == list(Wine.model_fields)
    assert again.model_dump() == WINE.model_dump()
    assert Wine.model_validate(again.model_dump()) == WINE


def test_a_row_without_a_nested_record_and_without_a_default_field() -> None:
    bare = WINE.model_copy(update={"shelf": None, "linked": (), "facts": {}, "history": ()})
    row = MAPPER.properties(bare)
    assert (row["shelf_row"], row["facts"], row["history"]) == (None, None, None)
    assert MAPPER.record(row) == bare


shelves = st.builds(
    Shelf, row=st.integers(-5, 5), colour=st.sampled_from(Colour), note=st.none() | st.text(max_size=5)
)
wines = st.builds(
    Wine,
    uid=st.text(max_size=5),
    colour=st.sampled_from(Colour),
    others=st.lists(st.sampled_from(Colour), max_size=3).map(tuple),
    tags=st.lists(st.text(max_size=3), max_size=3).map(tuple),
    shelf=st.none() | shelves,
    history=st.lists(shelves, max_size=2).map(tuple),
    facts=st.dictionaries(st.text(max_size=3), st.integers() | st.none(), max_size=2),
    extra=st.none() | st.dictionaries(st.text(max_size=3), st.booleans(), min_size=1, max_size=2),
    made_at=st.datetimes(timezones=st.just(UTC)),
    drunk_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)


@given(wine=wines)
def test_every_record_comes_back(wine: Wine) -> None:
    row = MAPPER.properties(wine)
    json.dumps({name: value for name, value in row.items() if not isinstance(value, datetime)})
    assert MAPPER.record(row) == wine
