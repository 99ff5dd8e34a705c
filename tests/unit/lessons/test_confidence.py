"""Confidence: by hand, and how it rises and falls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.lessons.confidence import confidence
from prefrontal.graph.lessons.record import LessonSource
from tests.unit.lessons.given import TABLE

FEEDBACK, LOG = LessonSource.FEEDBACK, LessonSource.LOG
PRIORS = TABLE.priors
number = st.integers(0, 10_000)
source = st.sampled_from(LessonSource)


@pytest.mark.parametrize(
    ("support", "contradiction", "source", "expected"),
    [
        (1, 0, FEEDBACK, 3 / 4),
        (1, 0, LOG, 2 / 4),
        (1, 1, FEEDBACK, 3 / 5),
        (9, 0, LOG, 10 / 12),
        (1, 7, FEEDBACK, 3 / 11),
    ],
)
def test_by_hand(support: int, contradiction: int, source: LessonSource, expected: float) -> None:
    assert confidence(support, contradiction, source, PRIORS) == pytest.approx(expected)


@given(number, number, source)
def test_it_rises_with_support_and_falls_with_contradiction(
    support: int, contradiction: int, source: LessonSource
) -> None:
    now = confidence(support, contradiction, source, PRIORS)
    assert 0 < now < 1
    assert confidence(support + 1, contradiction, source, PRIORS) > now
    assert confidence(support, contradiction + 1, source, PRIORS) < now


@pytest.mark.covers("OUT-26")
@given(number, number)
def test_what_the_calls_alone_show_is_less_sure(support: int, contradiction: int) -> None:
    assert confidence(support, contradiction, LOG, PRIORS) < confidence(
        support, contradiction, FEEDBACK, PRIORS
    )
