"""An encoder for tests of evaluation: it knows what calls for something, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.text.encoder import HashEncoder, Vector

_ACTION_REQUIRED = frozenset(load_catalog(Settings().registry_dir).evaluation.prototypes.calling)


class Caring(HashEncoder):
    """Knows that the registry's sentences that call, and what begins with "Please", call for something."""

    name = "caring"

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: list[list[str]] = []

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is stored."""
        self.asked.append(list(texts))
        return [self._judged(text) for text in texts]

    def _judged(self, text: str) -> Vector:
        calls = text in _ACTION_REQUIRED or text.startswith("Please")
        return [1.0 if calls else 0.0, 0.0 if calls else 1.0, *[0.0] * (self.dimensions - 2)]
