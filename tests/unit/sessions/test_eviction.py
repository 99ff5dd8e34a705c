"""Eviction: each term of the score by hand, who leaves, and who never does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.eviction import Eviction, eviction_of, to_evict
from prefrontal.graph.sessions.slot import Slot
from tests.unit.sessions.given import CATALOG, NOW, sessions, slot

TABLE = CATALOG.eviction


def scored(one: Slot, *others: Slot, dominant: tuple[str, ...] = ()) -> Eviction:
    return eviction_of(one, slots=[one, *others], dominant_themes=dominant, now=NOW, table=TABLE)


def evicted(held: list[Slot], limit: int, **how: Any) -> list[Eviction]:
    return to_evict(held, limit=limit, now=NOW, table=TABLE, coherence=CATALOG.coherence, **how)


def uids(found: list[Eviction]) -> list[str]:
    return [one.item_uid for one in found]


@dataclass
class Worked:
    name: str
    one: Slot
    term: float


@pytest.mark.covers("WMS-64", "WMS-65")
@pytest.mark.parametrize(
    "case",
    [
        Worked("time_since_access", slot(idle=2, held=2), 0.6),
        Worked("time_since_admission", slot(held=2), 0.4),
        Worked("salience", slot(salience=0.772), 0.0456),
        Worked("confidence", slot(confidence=0.85), 0.015),
        # 6 accesses in 2 hours are 3 per hour, 0.3 of 10.
        Worked("frequency", slot(held=2, access_count=6), 0.07),
        Worked("theme", slot(themes=["wine", "tax"]), 0.025),
        Worked("coherence", slot(themes=["wine", "tax"], entities=["ann", "bob"]), 0.0375),
    ],
    ids=lambda case: case.name,
)
def test_each_term_of_the_score_by_hand(case: Worked) -> None:
    found = scored(case.one, slot("b", themes=["wine"]), dominant=("wine", "cellar"))
    assert found.parts[case.name] == pytest.approx(case.term)
    assert found.score == pytest.approx(sum(found.parts.values()))


@pytest.mark.covers("WMS-64")
def test_a_whole_score_by_hand() -> None:
    one = slot(
        idle=0.5, held=2, salience=0.772, confidence=0.85, access_count=6, themes=["wine"], entities=["ann"]
    )
    found = scored(one, slot("b", themes=["wine"]), dominant=("wine",))
    # 0.3·0.5 + 0.2·2 + 0.2·0.228 + 0.1·0.15 + 0.1·0.7 + 0.05·0 + 0.05·0.5
    assert found.score == 0.7056


@pytest.mark.covers("WMS-69")
def test_the_weight_of_the_last_access_is_reported_and_no_term() -> None:
    weights = [scored(slot(idle=minutes / 60)).access_recency_weight for minutes in (0, 5, 15)]
    assert weights == pytest.approx([1, 0.5, 0.25])
    assert set(scored(slot()).parts) == set(type(TABLE.weights).model_fields)


@pytest.mark.covers("WMS-67", "WMS-68")
def test_a_new_item_and_a_busy_one_have_bounded_terms() -> None:
    new = scored(slot(access_count=0))
    assert (new.parts["time_since_admission"], new.parts["frequency"]) == (0, 0.1)
    assert scored(slot(access_count=1)).parts["frequency"] == 0
    assert scored(slot(held=1, access_count=1_000_000)).parts["frequency"] == 0
    # An access in the future, by a clock that is ahead, is one just now.
    assert scored(slot(idle=-1)).parts["time_since_access"] == 0


@pytest.mark.covers("WMS-66")
@pytest.mark.parametrize(
    ("stays", "leaves"),
    [
        (slot(idle=1, held=3), slot(idle=2, held=3)),
        (slot(held=1), slot(held=2)),
        (slot(salience=0.6), slot(salience=0.5)),
        (slot(confidence=0.6), slot(confidence=0.5)),
        (slot(held=2, access_count=3), slot(held=2, access_count=2)),
        (slot(themes=["wine", "cellar"]), slot(themes=["wine", "tax"])),
        (slot(entities=["ann"]), slot(entities=["bob"])),
    ],
    ids=["access", "admission", "salience", "confidence", "frequency", "theme", "coherence"],
)
def test_all_else_equal_each_term_moves_the_score_in_its_direction(stays: Slot, leaves: Slot) -> None:
    other = slot("b", entities=["ann"], themes=["cellar"])
    low, high = (scored(one, other, dominant=("wine", "cellar")).score for one in (stays, leaves))
    assert high > low


@pytest.mark.covers("WMS-66")
@given(sessions(least=1), st.floats(0, 10), st.integers(0, 5))
def test_a_longer_wait_never_lowers_the_score(held: list[Slot], hours: float, reads: int) -> None:
    one, *others = held
    waited = one._replace(last_access=one.last_access - timedelta(hours=hours))
    assert scored(waited, *others).score >= scored(one, *others).score
    read = one._replace(access_count=one.access_count + reads)
    assert scored(read, *others).score <= scored(one, *others).score


@pytest.mark.covers("WMS-61")
@given(sessions(), st.integers(0, 3))
def test_none_leaves_while_there_is_room(held: list[Slot], room: int) -> None:
    assert evicted(held, len(held) + room) == []


@pytest.mark.covers("WMS-62", "WMS-63")
@given(sessions(pinned=False), st.integers(0, 12), st.randoms())
def test_exactly_the_excess_leaves_the_highest_score_first(held: list[Slot], limit: int, chance) -> None:
    found = evicted(held, limit)
    assert len(found) == max(0, len(held) - limit)
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    staying = [one for one in evicted(held, 0) if one.item_uid not in uids(found)]
    assert all(one.score <= scores[-1] for one in staying if scores)
    mixed = list(held)
    chance.shuffle(mixed)
    assert evicted(mixed, limit) == found


@given(sessions(), st.integers(0, 12))
def test_a_pinned_item_never_leaves(held: list[Slot], limit: int) -> None:
    pinned = {one.item_uid for one in held if one.pinned}
    found = evicted(held, limit)
    assert not pinned & set(uids(found))
    assert len(found) == max(0, min(len(held) - limit, len(held) - len(pinned)))


@pytest.mark.covers("WMS-72")
@given(sessions(least=2, pinned=False), st.data())
def test_the_item_just_admitted_stays_unless_there_is_no_other(held: list[Slot], data: st.DataObject) -> None:
    new = data.draw(st.sampled_from([one.item_uid for one in held]))
    limit = data.draw(st.integers(1, len(held)))
    assert new not in uids(evicted(held, limit, exempt={new}))
    assert uids(evicted(held, 0, exempt={new}))[-1] == new


@pytest.mark.covers("WMS-72")
def test_a_weak_new_item_stays_in_the_place_of_a_stronger_one() -> None:
    held = [slot("old", salience=0.9, idle=1), slot("new", salience=0.1, idle=10)]
    assert uids(evicted(held, 1)) == ["new"]
    assert uids(evicted(held, 1, exempt={"new"})) == ["old"]
    pinned = [held[0]._replace(pinned=True), held[1]]
    assert uids(evicted(pinned, 1, exempt={"new"})) == ["new"]


@pytest.mark.covers("WMS-70")
def test_of_equal_items_the_one_beside_the_theme_leaves_first() -> None:
    held = [
        slot("1", themes=["tax"]),
        slot("2", themes=["wine"]),
        *(
            slot(f"w{number}", salience=0.9, themes=["wine", "cellar", "boat", "harbour", "port"])
            for number in range(3)
        ),
    ]
    assert uids(evicted(held, 4)) == ["1"]


@pytest.mark.covers("WMS-79")
def test_what_is_far_too_full_loses_the_highest_scores() -> None:
    held = [slot(f"{number:02}", salience=number / 20) for number in range(20)]
    found = evicted(held, CATALOG.capacity.hard_limit)
    assert uids(found) == [f"{number:02}" for number in range(8)]


@pytest.mark.covers("WMS-71")
def test_the_core_of_a_session_survives_many_additions() -> None:
    capacity = CATALOG.capacity.default
    held = [slot(f"core{number}", salience=0.95, access_count=5) for number in range(2)]
    for number in range(30):
        new = slot(f"new{number:02}", salience=0.6, idle=0.1)
        held.append(new)
        gone = uids(evicted(held, capacity, exempt={new.item_uid}))
        held = [one for one in held if one.item_uid not in gone]
        assert len(held) <= capacity
    assert {"core0", "core1", "new29"} <= {one.item_uid for one in held}


def test_of_equal_scores_the_lower_rank_leaves_first() -> None:
    held = [slot("b", importance=0.4), slot("a", importance=0.2), slot("c", importance=0.2)]
    assert uids(evicted(held, 0)) == ["c", "a", "b"]
