"""What is computed of salience if the caller does not send it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.admission import Components
from prefrontal.graph.sessions.components import (
    Fit,
    Item,
    attention_focus_strength,
    components_of,
    task_relevance,
    urgency_of,
)
from prefrontal.graph.sessions.slot import Slot
from tests.unit.sessions.given import CATALOG, NOW, names, sessions, shares, slot

TABLE = CATALOG.admission
NOTHING = Fit()


def item(text: str = "", *, hours: float = 0, **fields: Any) -> Item:
    return Item(text, NOW - timedelta(hours=hours), **fields)


def found(
    one: Item,
    sent: Fit = NOTHING,
    *,
    slots: Sequence[Slot] = (),
    focus: Sequence[str] = (),
    task: str | None = None,
) -> Components:
    for_task = task_relevance(one, task, TABLE) if task else None
    return components_of(one, sent, slots=slots, focus=focus, now=NOW, table=TABLE, for_task=for_task)


@pytest.mark.covers("WMS-13..16")
@given(shares, shares, shares, shares)
def test_what_the_caller_sends_counts_as_it_is(a: float, b: float, c: float, d: float) -> None:
    one = item("Urgent: the wine", hours=5, themes=("wine",))
    assert found(one, Fit(a, b, c, d), slots=[slot(themes=["tax"])], focus=["wine"]) == (a, b, c, d)


@pytest.mark.covers("WMS-13")
def test_relevance_is_the_best_fit_with_what_there_is() -> None:
    held = [slot(themes=["wine", "cellar"], entities=["ann"])]
    wine = item("Which wine?", themes=("wine", "price", "shop", "bill"))
    # One of four names is held, half of the share from which on it is wholly relevant.
    assert found(wine, slots=held).relevance == 0.5
    assert found(item("Ann's wines", themes=("wine", "ann")), slots=held).relevance == 1
    assert found(item("Taxes", themes=("tax",)), slots=held).relevance == 0
    # From an unrelated text to one about the same.
    constants = TABLE.meaning_of(None)
    middle = (constants.floor + constants.ceiling) / 2
    cosines = (constants.floor - 0.1, middle, 1.0)
    assert [found(item(cosine=c), slots=held).relevance for c in cosines] == pytest.approx([0, 0.5, 1])


@pytest.mark.covers("WMS-13")
def test_an_empty_session_judges_by_focus_and_task() -> None:
    wine = item("The wine for Friday's dinner")
    assert found(wine).relevance == TABLE.neutral
    assert found(wine, focus=["taxes"]).relevance == 0
    assert found(wine, focus=["dinner", "wines", "taxes", "boat"]).relevance == 1
    assert found(wine, focus=["wines", "taxes", "boat", "harbour"]).relevance == 0.5
    assert found(wine, focus=["taxes"], task="Choose the wine").relevance > 0
    # Without items there is nothing whose cosine could count.
    assert found(wine._replace(cosine=1.0), focus=["taxes"]).relevance == 0


@pytest.mark.covers("WMS-14")
@pytest.mark.parametrize(
    ("text", "urgency"),
    [
        ("Call the bank ASAP", 1),
        ("URGENT: the server is down", 1),
        ("The invoice is overdue", 1),
        ("Please answer right now", 1),
        ("Send the report by Friday", 0.7),
        ("Send the report by the end of the month", 0.7),
        ("The tax return is due on 3 March", 0.7),
        ("We need it before next Tuesday.", 0.7),
        ("Done by 5 pm", 0.7),
        ("He comes back soon", 0.4),
        ("Let us meet tomorrow", 0.4),
        ("This is not urgent", 0),
        ("There’s no deadline", 0),
        ("It isn’t due", 0),
        ("The book by Ann is about wine", 0),
        ("Emerging critics praised the urgentness", 0),
        ("", 0),
    ],
)
def test_urgency_is_that_of_the_strongest_sign(text: str, urgency: float) -> None:
    assert urgency_of(text, TABLE.urgency) == urgency
    assert found(item(text)).urgency == urgency


@pytest.mark.covers("WMS-15")
def test_recency_halves_with_each_half_life() -> None:
    half = TABLE.recency_half_life_hours
    assert [found(item(hours=hours)).recency for hours in (-1, 0, half, 2 * half)] == [1, 1, 0.5, 0.25]


@pytest.mark.covers("WMS-16")
def test_attention_is_the_share_of_the_focus_that_it_names() -> None:
    one = item("Family vacation planning discussion with mom", entities=frozenset({"lake garda"}))
    assert found(one, focus=["vacation", "family", "summer", "boat"]).attention == 0.5
    assert found(one, focus=["Vacations", "lake  Garda", "PLANS"]).attention == 1
    # A name of several words needs all of them.
    assert found(one, focus=["family tax"]).attention == 0
    assert found(one).attention == found(one, focus=["…"]).attention == TABLE.neutral


@pytest.mark.covers("WMS-52")
def test_task_relevance_measures_the_item_against_the_task() -> None:
    one = item("Family vacation planning discussion with mom")
    assert [task_relevance(one, task, TABLE) for task in (None, "", "  ", "planning", "taxes")] == [
        0,
        0,
        0,
        1,
        0,
    ]
    constants = TABLE.meaning_of(None)
    near = one._replace(task_cosine=constants.ceiling)
    assert task_relevance(near, "taxes", TABLE) == 1
    # Without a task no cosine counts.
    assert task_relevance(near, None, TABLE) == 0


@pytest.mark.covers("WMS-52")
@given(st.text(max_size=30), st.none() | st.text(max_size=30), st.none() | st.floats(-1, 1))
def test_task_relevance_is_between_0_and_1(text: str, task: str | None, cosine: float | None) -> None:
    assert 0 <= task_relevance(item(text, task_cosine=cosine), task, TABLE) <= 1


@pytest.mark.covers("WMS-13..16")
@given(
    st.sampled_from(["", "wine by Friday", "the boat in the harbour, asap", "ワインの店"]),
    names,
    sessions(),
    names,
    st.none() | st.floats(-1, 1),
    st.floats(-10, 1000),
)
def test_what_is_computed_is_between_0_and_1_and_always_the_same(
    text: str, themes: list[str], held: list[Slot], focus: list[str], cosine: float | None, hours: float
) -> None:
    one = item(text, hours=hours, themes=tuple(themes), cosine=cosine)
    parts = found(one, slots=held, focus=focus)
    assert all(0 <= part <= 1 for part in parts)
    assert found(one, slots=held, focus=focus) == parts


@given(names, sessions(least=1), st.floats(-1, 1), st.floats(0, 1))
def test_a_nearer_meaning_is_never_less_relevant(
    themes: list[str], held: list[Slot], cosine: float, more: float
) -> None:
    one = item(themes=tuple(themes), cosine=cosine)
    nearer = one._replace(cosine=min(1.0, cosine + more))
    assert found(nearer, slots=held).relevance >= found(one, slots=held).relevance


def test_the_constants_of_an_encoder_count_for_its_cosines() -> None:
    constants = TABLE.meaning["e5-small-v2"]
    one = item(cosine=constants.ceiling)
    known = components_of(one, NOTHING, slots=[slot()], focus=(), now=NOW, table=TABLE, encoder="e5-small-v2")
    assert known.relevance == 1


def test_the_focus_is_as_strong_as_the_share_of_items_that_name_it() -> None:
    held = [slot("a"), slot("b", themes=["wines"]), slot("c", entities=["ann"]), slot("d")]
    texts = {"a": "The wine", "c": "Somebody", "d": "The tax"}
    assert attention_focus_strength(held, texts, ["wine", "summer"]) == 0.5
    assert attention_focus_strength(held, texts, ["wine", "Ann"]) == 0.75
    assert attention_focus_strength(held, texts, []) == 0
    assert attention_focus_strength([], {}, ["wine"]) == 0
