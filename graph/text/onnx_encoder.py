"""Runs a sentence encoder on the CPU.

A few threads of its own do the work, each with one text or batch at a time, so the event loop is never held
up. Questions have a thread to themselves: they never wait behind the passages of an import.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.errors import EncoderUnavailable, SettingsError
from prefrontal.graph.text.encoder import Vector
from prefrontal.graph.text.learned_scripts import knows, learned_scripts
from prefrontal.graph.text.model_files import Options
from prefrontal.graph.text.onnx_model import ModelFiles, ModelLoader, OnnxModel, readable

if TYPE_CHECKING:
    from tokenizers import Encoding

    from prefrontal.graph.text.onnx_model import Array

_PIECES_AT_ONCE = 4096
# Most word pieces in a batch, padding included: the memory for attention grows with their squares.
_UNKNOWN = "<unk>"


class OnnxEncoder:
    """A sentence encoder of a model in ONNX. The model is loaded at the first use, once."""

    def __init__(
        self, files: ModelFiles, *, threads: int = 1, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare to use a model; nothing is fetched or opened yet.

        Args:
            files: The model.
            threads: How many threads encode passages; one more encodes questions.
            now: A clock in seconds that never goes back.
        """
        self._files = files
        self._options = files.options
        self._threads = threads
        self._loader = ModelLoader(files, _Model, now)

    @cached_property
    def name(self) -> str:
        """Identifies the model and its version."""
        return self._files.name

    @property
    def dimensions(self) -> int:
        """The length of the vectors. It may have to open the model, which takes a moment.

        Raises:
            EncoderUnavailable: If the model has to be opened and cannot be had.
            SettingsError: If the folder's model is no sentence encoder.
        """
        return self._options.dimensions or self._loader.begin().result().dimensions

    async def load(self, progress: Progress | None = None) -> None:
        """Fetch the model if the cache lacks it, and open it.

        Raises:
            EncoderUnavailable: If the model cannot be had; it is tried again after `RETRY_S` at the earliest.
            SettingsError: If the folder's model is no sentence encoder.
        """
        await asyncio.wrap_future(self._loader.begin(progress))

    async def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is stored; None if the model has not learned its script.

        Raises:
            EncoderUnavailable: If the model cannot be had.
        """
        return await self._encode(texts, self._options.passage_prefix, self._for_passages, self._threads)

    async def questions(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is asked; None if the model has not learned its script.

        Raises:
            EncoderUnavailable: If the model cannot be had.
        """
        return await self._encode(texts, self._options.query_prefix, self._for_questions, 1)

    @cached_property
    def _for_passages(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="passages")

    @cached_property
    def _for_questions(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix="questions")

    async def _encode(
        self, texts: Sequence[str], prefix: str, executor: ThreadPoolExecutor, at_once: int
    ) -> list[Vector | None]:
        """Return the vectors in the order of the texts; texts of similar length go together."""
        if not texts:
            return []
        try:
            model = await asyncio.wrap_future(self._loader.begin())
        except SettingsError as error:
            raise EncoderUnavailable(error.message) from error
        prepared = [prefix + readable(text, self._options) for text in texts]
        order = sorted(range(len(prepared)), key=lambda index: len(prepared[index]))
        batches = [order[k : k + self._options.batch] for k in range(0, len(order), self._options.batch)]
        vectors: dict[int, Vector | None] = {}
        start = len(prefix)
        loop = asyncio.get_running_loop()
        # A few at a time, so that what others encode meanwhile comes in between.
        for k in range(0, len(batches), at_once):
            some = batches[k : k + at_once]
            made = await asyncio.gather(
                *(
                    loop.run_in_executor(executor, model.vectors, [prepared[i] for i in batch], start)
                    for batch in some
                )
            )
            for batch, of_batch in zip(some, made, strict=True):
                vectors |= zip(batch, of_batch, strict=True)
        return [vectors[index] for index in range(len(texts))]


class _Model(OnnxModel):
    """An opened sentence encoder."""

    def __init__(self, folder: Path, options: Options, tuning: Path | None = None) -> None:
        """Open the model, tuned by a file if there is one.

        Raises:
            SettingsError: If the files are no sentence encoder.
        """
        super().__init__(folder, options, tuning)
        self._pooling = options.pooling
        self._learned = learned_scripts(self._tokenizer)
        # Not all kinds of tokenizers tell what stands for a word that they do not know.
        unknown = getattr(self._tokenizer.model, "unk_token", None) or _UNKNOWN
        self._unknown = self._tokenizer.token_to_id(unknown)
        self.dimensions = len(self._vectors_of([self.pieces("dimensions")])[0])
        if options.dimensions not in (None, self.dimensions):
            raise SettingsError(
                f"PREFRONTAL_ENCODER: the model in {folder} makes vectors of {self.dimensions} dimensions, "
                f"and encoder.json says {options.dimensions}"
            )

    def vectors(self, texts: Sequence[str], start: int) -> list[Vector | None]:
        """Return a vector of unit length for each text; None if the model has not learned its script.

        The texts begin at `start`, behind their prefix.

        Raises:
            EncoderUnavailable: If the model fails at these texts.
        """
        # One by one: the library's own batches use every core.
        pieces = [self.pieces(text) for text in texts]
        known = [self._knows(text, of_text, start) for text, of_text in zip(texts, pieces, strict=True)]
        batches = self._batches(of_text for of_text, is_known in zip(pieces, known, strict=True) if is_known)
        made = (vector for batch in batches for vector in self._vectors_of(batch))
        return [next(made) if is_known else None for is_known in known]

    def _knows(self, text: str, pieces: Encoding, start: int) -> bool:
        lacks = [
            (max(0, begin - start), end - start)
            for piece, (begin, end) in zip(pieces.ids, pieces.offsets, strict=True)
            if piece == self._unknown and end > start
        ]
        return knows(text[start:], self._learned, lacks)

    def _batches(self, texts: Iterable[Encoding]) -> Iterator[list[Encoding]]:
        """Yield texts in word pieces, at most `_PIECES_AT_ONCE` together."""
        batch: list[Encoding] = []
        longest = 0
        for encoding in texts:
            longest = max(longest, len(encoding.ids))
            if batch and longest * (len(batch) + 1) > _PIECES_AT_ONCE:
                yield batch
                batch, longest = [], len(encoding.ids)
            batch.append(encoding)
        if batch:
            yield batch

    def _vectors_of(self, batch: Sequence[Encoding]) -> list[Vector]:
        np = self._np
        pooled = self._pooled(*self.read(batch))
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: list[Vector] = (pooled / np.maximum(lengths, 1e-12)).tolist()
        return unit

    def _pooled(self, by_piece: Array, mask: Array) -> Array:
        if self._pooling == "cls":
            return by_piece[:, 0]
        np = self._np
        mean: Array = (by_piece * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
        return mean
