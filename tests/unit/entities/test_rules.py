"""Names: which are one entity, and ids that give nothing away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.entities.rules import entity_id, fold_name, times_named, unique_names
from prefrontal.graph.ids import Kind, kind_of

NAMES = st.text(min_size=1, max_size=40)


@given(org=st.text(max_size=10), name=NAMES)
def test_an_id_follows_from_organisation_and_name_alone(org: str, name: str) -> None:
    uid = entity_id(org, name)

    assert kind_of(uid) is Kind.ENTITY
    assert uid == entity_id(org, f"  {name.upper().lower()}\n") or fold_name(name) != fold_name(
        name.upper().lower()
    )
    assert uid != entity_id(org + "x", name)
    assert (uid == entity_id(org, "Ann")) is (fold_name(name) == "ann")


@given(name=NAMES)
def test_a_folded_name_stays_as_it_is(name: str) -> None:
    once = fold_name(name)

    assert once == " ".join(once.split())
    assert fold_name(f" {name}\t") == once


@given(names=st.lists(st.sampled_from(["Ann", "ANN ", "ann", "Bob", "Ｂｏｂ", "B ob"]), max_size=8))
def test_each_entity_is_named_once_as_first_written(names: list[str]) -> None:
    found = unique_names([EntityName(name=name) for name in names])

    keys = [fold_name(entity.name) for entity in found]
    assert keys == list(dict.fromkeys(fold_name(name) for name in names))
    assert [names.index(entity.name) for entity in found] == sorted(
        [fold_name(name) for name in names].index(key) for key in keys
    )


def test_the_first_kind_that_is_given_counts() -> None:
    names = [
        EntityName(name="Ann"),
        EntityName(name="ANN", kind="person"),
        EntityName(name="ann", kind="cat"),
    ]

    assert unique_names(names) == (EntityName(name="Ann", kind="person"),)


@pytest.mark.parametrize(
    ("name", "text", "times"),
    [("Ann", "Ann met  ann", 2), ("Ann  Lee", "ann lee", 1), ("Ann", "she came", 1), ("Ann", "", 1)],
)
def test_how_often_a_text_names_it(name: str, text: str, times: int) -> None:
    assert times_named(name, text) == times
