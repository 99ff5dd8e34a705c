"""How likely an observation speaks for a goal: between 0 and 1, and more with each reason."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.goals.likelihood import likeliest
from prefrontal.graph.cortex.goals.record import InCommon
from prefrontal.graph.cortex.goals.topics import topics_to_compare
from prefrontal.graph.text.words import words_of
from prefrontal.graph.topics.rules import topics_in_order

GOALS = load_catalog(ROOT / "registry").goals
TABLE = GOALS.suggestions
NAMES = st.lists(st.text(min_size=1, max_size=3), max_size=5, unique=True).map(tuple)


def common(
    goal_id: str = "goal_1",
    topics: tuple[str, ...] = (),
    entities: tuple[str, ...] = (),
    *,
    named: bool = False,
    closeness: float | None = None,
) -> InCommon:
    return InCommon(goal_id=goal_id, topics=topics, entities=entities, named=named, closeness=closeness)


def likelihood(one: InCommon, *others: InCommon) -> float:
    found = likeliest([one, *others], TABLE.model_copy(update={"least": 0.0}))
    return {common.goal_id: value for common, value in found}[one.goal_id]


def test_the_numbers_are_those_of_the_registry():
    assert likelihood(common()) == 0.0
    assert likelihood(common(closeness=0.5)) == pytest.approx(0.4)
    assert likelihood(common(topics=("tea", "cup"))) == pytest.approx(1 - 0.75 * 0.75)
    assert likelihood(common(entities=("Ann",))) == pytest.approx(0.4)
    assert likelihood(common(named=True)) == pytest.approx(0.9)
    every = common(topics=("tea",), entities=("Ann",), named=True, closeness=1.0)
    assert likelihood(every) == pytest.approx(1 - 0.2 * 0.75 * 0.6 * 0.1)


def test_what_several_goals_share_counts_less_for_each():
    one = common(topics=("tea", "cup"), entities=("Ann",))
    others = [common("goal_2", ("tea",)), common("goal_3", ("tea",), ("Ann",))]
    expected = 1 - 0.75 ** (1 / 3 + 1) * 0.6**0.5
    assert likelihood(one, *others) == pytest.approx(expected)


@given(topics=NAMES, entities=NAMES, named=st.booleans(), closeness=st.none() | st.floats(0, 1))
def test_each_further_reason_makes_a_goal_likelier_and_none_makes_it_certain(
    topics, entities, named, closeness
):
    one = likelihood(common("g", topics, entities, named=named, closeness=closeness))
    more = [
        common("g", (*topics, "more"), entities, named=named, closeness=closeness),
        common("g", topics, (*entities, "more"), named=named, closeness=closeness),
    ]
    assert 0.0 <= one < 1.0
    assert all(one < likelihood(each) < 1.0 for each in more)


def test_the_likeliest_come_first_and_the_unlikely_ones_not_at_all():
    close, named, far = common("a", closeness=0.9), common("b", named=True), common("c", closeness=0.2)
    equal = common("0", named=True)
    found = likeliest([far, close, named, equal], TABLE)
    assert [(each.goal_id, round(value, 2)) for each, value in found] == [("0", 0.9), ("b", 0.9), ("a", 0.72)]


@given(text=st.text(), tags=st.lists(st.text(min_size=1), max_size=3))
@example(text="Straße Ångström ﬁne İstanbul", tags=["Cafés au lait", "ſ"])
def test_each_topic_is_spelled_as_the_observation_has_it(text, tags):
    said = SimpleNamespace(content=text, tags=tuple(tags))
    topics = topics_to_compare(said, GOALS.topics, 50)
    assert list(topics) == list(topics_in_order(tags, text, GOALS.topics))[:50]
    assert set(topics.values()) <= {*tags, *words_of(text)}
