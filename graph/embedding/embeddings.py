"""Vectors for texts that are about to be stored, and for questions.

A vector is never worth a failed write. What is not ready within the deadline, or cannot be encoded, is stored
without a vector; a job makes it later. A question without one is answered by words alone. While an encoding
goes on past its deadline, as when a model is being loaded, further texts of its kind do not wait for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import structlog

from prefrontal.graph.text.encoder import Encoder, Vector

log = structlog.get_logger(__name__)

_CHUNK = 32
"""How many texts are encoded at once: what is ready at the deadline is kept."""


class Vectors(NamedTuple):
    """The vectors of texts, and the name of the encoder that made them."""

    encoder: str | None
    by_text: Mapping[str, Vector]

    def of(self, text: str) -> Vector | None:
        """Return the vector of a text; None if there is none."""
        return self.by_text.get(text)


NO_VECTORS = Vectors(None, {})


class Embeddings:
    """Makes vectors with the encoder of the process; without an encoder there are none."""

    def __init__(self, encoder: Encoder | None, deadline_s: float) -> None:
        """Store the encoder, and how long a write waits for its vectors."""
        self._encoder = encoder
        self._deadline_s = deadline_s
        self._late: dict[str, asyncio.Task[list[Vector]]] = {}
        """What of each of the encoder's methods goes on past its deadline."""

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
        made: dict[str, Vector] = {}
        ends = time.monotonic() + self._deadline_s
        # Texts of similar length are encoded together: the shorter ones are padded.
        wanted = sorted(set(texts), key=len)
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            vectors = await self._within(self._encoder.passages, chunk, ends - time.monotonic())
            if vectors is None:
                break
            made.update(zip(chunk, vectors, strict=True))
        return Vectors(self._encoder.name, made)

    async def of_questions(self, texts: Sequence[str], deadline_s: float) -> list[Vector] | None:
        """Return the vectors of questions; None if they cannot be encoded within the deadline."""
        if self._encoder is None:
            return None
        return await self._within(self._encoder.questions, texts, deadline_s)

    async def works(self) -> bool:
        """Return whether the encoder can encode anything."""
        return self._encoder is not None and await self._made(self._encoder.passages, ["probe"]) is not None

    async def later(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of all texts that can be encoded, however long it takes.

        A text that cannot be encoded does not keep the others from it.
        """
        if self._encoder is None:
            return NO_VECTORS
        wanted = list(dict.fromkeys(texts))
        made = await self._made(self._encoder.passages, wanted)
        if made is not None:
            return Vectors(self._encoder.name, dict(zip(wanted, made, strict=True)))
        found: dict[str, Vector] = {}
        for text in wanted if len(wanted) > 1 and await self.works() else ():
            alone = await self._made(self._encoder.passages, [text])
            if alone is not None:
                found[text] = alone[0]
        return Vectors(self._encoder.name, found)

    async def questions_later(self, texts: Sequence[str]) -> list[Vector] | None:
        """Return the vectors of questions, however long it takes; None if they cannot be encoded."""
        return None if self._encoder is None else await self._made(self._encoder.questions, texts)

    async def _within(
        self, encode: Callable[[Sequence[str]], Awaitable[list[Vector]]], texts: Sequence[str], seconds: float
    ) -> list[Vector] | None:
        """Return what a method of the encoder gives within some seconds.

        None if it is late, fails, or an earlier call of it is late still.
        """
        what, encoder = encode.__name__, self.encoder
        late = self._late.get(what)
        if seconds <= 0 or (late is not None and not late.done()):
            return None
        task = asyncio.ensure_future(encode(texts))
        try:
            # The encoding goes on: a thread cannot be stopped.
            async with asyncio.timeout(seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            if not task.done():
                self._late[what] = task
                task.add_done_callback(_noticed)
                log.warning("encoding_late", encoder=encoder, what=what, texts=len(texts))
                return None
            _failed(encoder, task.exception())
            return None
        except asyncio.CancelledError:
            task.add_done_callback(_noticed)
            raise
        except Exception as error:  # noqa: BLE001 - whatever an encoder raises, texts are stored and found
            _failed(encoder, error)
            return None

    async def _made(
        self, encode: Callable[[Sequence[str]], Awaitable[list[Vector]]], texts: Sequence[str]
    ) -> list[Vector] | None:
        try:
            return await encode(texts)
        except Exception as error:  # noqa: BLE001 - the memories are found by their words
            _failed(self.encoder, error)
            return None


def _failed(encoder: str | None, error: BaseException | None) -> None:
    # The message could contain a text.
    log.warning("embedding_failed", encoder=encoder, error=type(error).__name__)


def _noticed(task: asyncio.Task[list[Vector]]) -> None:
    """Take the error of an encoding that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
