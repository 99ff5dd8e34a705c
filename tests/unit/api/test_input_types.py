"""GraphQL inputs made from records, and records made from inputs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import pytest
import strawberry
from pydantic import AwareDatetime, Field

from prefrontal.api.graphql.input_types import filter_of, input_type, record_of, register_input
from prefrontal.graph.errors import InvalidInput, SeveralProblems
from prefrontal.graph.journal.command import ChangeCommand, Command
from prefrontal.graph.record import Alias, Id, Key, Record


class Vintner(Record):
    """Who made a wine."""

    name: Key


@register_input(Vintner)
@strawberry.input
class VintnerInput:
    name: str

    def values(self, path: str) -> dict[str, object]:
        if not self.name[:1].isupper():
            raise InvalidInput("begins with a capital", field=f"{path}.name")
        return {"name": self.name}

    def spellings(self, _path: str) -> dict[str, str]:
        return {}


class Grape(StrEnum):
    RED = "red"
    WHITE = "white"


strawberry.enum(Grape, name="Grape")


class Bottle(Record):
    """One bottle."""

    label: str
    vintner: Vintner | None = None
    litres: Annotated[float, Field(gt=0)] = 0.75


class Pour(ChangeCommand):
    """A wine to pour.

    This paragraph is for readers of the code.
    """

    wine: Id
    grape: Grape | None = None
    at: AwareDatetime | None = None
    bottles: tuple[Bottle, ...] = ()
    notes: dict[str, Any] | None = None
    guest: Annotated[Key | None, Alias("drinker")] = Field(default=None, description="Who drinks it.")
    spare: Bottle = Bottle(label="water")


@strawberry.type
class Query:
    @strawberry.field
    def poured(self, wish: input_type(Pour)) -> str:
        command, spellings = record_of(wish, Pour)
        return f"{command.body} {spellings}"


SCHEMA = strawberry.Schema(Query)


def poured(text: str) -> tuple[Any, Any]:
    result = SCHEMA.execute_sync(f"{{ poured(wish: {text}) }}")
    if result.errors:
        return None, result.errors[0].original_error
    return result.data["poured"], None


def test_an_input_has_the_fields_of_its_record_and_how_the_call_is_made_comes_last() -> None:
    printed = SCHEMA.as_str()
    start = printed.index('"""A wine to pour."""')
    fields = [
        line.strip()
        for line in printed[start : printed.index("}", start)].splitlines()
        if ":" in line and not line.strip().startswith(('"""', "A key", "Your name", "The `version`"))
    ]
    assert fields == [
        "id: ID!",
        "wine: ID!",
        "grape: Grape",
        "at: DateTime",
        "bottles: [BottleInput!]! = []",
        "notes: JSON",
        "guest: String",
        "drinker: String",
        "spare: BottleInput",
        "expectedVersion: Int",
        "turnId: String",
        "idempotencyKey: String",
    ]
    assert "litres: Float! = 0.75" in printed


def test_what_is_given_is_set_and_what_is_left_out_is_not() -> None:
    said, _ = poured('{id: "p", wine: "w", grape: null, bottles: [{label: "a", litres: 1.5}], spare: null}')
    assert said == ("{'id': 'p', 'wine': 'w', 'grape': None, 'bottles': [{'label': 'a', 'litres': 1.5}]} {}")


def test_an_alias_gives_the_field_and_is_named_in_what_is_wrong() -> None:
    said, _ = poured('{id: "p", wine: "w", drinker: "ann"}')
    assert said == "{'id': 'p', 'wine': 'w', 'bottles': [], 'guest': 'ann'} {'guest': 'drinker'}"
    same, _ = poured('{id: "p", wine: "w", guest: "ann", drinker: "ann"}')
    assert same == "{'id': 'p', 'wine': 'w', 'bottles': [], 'guest': 'ann'} {}"

    _, error = poured('{id: "p", wine: "w", guest: "ann", drinker: "bob"}')
    assert isinstance(error, InvalidInput)
    assert (error.field, error.message) == (
        "drinker",
        "is an alias of a field with another value; give only one of the two",
    )


def test_everything_that_is_wrong_is_said_with_its_path() -> None:
    _, error = poured(
        '{id: "p", wine: "w", at: "2026-11-23T12:00:00", bottles: [{label: "a"}, {label: "b", litres: 0}]}'
    )
    assert isinstance(error, SeveralProblems)
    assert [problem.field for problem in error.problems] == ["at", "bottles[1].litres"]

    _, error = poured(
        '{id: "p", wine: "w", guest: "ann", drinker: "bob", bottles: [{label: "a", litres: 0}]}'
    )
    assert isinstance(error, SeveralProblems)
    assert [problem.field for problem in error.problems] == ["drinker", "bottles[0].litres"]


def test_what_is_wrong_in_handwritten_inputs_of_a_list_is_said_once_for_each() -> None:
    _, error = poured(
        '{id: "p", wine: "w", bottles: [{label: "a", vintner: {name: "x"}}, {label: "b", litres: 0}, '
        '{label: "c", vintner: {name: "y"}}, {label: "d", vintner: {name: "Z"}}]}'
    )
    assert isinstance(error, SeveralProblems)
    assert [problem.field for problem in error.problems] == [
        "bottles[0].vintner.name",
        "bottles[2].vintner.name",
        "bottles[1].litres",
    ]


class Cellar(Record):
    """Conditions on bottles."""

    litres: Annotated[float, Field(gt=0)] | None = None


def test_a_filter_that_is_left_out_has_no_conditions_and_problems_begin_with_its_name() -> None:
    assert filter_of(None, Cellar) == Cellar()
    assert filter_of(input_type(Cellar)(litres=1.5), Cellar) == Cellar(litres=1.5)
    with pytest.raises(InvalidInput) as caught:
        filter_of(input_type(Cellar)(litres=0), Cellar)
    assert caught.value.field == "filter.litres"


def test_a_map_that_is_none_is_refused_without_words_of_python() -> None:
    _, error = poured('{id: "p", wine: "w", notes: [1]}')
    assert isinstance(error, InvalidInput)
    assert (error.field, error.message) == ("notes", "must be a JSON object")


def test_an_input_is_made_once_and_a_type_that_no_input_can_have_is_refused() -> None:
    assert input_type(Pour) is input_type(Pour)

    class Odd(Command):
        """Odd."""

        either: int | str

    with pytest.raises(TypeError, match=r"Odd\.either: an input cannot have an int \| str"):
        input_type(Odd)
