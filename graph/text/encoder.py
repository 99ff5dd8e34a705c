"""Sentence encoders: texts become vectors, and the cosine of two says how near their meanings are.

The vectors have unit length. A question and a stored text are encoded in different ways, because some models
were trained so. Vectors of encoders with different names cannot be compared.

`onnx_encoder` runs models, `encoders` chooses one by the settings.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Protocol

from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.text.words import pieces_of, stem

Vector = list[float]


class Encoder(Protocol):
    """An encoder of texts. A text has the same vector whichever texts are encoded beside it.

    A text in a script that the encoder has not learned has none: any vector would say only that it is
    unknown, or which letters it has, and so be near to those of all other such texts.
    """

    @property
    def name(self) -> str:
        """Identifies the model and its version; it is stored beside the vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        ...

    async def load(self, progress: Progress | None = None) -> None:
        """Get ready to encode: fetch what is missing and open it. Without it the first use does that.

        Raises:
            EncoderUnavailable: If the model cannot be had now; a later call may succeed.
            SettingsError: If the settings name something that is no sentence encoder.
        """
        ...

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Return the vector of each text that is stored; None if the encoder knows nothing of it.

        Raises:
            EncoderUnavailable: If the model cannot be had, for whatever reason.
        """
        ...

    async def questions(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Return the vector of each text that is asked; None if the encoder knows nothing of it.

        Raises:
            EncoderUnavailable: If the model cannot be had, for whatever reason.
        """
        ...


class HashEncoder:
    """An encoder without a model: each stem of a text moves some dimensions, which a digest chooses.

    Texts are near if they share words. It is for tests of something else.
    """

    name = "hash"
    dimensions = 384

    async def load(self, progress: Progress | None = None) -> None:
        """There is nothing to load."""

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is stored."""
        return [self._vector(text) for text in texts]

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is asked."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        # No vector may be all zeros: it has no direction.
        vector = [1e-3] * self.dimensions
        for word in pieces_of(text):
            digest = hashlib.blake2b(stem(word).encode(), digest_size=8).digest()
            # Several dimensions, up or down, so that two words that share one by chance are not alike.
            for first, second in zip(digest[::2], digest[1::2], strict=True):
                vector[(first << 7 | second >> 1) % self.dimensions] += 1.0 if second & 1 else -1.0
        length = math.sqrt(sum(value * value for value in vector))
        return [value / length for value in vector]
