"""The tables of sessions: what is shipped, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT

CATALOG = load_catalog(ROOT / "registry")


def refused(table: str, **changes: Any) -> str:
    shipped = getattr(CATALOG, table)
    said = shipped.model_dump(mode="json") | changes
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(type(shipped)).validate_python(said, strict=False)
    return str(caught.value)


@pytest.mark.covers("WMS-48")
def test_the_weights_of_salience_sum_to_one() -> None:
    weights = {"relevance": 0.4, "urgency": 0.2, "recency": 0.2, "attention": 0.2}
    assert CATALOG.admission.weights.model_dump() == weights
    assert "must sum to 1, not 1.1" in refused("admission", weights=weights | {"relevance": 0.5})


def test_the_weights_of_coherence_sum_to_one() -> None:
    weights = {"thematic": 0.4, "entity": 0.3, "temporal": 0.4}
    assert "must sum to 1, not 1.1" in refused("coherence", weights=weights)


def test_no_capacity_lies_outside_of_the_limits() -> None:
    capacity = CATALOG.capacity
    assert (capacity.default, capacity.hard_limit, capacity.idle_timeout_minutes) == (7, 12, 30)
    assert "not from 1 to 12: types.planning" in refused("capacity", types={"planning": 13})
    assert "not from 1 to 6: default, recommended.most" in refused("capacity", hard_limit=6)
    assert "is more than recommended.most" in refused("capacity", recommended={"least": 9, "most": 5})


def test_the_capacity_of_a_type_counts_before_the_default() -> None:
    capacity = CATALOG.capacity.model_copy(update={"types": {"planning": 9}})
    assert [capacity.of(kind) for kind in ("planning", "other", None)] == [9, 7, 7]
    assert [capacity.is_recommended(number) for number in (4, 5, 9, 10)] == [False, True, True, False]


def test_the_meaning_of_an_unknown_encoder_has_constants() -> None:
    admission = CATALOG.admission
    assert admission.meaning_of("other") == admission.meaning_of(None) == admission.meaning["default"]
    assert "must have `default`" in refused("admission", meaning={})
    assert "ceiling must be more" in refused("admission", meaning={"default": {"floor": 0.5, "ceiling": 0.5}})
