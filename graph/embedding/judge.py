"""Of which of two kinds a text is, by the vectors of example sentences (decision G-145).

The registry has sentences of each kind (`prototypes` of `language/evaluation.yaml`): those that call for
something and those that do not, those that bind whoever knows them and those that only tell something. From
the cosines between them a direction is fitted along which the two kinds lie apart; the score of a text is
where its vector lies along it: about 1 among the first kind, about -1 among the other.

    holds    if score > the encoder's bound (`calls_from`, `binds_from`)

The fit is a ridge regression: `ridge` is what keeps it from following single sentences. It needs no constant
for what cosines are usual, so it serves any encoder that was trained on meaning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Judge(NamedTuple):
    """Tells from a text's vector whether the text is of the first kind."""

    encoder: str
    """The name of the encoder whose vectors it can judge."""
    direction: tuple[float, ...]
    offset: float
    above: float

    def score(self, vector: Sequence[float]) -> float:
        """Return how much a text with this vector is like those of the first kind."""
        return self.offset + math.fsum(a * b for a, b in zip(self.direction, vector, strict=True))

    def holds(self, vector: Sequence[float]) -> bool:
        """Tell whether a text with this vector is of the first kind."""
        return self.score(vector) > self.above

    def holds_at(self, cosine: float) -> bool:
        """Tell the same of a vector of unit length that has this cosine with `direction`."""
        return self.offset + math.hypot(*self.direction) * cosine > self.above


def fitted(
    encoder: str,
    these: Sequence[Sequence[float]],
    others: Sequence[Sequence[float]],
    *,
    ridge: float,
    above: float,
) -> Judge:
    """Return the judge for an encoder.

    Args:
        encoder: The name of the encoder.
        these: The vectors of sentences of the first kind; at least one.
        others: The vectors of sentences of the other kind; at least one.
        ridge: How little single sentences count; above 0.
        above: From which score on a text is of the first kind.
    """
    # Only who has an encoder pays for the library.
    import numpy as np  # noqa: PLC0415

    vectors = np.array([*these, *others], dtype=np.float64)
    sides = np.array([1.0] * len(these) + [-1.0] * len(others))
    middle, balance = vectors.mean(axis=0), sides.mean()
    apart = vectors - middle
    weights = np.linalg.solve(apart @ apart.T + ridge * np.eye(len(sides)), sides - balance)
    direction = apart.T @ weights
    return Judge(encoder, tuple(direction.tolist()), float(balance - direction @ middle), above)
