"""What all questions have in common is taken away from a question."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.config.tables import QueryVectorTable
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.lazy_value import RETRY_S
from prefrontal.graph.search.common_questions import CommonQuestions
from prefrontal.graph.search.rules import query_vector
from prefrontal.graph.text.encoder import HashEncoder, Vector

TABLE = load_catalog(Settings().registry_dir).search
AIM = QueryVectorTable(common=1.0, unrelated=0.1, spread=0.2)


def test_what_is_left_has_unit_length_and_the_constants_are_scaled_with_it() -> None:
    # (0.6, 0.8) less (0.6, 0.3) is (0, 0.5).
    vector, aim = query_vector([0.6, 0.8], [0.6, 0.3], AIM)

    assert vector == pytest.approx([0.0, 1.0])
    assert (aim.unrelated, aim.spread) == pytest.approx((0.2, 0.4))


def test_a_share_of_what_is_usual_is_taken_away() -> None:
    # (0.6, 0.8) less half of (0.6, 0.8) is (0.3, 0.4), which is as long as 0.5.
    vector, aim = query_vector([0.6, 0.8], [0.6, 0.8], AIM.model_copy(update={"common": 0.5}))

    assert vector == pytest.approx([0.6, 0.8])
    assert (aim.unrelated, aim.spread) == pytest.approx((0.2, 0.4))


def test_a_question_that_is_as_usual_as_can_be_stays_as_it_is() -> None:
    assert query_vector([0.6, 0.8], [0.6, 0.8], AIM) == ([0.6, 0.8], AIM)


numbers = st.floats(-1, 1, allow_subnormal=False)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=5))
def test_the_part_meaning_is_that_of_the_difference_of_the_cosines(
    values: list[tuple[float, float, float]],
) -> None:
    question, usual, text = ([row[place] for row in values] for place in range(3))
    special = math.dist(question, usual)
    if special < 1e-3:
        return
    vector, aim = query_vector(question, usual, AIM)

    def product(one: Sequence[float], other: Sequence[float]) -> float:
        return sum(a * b for a, b in zip(one, other, strict=True))

    meaning = (product(vector, text) - aim.unrelated) / aim.spread
    expected = (product(question, text) - product(usual, text) - AIM.unrelated) / AIM.spread
    assert meaning == pytest.approx(expected, abs=1e-6)


class Two(HashEncoder):
    """Knows two directions, and fails while it is told to."""

    fails = False

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked = 0

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each question: the first one along one axis, all others along the other."""
        self.asked += 1
        if self.fails:
            raise RuntimeError
        return [[1.0, 0.0], *[[0.0, 1.0]] * (len(texts) - 1)]


async def test_the_mean_of_the_usual_questions_is_made_once_and_after_a_failure_again() -> None:
    encoder, times = Two(), [0.0]
    usual = CommonQuestions(Embeddings(encoder, deadline_s=60), TABLE, now=lambda: times[0])
    encoder.fails = True
    assert await usual.mean() is None
    encoder.fails = False
    times[0] = RETRY_S - 1
    assert (await usual.mean(), encoder.asked) == (None, 1)
    times[0] = RETRY_S
    number = len(TABLE.usual_questions)

    assert await usual.mean() == pytest.approx([1 / number, (number - 1) / number])
    assert (await usual.mean(), encoder.asked) == (await usual.mean(), 2)


async def test_without_an_encoder_there_is_no_mean() -> None:
    assert await CommonQuestions(Embeddings(None, deadline_s=60), TABLE).mean() is None
