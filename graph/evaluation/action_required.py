"""Whether a note calls for something, by the vectors of example sentences (decision G-145).

The registry has sentences that call for something and sentences that do not (`prototypes`). From the
cosines between them a direction is fitted along which the two kinds lie apart; the score of a note is where
its vector lies along it: about 1 among those that call for something, about -1 among the others.

    calls    if score > the encoder's `calls_from`

The fit is a ridge regression: `ridge` is what keeps it from following single sentences. It needs no constant
for what cosines are usual, so it serves any encoder that was trained on meaning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from prefrontal.graph.config.tables import JudgeTable


class Judge(NamedTuple):
    """Tells from a note's vector whether the note calls for something."""

    encoder: str
    """The name of the encoder whose vectors it can judge."""
    direction: tuple[float, ...]
    offset: float
    calls_from: float

    def score(self, vector: Sequence[float]) -> float:
        """Return how much a note with this vector is like those that call for something."""
        return self.offset + math.fsum(a * b for a, b in zip(self.direction, vector, strict=True))

    def calls(self, vector: Sequence[float]) -> bool:
        """Tell whether a note with this vector calls for something."""
        return self.score(vector) > self.calls_from


def fitted(
    encoder: str,
    calling: Sequence[Sequence[float]],
    not_calling: Sequence[Sequence[float]],
    constants: JudgeTable,
) -> Judge:
    """Return the judge for an encoder.

    Args:
        encoder: The name of the encoder.
        calling: The vectors of sentences that call for something; at least one.
        not_calling: The vectors of sentences that call for nothing; at least one.
        constants: What the registry says about the encoder.
    """
    # Only who has an encoder pays for the library.
    import numpy as np  # noqa: PLC0415

    vectors = np.array([*calling, *not_calling], dtype=np.float64)
    sides = np.array([1.0] * len(calling) + [-1.0] * len(not_calling))
    middle, balance = vectors.mean(axis=0), sides.mean()
    apart = vectors - middle
    weights = np.linalg.solve(apart @ apart.T + constants.ridge * np.eye(len(sides)), sides - balance)
    direction = apart.T @ weights
    return Judge(
        encoder, tuple(direction.tolist()), float(balance - direction @ middle), constants.calls_from
    )
