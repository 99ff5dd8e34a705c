"""The deadline of questions: nobody waits for an encoder that is late already."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.text.encoder import Progress, Vector

SOON, LATER = 0.001, 60.0


class Gate:
    """An encoder whose questions wait until the gate is open, or fail."""

    name, dimensions = "gate", 1

    def __init__(self) -> None:
        self.open, self.calls = asyncio.Event(), 0
        self.error: Exception | None = None

    async def load(self, progress: Progress | None = None) -> None:
        """There is nothing to load."""

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        return [[1.0] for _ in texts]

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        self.calls += 1
        if self.error is not None:
            raise self.error
        await self.open.wait()
        return [[0.5] for _ in texts]


async def test_while_a_question_is_late_others_do_not_wait_and_writes_go_on() -> None:
    gate = Gate()
    embeddings = Embeddings(gate, LATER)
    # The loop is that of the whole run: other tests' tasks may never end.
    others = asyncio.all_tasks()

    assert await embeddings.of_questions(["first"], SOON) is None
    assert await embeddings.of_questions(["second"], LATER) is None
    assert gate.calls == 1
    assert (await embeddings.before_writing(["a note"])).of("a note") == [1.0]

    gate.open.set()
    await asyncio.gather(*(asyncio.all_tasks() - others))
    assert await embeddings.of_questions(["third"], LATER) == [[0.5]]


@pytest.mark.parametrize("error", [TimeoutError(), ValueError("x")])
async def test_a_question_that_fails_is_not_late(error: Exception) -> None:
    gate = Gate()
    embeddings = Embeddings(gate, LATER)
    gate.error = error

    assert await embeddings.of_questions(["first"], LATER) is None
    gate.error = None
    gate.open.set()
    assert await embeddings.of_questions(["second"], LATER) == [[0.5]]
