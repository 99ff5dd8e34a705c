"""The ranks of the items of a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.slot import Slot, ranks
from tests.unit.sessions.given import sessions, slot


@pytest.mark.covers("WMS-120")
def test_salience_then_importance_then_access_then_id_decide() -> None:
    held = [
        slot("e", salience=0.5, importance=None),
        slot("d", salience=0.5, importance=0.0, idle=1),
        slot("c", salience=0.5, importance=0.9, idle=2),
        slot("b", salience=0.5, importance=0.9, idle=1),
        slot("a2", salience=0.4, importance=1.0),
        slot("a1", salience=0.4, importance=1.0),
        slot("f", salience=0.9),
    ]
    assert ranks(held) == {"f": 1, "b": 2, "c": 3, "d": 4, "e": 5, "a1": 6, "a2": 7}


@pytest.mark.covers("WMS-120")
@given(sessions(), st.randoms())
def test_each_rank_is_given_once_in_whatever_order_the_items_come(held: list[Slot], chance) -> None:
    found = ranks(held)
    assert sorted(found.values()) == list(range(1, len(held) + 1))
    mixed = list(held)
    chance.shuffle(mixed)
    assert ranks(mixed) == found
