"""Encoders of measurements: one that makes vectors without a model, and one that remembers and counts."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.prose import TOPICS, prose
from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.text.encoder import Encoder, Vector

Array = np.ndarray[Any, np.dtype[Any]]

UNRELATED, TOPIC = 0.6, 0.09
"""The cosines of texts of different topics, and how much more those of one topic have: as those of the models
that the service uses by default."""


class SyntheticVectors:
    """An encoder without a model: a text's vector lies near the centre of the topics of its words.

    The rest of it is noise of its own, made from a digest of the text. One takes 0.05 ms, so that loading
    very many memories is not bound by an encoder. It has the name of the encoder of the process, so that
    vectors of that one can be stored beside its own.
    """

    def __init__(self, name: str = "made", dimensions: int = 384) -> None:
        self.name = name
        self.dimensions = dimensions
        random = np.random.default_rng(0)
        self._common = _unit(random.standard_normal(dimensions)) * math.sqrt(UNRELATED)
        self._centres = random.standard_normal((TOPICS, dimensions))

    async def load(self, progress: Progress | None = None) -> None:
        """There is nothing to load."""

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is stored."""
        return [self.vector(text) for text in texts]

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is asked."""
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector:
        topic_of = prose().topic_of
        words = (word.strip(".,?").lower() for word in text.split())
        found = Counter(topic_of[word] for word in words if word in topic_of)
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
        own = _unit(np.random.default_rng(seed).standard_normal(self.dimensions))
        vector = self._common + own * math.sqrt(1 - UNRELATED - TOPIC)
        if found:
            topics, counts = zip(*found.items(), strict=True)
            # Squared: what a text has most words of is what it is about.
            vector += _unit(np.square(counts) @ self._centres[list(topics)]) * math.sqrt(TOPIC)
        made: Vector = _unit(vector).tolist()
        return made


def synthetic_like(encoder: Encoder | None) -> SyntheticVectors:
    """Return made vectors with the name and the length of an encoder's."""
    return SyntheticVectors() if encoder is None else SyntheticVectors(encoder.name, encoder.dimensions)


def _unit(vector: Array) -> Array:
    made: Array = vector / np.linalg.norm(vector)
    return made


class Observed:
    """Another encoder, which counts the seconds that it takes, and encodes a question once.

    A search whose question has been asked before is measured without its encoding.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._asked: dict[str, Vector | None] = {}
        self.seconds = 0.0
        """The time that passages took."""

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    async def load(self, progress: Progress | None = None) -> None:
        await self._encoder.load(progress)

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        started = time.perf_counter()
        try:
            return await self._encoder.passages(texts)
        finally:
            self.seconds += time.perf_counter() - started

    async def questions(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        new = [text for text in texts if text not in self._asked]
        if new:
            self._asked |= zip(new, await self._encoder.questions(new), strict=True)
        return [self._asked[text] for text in texts]
