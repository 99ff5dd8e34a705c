"""The relevance of a goal stays within 0 and 1, and rises with each of its parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.tables import RelevanceTable
from prefrontal.graph.cortex.relevance import relevance

TABLE = load_catalog(ROOT / "registry").goals
RANKS = st.sampled_from(sorted(TABLE.priorities.values()))
PROGRESS = st.floats(0, 1)


@given(rank=RANKS, status=st.sampled_from(TABLE.statuses), progress=PROGRESS)
def test_it_is_between_0_and_1_and_0_for_what_is_done_with(rank, status, progress):
    found = relevance(rank, status, progress, TABLE)
    assert 0 <= found <= 1
    assert (found > 0) == (status in TABLE.active_statuses)


@given(status=st.sampled_from(TABLE.active_statuses), progress=PROGRESS, more=PROGRESS)
def test_it_rises_with_priority_and_progress(status, progress, more):
    ranks = sorted(TABLE.priorities.values())
    by_rank = [relevance(rank, status, progress, TABLE) for rank in ranks]
    assert by_rank == sorted(set(by_rank))
    low, high = sorted((progress, more))
    assert relevance(1, status, low, TABLE) <= relevance(1, status, high, TABLE)


def test_the_numbers_are_those_of_the_registry():
    assert relevance(4, "in_progress", 1.0, TABLE) == pytest.approx(1.0)
    assert relevance(2, "pending", 0.0, TABLE) == pytest.approx(0.45)
    assert relevance(3, "blocked", 0.5, TABLE) == pytest.approx(0.575)


def test_weights_above_1_are_refused():
    with pytest.raises(ValidationError, match="more than 1"):
        RelevanceTable(priority=0.6, status={"pending": 0.3}, progress=0.2)
