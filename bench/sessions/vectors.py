"""The vectors of texts by the encoder of the service, encoded once: a file keeps them between runs."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from prefrontal.graph.text.encoder import Encoder

Array = np.ndarray[Any, np.dtype[Any]]
_CHUNK = 32


class Vectors:
    """The vectors of texts by their texts, and the name of the encoder that made them; without one, none."""

    def __init__(self, encoder: str | None, by_text: Mapping[str, Array]) -> None:
        self.encoder = encoder
        self._by_text = by_text

    def of(self, text: str) -> Array | None:
        """Return the vector of a text, of unit length."""
        return self._by_text.get(text)

    def cosine(self, one: str, other: str) -> float | None:
        """Return the cosine of two texts; None without vectors."""
        first, second = self.of(one), self.of(other)
        return None if first is None or second is None else float(first @ second)

    def mean(self, texts: Iterable[str]) -> Array | None:
        """Return the mean vector of some texts, of unit length; None without vectors."""
        found = [vector for text in texts if (vector := self.of(text)) is not None]
        if not found:
            return None
        whole = np.sum(found, axis=0)
        return np.asarray(whole / np.linalg.norm(whole))


def vectors_of(encoder: Encoder | None, texts: Iterable[str], kept: Path | None = None) -> Vectors:
    """Return the vectors of texts; a file that is given has those of earlier runs, and those of this one."""
    if encoder is None:
        return Vectors(None, {})
    known: dict[str, Array] = {}
    if kept is not None and kept.exists():
        with np.load(kept) as file:
            known = dict(file)
    named = {text: _name(encoder.name, text) for text in sorted(set(texts), key=len)}
    missing = [text for text, name in named.items() if name not in known]
    for start in track(range(0, len(missing), _CHUNK), "encoding", disable=not missing):
        chunk = missing[start : start + _CHUNK]
        made = asyncio.run(_encoded(encoder, chunk))
        known |= {named[text]: np.asarray(v, np.float32) for text, v in zip(chunk, made, strict=True)}
    if kept is not None and missing:
        np.savez(kept, allow_pickle=False, **known)
    return Vectors(encoder.name, {text: known[name] for text, name in named.items()})


async def _encoded(encoder: Encoder, texts: list[str]) -> list[list[float]]:
    # To a text of which the encoder knows nothing, no other is near.
    return [vector or [0.0] * encoder.dimensions for vector in await encoder.passages(texts)]


def _name(encoder: str, text: str) -> str:
    return hashlib.sha256(f"{encoder}\0{text}".encode()).hexdigest()
