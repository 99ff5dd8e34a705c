"""Importance: the formula's worked values, its bounds, and what its parts are read from."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.evaluation.importance import is_about_user, is_actionable, is_operational
from prefrontal.graph.importance import importance_of
from tests.support.observations import observed

TABLE = load_catalog(Settings().registry_dir).evaluation
PARTS = ("relevance_to_goals", "relevance_to_user", "confidence", "novelty", "actionability")


def value(**parts: float) -> float:
    return importance_of(**{name: parts.get(name, 0.0) for name in PARTS}, weights=TABLE.weights).value


@pytest.mark.covers("TURN-42", "TURN-43", "TURN-46")
def test_the_worked_values_of_the_formula() -> None:
    assert value() == 0
    assert value(**dict.fromkeys(PARTS, 1.0)) == 1
    assert [value(**{name: 1.0}) for name in PARTS] == [0.3, 0.2, 0.2, 0.15, 0.15]
    assert value(relevance_to_goals=0.5, confidence=0.9, novelty=1) == pytest.approx(0.15 + 0.18 + 0.15)


@pytest.mark.covers("TURN-49")
@given(st.fixed_dictionaries({name: st.floats(-10, 10) for name in PARTS}))
def test_it_stays_within_its_bounds_whatever_the_parts(parts: dict[str, float]) -> None:
    found = importance_of(**parts, weights=TABLE.weights)
    assert 0 <= found.value <= 1
    assert all(0 <= getattr(found, name) <= 1 for name in PARTS)


@given(st.fixed_dictionaries({name: st.floats(0, 1) for name in PARTS}), st.sampled_from(PARTS))
def test_more_of_a_part_is_never_less_important(parts: dict[str, float], name: str) -> None:
    assert value(**{**parts, name: 1.0}) >= value(**parts)


@pytest.mark.covers("TURN-45", "TURN-48", "OBS-43")
@pytest.mark.parametrize(
    ("given_", "user", "actionable"),
    [
        ({"content": "User prefers Burgundy"}, True, True),
        ({"content": "Likes Burgundy", "context": {"user_id": "ann"}}, True, False),
        ({"content": "Gamay is a grape"}, False, False),
        ({"content": "At most $50", "tags": ("Budget",)}, False, True),
        ({"content": "Disk", "type": "alert"}, False, True),
    ],
)
def test_what_is_about_the_user_and_what_can_be_acted_on(
    given_: dict[str, Any], user: bool, actionable: bool
) -> None:
    o = observed(**given_)
    assert (is_about_user(o, TABLE), is_actionable(o, TABLE)) == (user, actionable)


@pytest.mark.covers("OBS-47")
@pytest.mark.parametrize(
    ("given_", "operational"),
    [
        ({"content": "API response time was 2.3 seconds"}, True),
        ({"content": "P99 LATENCY is up"}, True),
        ({"content": "Slow today", "tags": (" Performance",)}, True),
        ({"content": "Slow today", "type": "metric"}, True),
        ({"content": "Error rate is up"}, True),
        ({"content": "61 % of 500 GB", "type": "alert"}, False),
        ({"content": "The user responds in time"}, False),
        ({"content": "A metric ton of grapes"}, False),
    ],
)
def test_what_is_operational(given_: dict[str, Any], operational: bool) -> None:
    assert is_operational(observed(**given_), TABLE) is operational


@pytest.mark.covers("TURN-48")
def test_a_judged_vector_replaces_the_words_and_not_what_is_declared() -> None:
    words, tagged = observed(content="The user wants it"), observed(content="Mine", tags=("deadline",))
    assert [is_actionable(words, TABLE, judged=judged) for judged in (None, True, False)] == [
        True,
        True,
        False,
    ]
    assert [is_actionable(tagged, TABLE, judged=judged) for judged in (None, True, False)] == [True] * 3
    slow = observed(content="The user wants less latency")
    assert [is_operational(slow, TABLE, by_phrases=by_phrases) for by_phrases in (True, False)] == [
        True,
        False,
    ]
