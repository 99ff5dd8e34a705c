"""Uses several sentence encoders as one, so that one of them sees what another misses."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.text.encoder import Encoder, Vector

if TYPE_CHECKING:
    from prefrontal.graph.downloads.artifacts import Progress


class JointEncoder:
    """Several encoders as one: the cosine of two of its vectors is the weighted mean of their cosines.

    A vector is made of those of the parts, one behind the other, each as long as the root of its share.
    """

    def __init__(self, name: str, parts: Sequence[tuple[Encoder, float]]) -> None:
        self.name = name
        self._encoders = [encoder for encoder, _ in parts]
        self._lengths = [math.sqrt(share) for _, share in parts]

    @property
    def dimensions(self) -> int:
        """The length of the vectors, that of all parts together."""
        return sum(encoder.dimensions for encoder in self._encoders)

    async def load(self, progress: Progress | None = None) -> None:
        """Get all parts ready, one after the other, as `Encoder.load`."""
        for encoder in self._encoders:
            await encoder.load(progress)

    async def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is stored, as `Encoder.passages`."""
        # One after the other: each part keeps all threads busy by itself.
        return self._joined([await encoder.passages(texts) for encoder in self._encoders])

    async def questions(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is asked, as `Encoder.questions`."""
        return self._joined(await asyncio.gather(*(each.questions(texts) for each in self._encoders)))

    def _joined(self, made: Iterable[Sequence[Vector | None]]) -> list[Vector | None]:
        return [self._one(parts) for parts in zip(*made, strict=True)]

    def _one(self, parts: Sequence[Vector | None]) -> Vector | None:
        joined: Vector = []
        for length, vector in zip(self._lengths, parts, strict=True):
            if vector is None:
                # The cosines of what is left would be those of another encoder.
                return None
            joined += [value * length for value in vector]
        return joined
