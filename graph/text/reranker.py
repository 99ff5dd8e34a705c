"""Rerankers: a question and a text are read together, and a number says how surely the text answers.

A sentence encoder makes a vector of each text by itself, once, so that an index finds the nearest of many. A
reranker sees every word of the question beside every word of the text, which tells an answer from what is
merely about the same, but takes an encoding for each pair. So it is for the best few. In the same way it
reads two notes, and tells whether the newer one changes what the older one says.

`onnx_reranker` runs a model, `encoders` chooses one by the settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from prefrontal.graph.downloads.artifacts import Progress


class Reranker(Protocol):
    """Says how surely texts answer a question. A text has the same number whichever texts are beside it."""

    @property
    def name(self) -> str:
        """Identifies the model and its version."""
        ...

    async def load(self, progress: Progress | None = None) -> None:
        """Get ready: fetch what is missing and open it. Without it the first use does that.

        Raises:
            EncoderUnavailable: If the model cannot be had now; a later call may succeed.
        """
        ...

    async def logits(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the logarithm of the odds that each text answers the question: above 0 it rather does.

        Raises:
            EncoderUnavailable: If the model cannot be had, for whatever reason.
        """
        ...

    async def changes(self, newer: str, older: Sequence[str]) -> list[float]:
        """Return the logarithm of the odds that a note changes what each of some older ones says.

        Raises:
            EncoderUnavailable: If the model cannot be had, for whatever reason.
        """
        ...
