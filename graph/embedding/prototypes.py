"""The vectors of the registry's example sentences, and the judges that are fitted to them.

They are made once in the life of a process. Until the judges are there, and where the encoder fails, whoever
asks goes by the declared signals and the words.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.embedding.judge import Judge, fitted
from prefrontal.graph.embedding.lazy_value import LazyValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from prefrontal.graph.config.tables import EvaluationTable
    from prefrontal.graph.embedding.embeddings import Embeddings


class Judges(NamedTuple):
    """What can be told from a text's vector."""

    calling: Judge
    """Whether it calls for something."""
    binding: Judge
    """Whether it binds whoever knows it: harm, a ban, a limit, a duty, a promise or a deadline."""


class Prototypes:
    """Provides the judges for the encoder of the process."""

    def __init__(
        self, embeddings: Embeddings, table: EvaluationTable, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Store the encoder and the registry's table. `now` is a clock in seconds that never goes back."""
        self._embeddings = embeddings
        self._table = table
        self._judges = LazyValue(self._make, embeddings.deadline_s, now)

    @property
    def deadline_s(self) -> float:
        """How long a write waits for the encoder."""
        return self._embeddings.deadline_s

    @property
    def possible(self) -> bool:
        """Whether the encoder of the process, if there is one, knows meanings."""
        encoder, table = self._embeddings.encoder, self._table
        return encoder is not None and encoder not in table.without_meaning and all(table.prototypes.sides)

    async def judges(self, seconds: float | None = None) -> Judges | None:
        """Return the judges; None if they are not there within some seconds, as `LazyValue.get` says."""
        return await self._judges.get(seconds) if self.possible else None

    async def calling(self, seconds: float | None = None) -> Judge | None:
        """Return the judge of what calls for something; None as `judges` says."""
        judges = await self.judges(seconds)
        return None if judges is None else judges.calling

    async def binding(self, seconds: float | None = None) -> Judge | None:
        """Return the judge of what binds whoever knows it; None as `judges` says."""
        judges = await self.judges(seconds)
        return None if judges is None else judges.binding

    async def _make(self) -> Judges | None:
        sides = self._table.prototypes.sides
        vectors = await self._embeddings.later([text for side in sides for text in side])
        made = [[found for text in side if (found := vectors.of(text)) is not None] for side in sides]
        if vectors.encoder is None or list(map(len, made)) != list(map(len, sides)):
            return None
        name, constants = vectors.encoder, self._table.judge_of(vectors.encoder)
        calling, not_calling, binding, not_binding = made

        def both() -> Judges:
            return Judges(
                fitted(name, calling, not_calling, ridge=constants.ridge, above=constants.calls_from),
                # What calls for nothing binds nobody either.
                fitted(
                    name,
                    binding,
                    [*not_binding, *not_calling],
                    ridge=constants.ridge,
                    above=constants.binds_from,
                ),
            )

        # Beside the event loop: the library is loaded for it.
        return await asyncio.to_thread(both)
