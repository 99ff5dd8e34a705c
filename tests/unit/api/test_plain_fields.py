"""Plain fields answer as the executor does, also what is wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from typing import Any

import pytest
import strawberry
from strawberry.extensions import SchemaExtension
from strawberry.scalars import JSON

from prefrontal.api.graphql import plain_fields
from prefrontal.api.graphql.plain_fields import PlainFieldsContext


@strawberry.enum
class Colour(Enum):
    RED = "red"
    GREEN = "green"


@strawberry.type
class Wine:
    id: strawberry.ID
    name: str
    rating: float
    year: int
    note: str | None
    colour: Colour
    tags: list[str]
    colours: list[Colour] | None
    made_at: datetime
    extra: JSON | None
    partner: Wine | None = None

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


def asked(root: Wine, query: str = ALL, *, plain: bool, extensions: tuple[type, ...] = ()) -> Any:
    @strawberry.type
    class Query:
        @strawberry.field
        def wine(self) -> Wine | None:
            return root

    context = PlainFieldsContext if plain else None
    schema = strawberry.Schema(Query, execution_context_class=context, extensions=extensions)
    result = schema.execute_sync(query)
    return result.data, [(error.message, error.path, error.locations) for error in result.errors or ()]


def test_an_answer_is_the_same_and_only_what_is_not_plain_reaches_the_executor(monkeypatch) -> None:
    left: list[str] = []
    usual = plain_fields.StrawberryGraphQLCoreExecutionContext.execute_field

    def noting(self: Any, parent_type: Any, source: Any, details: Any, *more: Any) -> Any:
        left.append(details[0].node.name.value)
        return usual(self, parent_type, source, details, *more)

    monkeypatch.setattr(plain_fields.StrawberryGraphQLCoreExecutionContext, "execute_field", noting)
    root = wine(partner=wine(name="Comté"))

    answer = asked(root, plain=True)

    assert left == ["wine", "shout", "partner", "partner", "__typename"]
    assert answer == asked(root, plain=False)
    data, errors = answer
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
    data, errors = asked(root, plain=True)

    assert (data, errors) == asked(root, plain=False)
    assert errors or data["wine"] is not None


class Shouting(SchemaExtension):
    def resolve(self, _next: Any, root: Any, info: Any, *args: Any, **kwargs: Any) -> Any:
        value = _next(root, info, *args, **kwargs)
        return value.upper() if isinstance(value, str) else value


def test_an_extension_that_wraps_resolvers_sees_every_field() -> None:
    data, _ = asked(wine(), "{ wine { name } }", plain=True, extensions=(Shouting,))
    assert data == {"wine": {"name": "CHABLIS"}}
