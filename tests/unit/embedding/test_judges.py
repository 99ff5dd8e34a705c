"""Of which kind a text is by its vector: worked values, properties of the fit, and how long who waits."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.judge import Judge, fitted
from prefrontal.graph.embedding.lazy_value import RETRY_S
from prefrontal.graph.embedding.prototypes import Prototypes
from prefrontal.graph.text.encoder import Encoder, HashEncoder, Vector
from tests.support.judging import Caring

TABLE = load_catalog(Settings().registry_dir).evaluation
EVERY = sum(map(len, TABLE.prototypes.sides))


def judge_of(these: Sequence[Vector], others: Sequence[Vector], above: float = 0.0) -> Judge:
    return fitted("e", these, others, ridge=1.0, above=above)


def unit(angle: float) -> tuple[float, float]:
    return math.cos(angle), math.sin(angle)


def test_the_worked_values_of_a_judgement() -> None:
    # One sentence on each side: the middle is 0, their distance from it 1; ridge 1 takes a third of the way.
    judge = judge_of([(1.0, 0.0)], [(-1.0, 0.0)])
    assert judge.direction == pytest.approx((2 / 3, 0.0))
    assert judge.offset == pytest.approx(0.0)
    assert judge.score((1.0, 0.0)) == pytest.approx(2 / 3)
    assert [judge.holds(vector) for vector in ((0.1, 0.9), (-0.1, 0.9), (0.0, 1.0))] == [True, False, False]
    strict = judge_of([(1.0, 0.0)], [(-1.0, 0.0)], above=0.5)
    assert [strict.holds((x, 0.0)) for x in (1.0, 0.7)] == [True, False]


def test_more_sentences_on_one_side_do_not_make_everything_call() -> None:
    judge = judge_of([unit(0.1), unit(-0.1), unit(0.0)], [unit(3.1)])
    assert judge.holds(unit(0.05))
    assert not judge.holds(unit(3.0))


vectors = st.lists(st.floats(0, 2 * math.pi).map(unit), min_size=1, max_size=6)


@given(vectors, vectors, st.floats(0, 2 * math.pi).map(unit))
def test_who_swaps_the_sides_gets_the_opposite(
    calling: list[Vector], not_calling: list[Vector], vector: Vector
) -> None:
    one, other = judge_of(calling, not_calling), judge_of(not_calling, calling)
    assert one.score(vector) == pytest.approx(-other.score(vector), abs=1e-9)


@given(vectors, vectors, st.floats(0, 2 * math.pi).map(unit), st.randoms(use_true_random=False))
def test_the_order_of_the_sentences_changes_nothing(
    calling: list[Vector], not_calling: list[Vector], vector: Vector, random: object
) -> None:
    one = judge_of(calling, not_calling)
    other = judge_of(calling[::-1], not_calling[::-1])
    assert one.score(vector) == pytest.approx(other.score(vector), abs=1e-9)


def prototypes(
    encoder: Encoder | None, now: float = 0.0, deadline_s: float = 5.0
) -> tuple[Prototypes, list[float]]:
    times = [now]
    return Prototypes(Embeddings(encoder, deadline_s), TABLE, lambda: times[0]), times


async def test_the_vectors_of_the_sentences_are_made_once() -> None:
    encoder = Caring()
    made, _ = prototypes(encoder)
    one, other = await asyncio.gather(made.calling(), made.calling())
    assert one is not None
    assert one is other is await made.calling(0)
    assert (one.encoder, [len(texts) for texts in encoder.asked]) == ("caring", [EVERY])
    (calling, not_calling) = await encoder.passages(["Please help", "It is over"])
    assert (one.holds(calling), one.holds(not_calling)) == (True, False)


@pytest.mark.parametrize("encoder", [None, HashEncoder()], ids=["none", "hash"])
async def test_without_meaning_nothing_is_judged(encoder: Encoder | None) -> None:
    made, _ = prototypes(encoder)
    assert (made.possible, await made.calling()) == (False, None)


class Paused(Caring):
    """Encodes nothing until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        await self.go.wait()
        return await super().passages(texts)


async def test_nobody_waits_longer_than_they_say() -> None:
    encoder = Paused()
    made, times = prototypes(encoder, deadline_s=1000)
    assert await made.calling(0) is None
    assert await made.calling(-1) is None
    assert await made.calling(0.01) is None
    # They are late for a write of that time: nobody waits for them again, however long they take.
    times[0] = 1000
    assert await made.calling(500) is None
    encoder.go.set()
    assert await made.calling() is not None
    assert [len(texts) for texts in encoder.asked] == [EVERY]


class Broken(Caring):
    """Fails while it is told to."""

    fails = True

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.fails:
            self.asked.append(list(texts))
            raise RuntimeError(len(texts))
        return await super().passages(texts)


async def test_a_failure_is_tried_again_after_a_while() -> None:
    encoder = Broken()
    made, times = prototypes(encoder)
    assert await made.calling() is None
    tried = len(encoder.asked)
    encoder.fails = False
    times[0] = RETRY_S - 1
    assert (await made.calling(), len(encoder.asked)) == (None, tried)
    times[0] = RETRY_S
    assert await made.calling() is not None


def test_each_side_has_many_sentences_and_none_stands_on_two() -> None:
    every = [text.casefold() for side in TABLE.prototypes.sides for text in side]
    assert len(set(every)) == len(every)
    assert all(len(side) > 60 for side in TABLE.prototypes.sides)


@given(vectors, vectors, st.floats(0, 2 * math.pi).map(unit))
def test_a_cosine_with_the_direction_tells_the_same_as_the_vector(
    these: list[Vector], others: list[Vector], vector: Vector
) -> None:
    judge = judge_of(these, others)
    length = math.hypot(*judge.direction)
    assume(length > 1e-6 and abs(judge.score(vector) - judge.above) > 1e-6)
    cosine = sum(a * b for a, b in zip(judge.direction, vector, strict=True)) / length
    assert judge.holds_at(cosine) == judge.holds(vector)
