"""Commands: their operation, their body and their limits."""

from __future__ import annotations

from typing import Annotated, Any

from prefrontal.graph.config.load import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.journal.command import ChangeCommand, Command, limit_problems
from prefrontal.graph.record import Key, Limit, OneByOne, Record, Text, Title

LIMITS = load_catalog(ROOT / "registry").limits


class Guest(Record):
    name: Key
    wishes: Annotated[tuple[Title, ...], Limit("list_items")] = ()


class PourWine(ChangeCommand):
    note: Text | None = None
    guests: tuple[Guest, ...] = ()
    judged: Annotated[tuple[Guest, ...], OneByOne()] = ()
    facts: Annotated[dict[str, Any], Limit("metadata_characters")] | None = None


def test_the_operation_is_the_name_of_the_class() -> None:
    assert PourWine.operation_name == "pourWine"


def test_the_body_is_what_was_given_without_the_key() -> None:
    command = PourWine(id="w", note=None, guests=(Guest(name="Ann"),), idempotency_key="k")
    assert command.body == {"id": "w", "note": None, "guests": [{"name": "Ann"}]}
    assert PourWine(id="w").body == {"id": "w"}


def field_codes(command: Command) -> list[tuple[str | None, str]]:
    return [(problem.field, problem.code) for problem in limit_problems(command, LIMITS)]


def test_limits_are_those_that_the_fields_name_at_every_depth() -> None:
    long = "x" * (LIMITS.title_characters + 1)
    many = tuple("x" for _ in range(LIMITS.list_items + 1))
    wrong = PourWine(
        id="w",
        turn_id="",
        note="n" * (LIMITS.description_characters + 1),
        guests=(Guest(name="Ann", wishes=("tea", long)), Guest(name=" ", wishes=many)),
        judged=(Guest(name=""),),
        facts={"x": "y" * LIMITS.metadata_characters},
    )
    assert sorted(field_codes(wrong), key=str) == sorted(
        [
            ("turnId", "invalid"),
            ("note", "too_large"),
            ("guests[0].wishes[1]", "too_large"),
            ("guests[1].name", "invalid"),
            ("guests[1].wishes", "too_large"),
            ("facts", "too_large"),
        ],
        key=str,
    )
    assert field_codes(PourWine(id="", note="", guests=(Guest(name="n" * LIMITS.key_characters),))) == []
