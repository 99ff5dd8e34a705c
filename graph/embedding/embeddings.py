"""Vectors for texts that are about to be stored, and for questions.

A vector is never worth a failed write. What is not ready within the deadline, or cannot be encoded, is stored
without a vector; a job makes it later. A question without one is answered by words alone. A text of which the
encoder knows nothing has no vector, now or later. While an encoding goes on past its deadline, as when a
model is being loaded, further texts of its kind do not wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from prefrontal.graph.embedding.deadlines import DeadlineCalls
from prefrontal.graph.text.encoder import Encoder, Vector

_CHUNK = 32
"""How many texts are encoded at once: what is ready at the deadline is kept."""


class Vectors(NamedTuple):
    """The vectors of texts, and the name of the encoder that made them."""

    encoder: str | None
    by_text: Mapping[str, Vector | None]
    """By text; None for one of which the encoder knows nothing."""

    def of(self, text: str) -> Vector | None:
        """Return the vector of a text; None if there is none."""
        return self.by_text.get(text)


NO_VECTORS = Vectors(None, {})


class Embeddings:
    """Makes vectors with the encoder of the process; without an encoder there are none."""

    def __init__(self, encoder: Encoder | None, deadline_s: float) -> None:
        self._encoder = encoder
        self._deadline_s = deadline_s
        self._calls = DeadlineCalls(lambda: self.encoder)

    @property
    def encoder(self) -> str | None:
        """The name of the encoder."""
        return None if self._encoder is None else self._encoder.name

    @property
    def deadline_s(self) -> float:
        """How long a write waits for its vectors."""
        return self._deadline_s

    async def before_writing(self, texts: Iterable[str]) -> Vectors:
        """Return the vectors of those texts that are encoded within the deadline. Raises nothing."""
        if self._encoder is None:
            return NO_VECTORS
        made: dict[str, Vector | None] = {}
        ends = time.monotonic() + self._deadline_s
        # Texts of similar length are encoded together: the shorter ones are padded.
        wanted = sorted(set(texts), key=len)
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            vectors = await self._calls.within(
                ends - time.monotonic(), "passages", partial(self._encoder.passages, chunk), chunk
            )
            if vectors is None:
                break
            made.update(zip(chunk, vectors, strict=True))
        return Vectors(self._encoder.name, made)

    async def of_questions(self, texts: Sequence[str], deadline_s: float) -> Sequence[Vector | None] | None:
        """Return the vectors of questions; None if they cannot be encoded within the deadline.

        The vector of a question of which the encoder knows nothing is None.
        """
        if self._encoder is None:
            return None
        return await self._calls.within(
            deadline_s, "questions", partial(self._encoder.questions, texts), texts
        )

    async def works(self) -> bool:
        """Return whether the encoder can encode anything."""
        return self._encoder is not None and await self._encoded(self._encoder, ["probe"]) is not None

    async def later(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of all texts that can be encoded, however long it takes.

        A text that cannot be encoded does not keep the others from it.
        """
        if self._encoder is None:
            return NO_VECTORS
        wanted = list(dict.fromkeys(texts))
        made = await self._encoded(self._encoder, wanted)
        if made is not None:
            return Vectors(self._encoder.name, dict(zip(wanted, made, strict=True)))
        found: dict[str, Vector | None] = {}
        for text in wanted if len(wanted) > 1 and await self.works() else ():
            alone = await self._encoded(self._encoder, [text])
            if alone is not None:
                found[text] = alone[0]
        return Vectors(self._encoder.name, found)

    async def questions_later(self, texts: Sequence[str]) -> Sequence[Vector | None] | None:
        """Return the vectors of questions as `of_questions`, however long it takes."""
        if self._encoder is None:
            return None
        return await self._calls.whenever(partial(self._encoder.questions, texts))

    async def _encoded(self, encoder: Encoder, texts: Sequence[str]) -> Sequence[Vector | None] | None:
        return await self._calls.whenever(partial(encoder.passages, texts))
