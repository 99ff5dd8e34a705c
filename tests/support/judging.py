"""An encoder for tests: it knows what calls for something and what binds, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.text.encoder import HashEncoder, Vector

_PROTOTYPES = load_catalog(Settings().registry_dir).evaluation.prototypes
_CALLING, _BINDING = frozenset(_PROTOTYPES.calling), frozenset(_PROTOTYPES.binding)


class Caring(HashEncoder):
    """Knows that the registry's sentences that call, and what begins with "Please", call for something.

    Those that bind, and what begins with "Beware", bind.
    """

    name = "caring"

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: list[list[str]] = []

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is stored."""
        self.asked.append(list(texts))
        return [self._judged(text) for text in texts]

    def _judged(self, text: str) -> Vector:
        place = 1
        if text in _CALLING or text.startswith("Please"):
            place = 0
        elif text in _BINDING or text.startswith("Beware"):
            place = 2
        return [float(number == place) for number in range(self.dimensions)]
