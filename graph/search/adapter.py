"""The adapter of a question: a learned linear map that moves its vector towards notes that answer it.

A small sentence encoder finds what a text is *about*: "fuel for the motor boat" is as near to "I get seasick
in the motor boat" as to "We store diesel in the shed". The adapter learned from questions and their answers
which directions of the vectors tell an answer from a text that merely shares the subject. Only the question
is moved, so what is stored stays as it is, and another adapter needs no new vectors.

The map is q + L (R q), with two matrices of low rank, as in LoRA (Hu et al., "LoRA: Low-Rank Adaptation of
Large Language Models", 2022). `python -m bench.adapter` makes the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.config.tables import adapter_file
from prefrontal.graph.errors import CatalogError

if TYPE_CHECKING:
    import numpy as np

    from prefrontal.graph.config.tables import AimTable, SearchTable
    from prefrontal.graph.text.encoder import Encoder

_SIDES = 2


class QuestionAdapter:
    """Moves the vectors of questions."""

    def __init__(self, left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> None:
        """Store the matrices: L of `dimensions` x rank, R of rank x `dimensions`."""
        self._left = left
        self._right = right

    def moved(self, vector: Sequence[float]) -> list[float]:
        """Return the vector of a question as it is looked for; its length changes."""
        found: list[float] = (vector + self._left @ (self._right @ vector)).tolist()
        return found


class Adapters(NamedTuple):
    """The adapters of a question; None: its vector stays where it is."""

    notes: QuestionAdapter | None = None
    speech: QuestionAdapter | None = None


NO_ADAPTERS = Adapters()


def adapters_of(registry: Path, table: SearchTable, encoder: Encoder | None) -> Adapters:
    """Return the adapters that `search.yaml` names for an encoder.

    Raises:
        CatalogError: If a file is missing, or is no adapter for vectors of this encoder.
    """
    if encoder is None:
        return NO_ADAPTERS
    of_encoder = table.encoder(encoder.name)

    def of(aim: AimTable) -> QuestionAdapter | None:
        return None if aim.adapter is None else read_adapter(registry, aim.adapter, encoder.dimensions)

    return Adapters(of(of_encoder.notes), of(of_encoder.speech))


def read_adapter(registry: Path, name: str, dimensions: int) -> QuestionAdapter:
    """Return the adapter `adapters/<name>.npy` of a registry: an array of 2 x rank x `dimensions` numbers.

    Raises:
        CatalogError: If the file is missing, is no such array, or is for vectors of another length.
    """
    # Only who has an encoder pays for the library.
    import numpy as np  # noqa: PLC0415

    file = registry / adapter_file(name)
    try:
        sides = np.load(file, allow_pickle=False).astype(np.float64)
    except (OSError, ValueError, TypeError) as error:
        raise CatalogError(
            f"{file}: {error}; search.yaml names this adapter: put the file there, or take `adapter` out of "
            "search.yaml"
        ) from error
    if sides.ndim != _SIDES + 1 or sides.shape[0] != _SIDES or sides.shape[2] != dimensions:
        raise CatalogError(
            f"{file}: an array of {' x '.join(map(str, sides.shape))}, but the encoder needs 2 x rank x "
            f"{dimensions}; make it with `python -m bench.adapter`, or take `adapter` out of search.yaml"
        )
    if not np.isfinite(sides).all():
        raise CatalogError(f"{file}: has numbers that are not finite; make it with `python -m bench.adapter`")
    return QuestionAdapter(sides[0].T, sides[1])
