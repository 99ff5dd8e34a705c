"""GraphQL types that show records."""

from __future__ import annotations

import pytest
import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.record import Record


class Grape(Record):
    name: str


class Wine(Record):
    uid: str
    scope_id: str
    title: str
    year: int | None
    grapes: tuple[Grape, ...]
    main: Grape | None
    by: Grape

    @property
    def label(self) -> str:
        return f"{self.title} {self.year}"


@graphql_type_of(Grape, "A grape.")
class GrapeType(RecordType):
    name: str


@graphql_type_of(Wine, "A wine.", rename={"called": "title", "maker": "by.name"})
class WineType(RecordType, Node):
    record: strawberry.Private[Wine]
    space: strawberry.ID
    called: str
    year: int | None
    label: str
    grapes: list[GrapeType]
    main: GrapeType | None
    maker: str

    @strawberry.field
    def old(self) -> bool:
        return (self.record.year or 0) < 2000


WINE = Wine(
    uid="w1",
    scope_id="spc",
    title="Chablis",
    year=1999,
    grapes=(Grape(name="Chardonnay"),),
    main=None,
    by=Grape(name="Ann"),
)


@strawberry.type
class Query:
    @strawberry.field
    def wine(self) -> WineType:
        return WineType.from_record(WINE.model_copy(update={"main": WINE.grapes[0]}))

    @strawberry.field
    def node(self) -> Node | None:
        return WineType.maybe(WINE)

    @strawberry.field
    def none(self) -> WineType | None:
        return WineType.maybe(None)


def test_fields_show_the_record_by_their_names_and_by_the_names_they_are_given() -> None:
    result = strawberry.Schema(Query, types=[WineType]).execute_sync(
        "{ wine { id space called year label grapes { name } main { name } maker old __typename } "
        "node { id __typename } none { id } }"
    )
    assert result.errors is None
    assert result.data == {
        "wine": {
            "id": "w1",
            "space": "spc",
            "called": "Chablis",
            "year": 1999,
            "label": "Chablis 1999",
            "grapes": [{"name": "Chardonnay"}],
            "main": {"name": "Chardonnay"},
            "maker": "Ann",
            "old": True,
            "__typename": "Wine",
        },
        "node": {"id": "w1", "__typename": "Wine"},
        "none": None,
    }


def test_a_field_that_the_record_does_not_have_fails_when_the_type_is_defined() -> None:
    with pytest.raises(TypeError, match=r"MisspeltType\.titel: Wine has no field titel"):

        @graphql_type_of(Wine, "A wine.", name="Misspelt")
        class MisspeltType(RecordType):
            titel: str


def test_an_attribute_that_is_no_field_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="WineType has no titel"):
        _ = WineType.from_record(WINE).titel
