"""Which older notes a newer one seems to replace: worked pairs, and what never is replaced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.search.record import ReplacementReason, SearchKind
from prefrontal.graph.search.replacement import Note, is_other_value, older_than, replaced_by
from prefrontal.graph.search.rules import Hit, Parts, RankedHit
from prefrontal.graph.text.words import stems_of

TABLE = load_catalog(ROOT / "registry").search
COMMON = stems_of(" ".join(TABLE.common_words))
NOW = datetime(2026, 6, 20, 10, 30, tzinfo=UTC)
NEWER = Note("n", "space", SearchKind.FACT, "The port is 49222.", NOW)


def older(uid: str, content: str, days: int = 1, **given: object) -> RankedHit:
    hit = Hit(**{"uid": uid, "content": content, "at": NOW - timedelta(days=days), **given})
    return RankedHit(hit, Parts())


def other_value(newer: str, older: str) -> bool:
    return is_other_value(newer, older, COMMON, TABLE)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The port is 22.", "The port is 49222."),
        ("Dad takes 5 mg of bisoprolol each morning.", "Dad takes 2.5 mg of bisoprolol each morning."),
        ("The on-call lead is Farida.", "The on-call lead is Tobias."),
        ("Biscuit weighs 7.8 kilos at the vet's.", "Biscuit weighs 8.6 kilos at the vet's."),
        ("I want my summary as a list.", "I want my summary as a piece of prose."),
    ],
)
def test_two_notes_that_differ_in_a_value(before: str, now: str) -> None:
    assert other_value(now, before)
    assert other_value(before, now)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        # About two things.
        ("Elif takes shoe size 31.", "Kaan takes shoe size 31."),
        ("The server pelican has 64 GB of memory.", "The server cormorant has 64 GB of memory."),
        ("The key for the shed is blue.", "The key for the barn is blue."),
        ("The spare key for the shed is blue.", "The spare key for the barn is blue."),
        # In two places.
        ("The ceiling of the ground floor is 2.60 m.", "The ceiling of the upper floor is 2.40 m."),
        # Something is added, or nothing differs.
        ("The hive was given five kilos.", "The hive was given five kilos on Saturday."),
        ("The port is 22.", "The port is 22!"),
        # Too little in common.
        ("It is red.", "It is the one that was left behind by the last tenants."),
        ("", "The port is 22."),
    ],
)
def test_two_notes_that_are_no_two_values_of_one_thing(one: str, two: str) -> None:
    assert not other_value(one, two)
    assert not other_value(two, one)


@given(st.text(), st.text())
def test_no_text_has_another_value_than_itself_and_the_order_does_not_matter(one: str, two: str) -> None:
    assert not other_value(one, one)
    assert other_value(one, two) == other_value(two, one)


def test_only_what_is_older_and_says_something_else_is_compared() -> None:
    found = older_than(
        NEWER,
        [
            older("a", "The port is 22."),
            older("b", "the PORT is 49222"),
            older("c", "The port is 80.", days=-1),
            older("m", "The port is 8080.", days=0),
            older("o", "The port is 9090.", days=0),
            older("d", "What was said.", kind="message"),
            older("e", "The port of Trieste."),
        ],
        3,
    )

    assert [each.hit.uid for each in found] == ["a", "m", "e"]


def test_other_values_come_before_changes_and_these_by_their_odds() -> None:
    notes = [older("a", "We use 22."), older("b", "SSH."), older("c", "The port is 22."), older("d", "Tea.")]

    found = replaced_by(NEWER, notes, {"a": 0.5, "b": 2.0, "c": -3.0, "d": 0.0}, 0.0, COMMON, TABLE)

    assert [(each.newer, each.older, each.reason) for each in found] == [
        ("n", "c", ReplacementReason.OTHER_VALUE),
        ("n", "b", ReplacementReason.CHANGE),
        ("n", "a", ReplacementReason.CHANGE),
    ]


def test_what_was_not_read_is_told_by_its_words_alone() -> None:
    notes = [older("a", "We use 22."), older("c", "The port is 22.")]

    for changes in (None, 0.0):
        found = replaced_by(NEWER, notes, {}, changes, COMMON, TABLE)
        assert [each.older for each in found] == ["c"]
