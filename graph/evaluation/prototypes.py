"""The vectors of the registry's example sentences, and the judge that is fitted to them.

They are made once in the life of a process, beside everything else. Who needs the judge says how long it
waits; until it is there, and where the encoder fails, evaluation goes by the declared signals and the words.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from prefrontal.graph.evaluation.calling import Judge, fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from prefrontal.graph.config.tables import EvaluationTable
    from prefrontal.graph.embedding.embeddings import Embeddings

RETRY_S = 60.0
"""How long after a failure the vectors are made again at the earliest."""


class Prototypes:
    """Provides the judge for the encoder of the process."""

    def __init__(
        self, embeddings: Embeddings, table: EvaluationTable, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Store the encoder and the registry's table. `now` is a clock in seconds that never goes back."""
        self._embeddings = embeddings
        self._table = table
        self._now = now
        self._judge: Judge | None = None
        self._making: asyncio.Task[None] | None = None
        self._began_at = 0.0
        self._failed_at: float | None = None

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
        """Return the judge; None if it is not there within some seconds. Raises nothing.

        Nobody waits any more once a write's deadline has passed since the making began, as when a model is
        being fetched. Only without `seconds` it waits until the vectors are made or have failed.
        """
        if self._judge is not None or not self.possible:
            return self._judge
        if self._making is None or self._making.done():
            if self._failed_at is not None and self._now() - self._failed_at < RETRY_S:
                return None
            self._making = asyncio.create_task(self._make())
            self._began_at = self._now()
        if seconds is not None:
            seconds = min(seconds, self._began_at + self.deadline_s - self._now())
        if seconds is None or seconds > 0:
            await asyncio.wait({self._making}, timeout=seconds)
        return self._judge

    async def _make(self) -> None:
        texts = self._table.prototypes
        vectors = await self._embeddings.later((*texts.calling, *texts.not_calling))
        calling = [found for text in texts.calling if (found := vectors.of(text)) is not None]
        not_calling = [found for text in texts.not_calling if (found := vectors.of(text)) is not None]
        if vectors.encoder is None or len(calling) + len(not_calling) < len(texts.calling) + len(
            texts.not_calling
        ):
            self._failed_at = self._now()
            return
        constants = self._table.judge_of(vectors.encoder)
        # Beside the event loop: the library is loaded for it.
        self._judge = await asyncio.to_thread(fitted, vectors.encoder, calling, not_calling, constants)
