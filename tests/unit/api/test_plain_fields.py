"""Plain fields answer as the executor does, also what is wrong."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import pytest
import strawberry
from hypothesis import given
from hypothesis import strategies as st
from strawberry.extensions import SchemaExtension
from strawberry.scalars import JSON

from prefrontal.api.graphql import plain_fields
from prefrontal.api.graphql.plain_fields import PlainFieldsContext
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.record import Record


@strawberry.enum
class Colour(Enum):
    RED = "red"
    GREEN = "green"


@strawberry.interface
class Named:
    name: str


class Grape(Record):
    name: str
    share: float
    colour: Colour
    seen: tuple[str, ...] = ()


@graphql_type_of(Grape, "A grape.", name="Grape")
class GrapeType(RecordType):
    name: str
    share: float
    colour: Colour
    seen: list[str]

    @strawberry.field
    async def twice(self) -> float:
        return 2 * self.record.share


@strawberry.type
class Wine(Named):
    id: strawberry.ID
    rating: float
    year: int
    note: str | None
    colour: Colour
    tags: list[str]
    colours: list[Colour] | None
    made_at: datetime
    extra: JSON | None
    partner: Wine | None = None
    grapes: list[GrapeType] = strawberry.field(default_factory=list)
    main: GrapeType | None = None

    @strawberry.field
    def shout(self, times: int = 1) -> str:
        return self.name.upper() * times


def wine(**changes: Any) -> Wine:
    values: dict[str, Any] = {
        "id": "w1",
        "name": "Chablis",
        "rating": 0.9,
        "year": 2019,
        "note": None,
        "colour": Colour.GREEN,
        "tags": ["white", "dry"],
        "colours": (Colour.RED, Colour.GREEN),
        "made_at": datetime(2026, 11, 23, tzinfo=UTC),
        "extra": {"a": [1, None]},
    }
    return Wine(**values | changes)


ALL = """{ wine { id name rating year note colour tags colours madeAt extra shout(times: 2) again: name
  partner { name partner { name } } __typename } }"""


def executed(root: Wine, query: str = ALL, *, plain: bool, extensions: tuple[type, ...] = ()) -> Any:
    @strawberry.type
    class Query:
        @strawberry.field
        def wine(self) -> Wine | None:
            return root

        @strawberry.field
        def named(self) -> list[Named]:
            return [root]

    context = PlainFieldsContext if plain else None
    schema = strawberry.Schema(Query, execution_context_class=context, extensions=extensions)
    result = asyncio.run(schema.execute(query))
    # The order of an answer's fields is that of the request.
    return json.dumps(result.data), [
        (error.message, error.path, error.locations) for error in result.errors or ()
    ]


def test_an_answer_is_the_same_and_only_what_is_not_plain_reaches_the_executor(monkeypatch) -> None:
    left: list[str] = []
    usual = plain_fields.StrawberryGraphQLCoreExecutionContext.execute_field

    def noting(self: Any, parent_type: Any, source: Any, details: Any, *more: Any) -> Any:
        left.append(details[0].node.name.value)
        return usual(self, parent_type, source, details, *more)

    monkeypatch.setattr(plain_fields.StrawberryGraphQLCoreExecutionContext, "execute_field", noting)
    root = wine(partner=wine(name="Comté"))

    answer = executed(root, plain=True)

    assert left == ["wine", "shout"]
    assert answer == executed(root, plain=False)
    data, errors = json.loads(answer[0]), answer[1]
    assert errors == []
    assert data["wine"]["colours"] == ["RED", "GREEN"]
    assert data["wine"]["partner"] == {"name": "Comté", "partner": None}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", None),
        ("year", "not a number"),
        ("year", 2**40),
        ("rating", float("nan")),
        ("tags", None),
        ("tags", ["a", None]),
        ("tags", "no list"),
        ("colour", "purple"),
        ("colours", ["purple"]),
        ("made_at", "yesterday"),
    ],
)
def test_what_is_wrong_is_reported_as_ever(field: str, value: Any) -> None:
    root = wine(**{field: value})
    data, errors = executed(root, plain=True)

    assert (data, errors) == executed(root, plain=False)
    assert errors or json.loads(data)["wine"] is not None


class Shouting(SchemaExtension):
    def resolve(self, _next: Any, root: Any, info: Any, *args: Any, **kwargs: Any) -> Any:
        value = _next(root, info, *args, **kwargs)
        return value.upper() if isinstance(value, str) else value


def test_an_extension_that_wraps_resolvers_sees_every_field() -> None:
    data, _ = executed(wine(), "{ wine { name } }", plain=True, extensions=(Shouting,))
    assert json.loads(data) == {"wine": {"name": "CHABLIS"}}


def grape(**changes: Any) -> GrapeType:
    values = {"name": "Pinot", "share": 0.5, "colour": Colour.RED, "seen": ("hill",)}
    return GrapeType.from_record(Grape.model_construct(**values | changes))


_LEAVES = ("id", "name", "rating", "year", "note", "colour", "tags", "colours", "extra", "__typename")
_OF_GRAPES = ("name", "share", "colour", "seen", "twice", "__typename")


@st.composite
def _selections(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """Return the fields of a selection: twice, under aliases, in fragments, or left out."""
    parts = []
    for number in range(draw(st.integers(1, 5))):
        deeper = ("partner", "grapes", "main", "shout") if depth and names is _LEAVES else ()
        name = draw(st.sampled_from(names + deeper))
        text = name
        if name in ("grapes", "main"):
            text += " { " + draw(_selections(_OF_GRAPES, 0)) + " }"
        elif name == "partner":
            text += " { " + draw(_selections(_LEAVES, depth - 1)) + " }"
        frame = draw(st.sampled_from(("{}", "{}", "x{n}: {}", "... {{ {} }}", "... on {on} {{ {} }}", "{@}")))
        if frame == "{@}":
            condition = draw(st.sampled_from(("skip(if: true)", "skip(if: false)", "include(if: false)")))
            text = "... @" + condition + " { " + text + " }"
            frame = "{}"
        on = "Wine" if names is _LEAVES else "Grape"
        parts.append(frame.format(text, n=number, on=on))
    return " ".join(parts)


_GRAPES = st.sampled_from(
    [
        {},
        {"share": None},
        {"share": float("inf")},
        {"colour": "purple"},
        {"seen": (None,)},
        {"seen": ["a", "b"]},
        {"name": 7},
    ]
)
_WINES = st.sampled_from(
    [{}, {"note": "n"}, {"colour": None}, {"tags": "no list"}, {"rating": "0.5"}, {"main": "no grape"}]
)


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Delete what a test left in cycles before the next test, which would get its warnings."""
    yield
    gc.collect()


# Where a field fails beside one that is awaited, graphql-core forgets to await it.
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@given(_selections(_LEAVES, 2), _WINES, _WINES, st.lists(_GRAPES, max_size=3))
def test_generated_requests_are_answered_as_ever(
    selection: str, outer: dict[str, Any], inner: dict[str, Any], grapes: list[dict[str, Any]]
) -> None:
    made = [grape(**each) for each in grapes]
    root = wine(**{"grapes": made, "main": made[0] if made else None} | outer)
    root.partner = wine(**{"grapes": [*made, None]} | inner)
    query = f"{{ wine {{ {selection} }} named {{ name ... on Wine {{ {selection} }} }} }}"

    assert executed(root, query, plain=True) == executed(root, query, plain=False)


def test_an_object_of_another_class_is_left_to_the_executor() -> None:
    class OtherGrape(GrapeType):
        name = "changed"

    other = OtherGrape.from_record(Grape(name="Pinot", share=0.5, colour=Colour.RED))
    own = grape()
    own.__dict__["name"] = "its own"
    root = wine(grapes=[other, own], main=strawberry.cast(GrapeType, grape()))
    query = "{ wine { grapes { name share } main { name } } }"

    answer = executed(root, query, plain=True)

    assert answer == executed(root, query, plain=False)
    assert [each["name"] for each in json.loads(answer[0])["wine"]["grapes"]] == ["changed", "its own"]


def test_fields_keep_their_order_between_those_that_are_awaited() -> None:
    root = wine(main=grape())
    answer = executed(root, "{ wine { main { share twice name } shout name } }", plain=True)
    main = '{"share": 0.5, "twice": 1.0, "name": "Pinot"}'
    assert answer == (f'{{"wine": {{"main": {main}, "shout": "CHABLIS", "name": "Chablis"}}}}', [])
