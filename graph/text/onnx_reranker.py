"""Runs a cross-encoder on the CPU: a model in ONNX with heads, each of which makes a number of two texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.errors import EncoderUnavailable, SettingsError
from prefrontal.graph.text.low_rank import ANSWERS, CHANGES, read_head
from prefrontal.graph.text.model_files import Options
from prefrontal.graph.text.onnx_model import ModelFiles, ModelLoader, OnnxModel, readable

if TYPE_CHECKING:
    from prefrontal.graph.text.onnx_model import Array


class OnnxReranker:
    """A cross-encoder. The model is loaded at the first use, once."""

    def __init__(self, files: ModelFiles, *, threads: int = 1) -> None:
        """Prepare to use a model, whose tuning has a head; nothing is fetched or opened yet.

        Args:
            files: The model.
            threads: How many pairs are read side by side.
        """
        self._files = files
        self._threads = threads
        self._loader = ModelLoader(files, CrossModel)

    @property
    def name(self) -> str:
        """Identifies the model and its version; the model alone is an encoder, too."""
        return f"{self._files.name}-reranker"

    async def load(self, progress: Progress | None = None) -> None:
        """Fetch the model if the cache lacks it, and open it.

        Raises:
            EncoderUnavailable: If the model cannot be had.
        """
        await self._opened(progress)

    async def logits(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the logarithm of the odds that each text answers the question.

        Raises:
            EncoderUnavailable: If the model cannot be had.
        """
        return await self._each(CrossModel.logit, question, texts)

    async def changes(self, newer: str, older: Sequence[str]) -> list[float]:
        """Return the logarithm of the odds that a note changes what each of some older ones says.

        Raises:
            EncoderUnavailable: If the model cannot be had.
        """
        return await self._each(CrossModel.change, newer, older)

    async def _each(
        self, read: Callable[[CrossModel, str, str], float], first: str, texts: Sequence[str]
    ) -> list[float]:
        """Return what is read of a text together with each of some others, side by side."""
        if not texts:
            return []
        model, options = await self._opened(), self._files.options
        loop = asyncio.get_running_loop()
        return await asyncio.gather(
            *(
                loop.run_in_executor(
                    self._executor, read, model, readable(first, options), readable(text, options)
                )
                for text in texts
            )
        )

    @cached_property
    def _executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="reranker")

    async def _opened(self, progress: Progress | None = None) -> CrossModel:
        try:
            return await asyncio.wrap_future(self._loader.begin(progress))
        except SettingsError as error:
            raise EncoderUnavailable(error.message) from error


class CrossModel(OnnxModel):
    """An opened cross-encoder."""

    def __init__(self, folder: Path, options: Options, tuning: Path | None = None) -> None:
        if tuning is None:
            raise SettingsError(f"the model in {folder} has no head")
        # First, as a file without a head tunes nothing.
        try:
            self._answers, self._answers_constant = read_head(tuning, ANSWERS)
            self._changes, self._changes_constant = read_head(tuning, CHANGES)
        except (OSError, ValueError) as error:
            raise SettingsError(str(error)) from error
        super().__init__(folder, options, tuning)

    def logit(self, question: str, text: str) -> float:
        """Return the logarithm of the odds that a text answers a question.

        One pair at a time: a model that quantises what it computes would make another number of a pair for
        other pairs beside it.

        Raises:
            EncoderUnavailable: If the model fails at these texts.
        """
        return float(self.together(question, text) @ self._answers) + self._answers_constant

    def change(self, newer: str, older: str) -> float:
        """Return the logarithm of the odds that a note changes what an older one says.

        They are read in both orders.

        Raises:
            EncoderUnavailable: If the model fails at these texts.
        """
        return float(self.both(newer, older) @ self._changes) + self._changes_constant

    def both(self, one: str, other: str) -> Array:
        """Return the first word piece's vectors of two texts, read in both orders."""
        found: Array = self._np.concatenate([self.together(one, other), self.together(other, one)])
        return found

    def together(self, one: str, other: str) -> Array:
        """Return the first word piece's vector of two texts that are read together."""
        by_piece, _ = self.read([self.pieces(one, other)])
        found: Array = by_piece[0, 0]
        return found
