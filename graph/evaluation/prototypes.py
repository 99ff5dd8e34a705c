"""The vectors of the registry's example sentences, and the judge that is fitted to them.

They are made once in the life of a process. Until the judge is there, and where the encoder fails, evaluation
goes by the declared signals and the words.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from prefrontal.graph.embedding.lazy_value import LazyValue
from prefrontal.graph.evaluation.action_required import Judge, fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from prefrontal.graph.config.tables import EvaluationTable
    from prefrontal.graph.embedding.embeddings import Embeddings


class Prototypes:
    """Provides the judge for the encoder of the process."""

    def __init__(
        self, embeddings: Embeddings, table: EvaluationTable, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Store the encoder and the registry's table. `now` is a clock in seconds that never goes back."""
        self._embeddings = embeddings
        self._table = table
        self._judge = LazyValue(self._make, embeddings.deadline_s, now)

    @property
    def deadline_s(self) -> float:
        """How long a write waits for the encoder."""
        return self._embeddings.deadline_s

    @property
    def possible(self) -> bool:
        """Whether the encoder of the process, if there is one, knows meanings."""
        encoder, table = self._embeddings.encoder, self._table
        return (
            encoder is not None
            and encoder not in table.without_meaning
            and bool(table.prototypes.calling and table.prototypes.not_calling)
        )

    async def judge(self, seconds: float | None = None) -> Judge | None:
        """Return the judge; None if it is not there within some seconds, as `LazyValue.get` says."""
        return await self._judge.get(seconds) if self.possible else None

    async def _make(self) -> Judge | None:
        texts = self._table.prototypes
        vectors = await self._embeddings.later((*texts.calling, *texts.not_calling))
        calling = [found for text in texts.calling if (found := vectors.of(text)) is not None]
        not_calling = [found for text in texts.not_calling if (found := vectors.of(text)) is not None]
        if vectors.encoder is None or len(calling) + len(not_calling) < len(texts.calling) + len(
            texts.not_calling
        ):
            return None
        constants = self._table.judge_of(vectors.encoder)
        # Beside the event loop: the library is loaded for it.
        return await asyncio.to_thread(fitted, vectors.encoder, calling, not_calling, constants)
