"""What all questions have in common, by the encoder of the process.

A sentence encoder gives every question some likeness to every text, and to some texts more than to others.
The mean vector of `usual_questions` of `registry/language/search.yaml` is that likeness. A search takes a
share of it away from the vector of its question (`rules.query_vector`): what is left says what the question
is about. Notes need more of it taken away than what people say to each other, where names and days, which all
questions have in common, tell one message from another.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from prefrontal.graph.embedding.lazy_value import LazyValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from prefrontal.graph.config.tables import SearchTable
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.text.encoder import Vector


class CommonQuestions:
    """Provides the mean of the vectors of usual questions."""

    def __init__(
        self, embeddings: Embeddings, table: SearchTable, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Store the encoder and the registry's table. `now` is a clock in seconds that never goes back."""
        self._embeddings = embeddings
        self._texts = table.usual_questions
        self._mean = LazyValue(self._make, table.bounds.deadline_ms / 1000, now)

    async def mean(self, seconds: float | None = None) -> Vector | None:
        """Return the mean; None if it is not there within some seconds, as `LazyValue.get` says."""
        return await self._mean.get(seconds)

    async def _make(self) -> Vector | None:
        made = await self._embeddings.questions_later(self._texts)
        vectors = [vector for vector in made or () if vector is not None]
        if not vectors:
            return None
        return [sum(values) / len(vectors) for values in zip(*vectors, strict=True)]
