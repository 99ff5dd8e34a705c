"""Runs a sentence encoder on the CPU, through onnxruntime.

A few threads of its own do the work, each with one text or batch at a time, so the event loop is never held
up. Questions have a thread to themselves: they never wait behind the passages of an import.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.errors import DownloadFailed, EncoderUnavailable, SettingsError
from prefrontal.graph.text.encoder import Vector
from prefrontal.graph.text.low_rank import tuned_model
from prefrontal.graph.text.model_files import MODEL, TOKENIZER, Options

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

    _Array = np.ndarray[Any, np.dtype[Any]]

RETRY_S = 60.0
"""How long after a failure to get the model every use fails at once, instead of trying again."""

_OPENING_S = 60.0
# Longer than it takes a busy machine to open a model.
_PIECES_AT_ONCE = 4096
# Most word pieces in a batch, padding included: the memory for attention grows with their squares.
_CHARS_PER_PIECE = 16
# Far more than any language has: what is behind is cut off anyway, and splitting it would cost time.
_NEEDED = {"input_ids", "attention_mask"}
_KNOWN = {*_NEEDED, "token_type_ids"}
_INTEGERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
_BY_WORD_PIECE = 3
_OUTPUTS = ("last_hidden_state", "token_embeddings")
_PADS = ("[PAD]", "<pad>")

_opening = threading.Lock()


@atexit.register
def _end_of_opening() -> None:
    """Wait until no model is being opened: a process that ends in the middle of this is aborted."""
    _opening.acquire(timeout=_OPENING_S)


class ModelFiles(Protocol):
    """The files of a model and what it needs to be told."""

    @property
    def name(self) -> str:
        """The name of the encoder."""
        ...

    @property
    def options(self) -> Options:
        """How the model is used."""
        ...

    @property
    def tuning(self) -> Path | None:
        """The file that tunes the model before it is opened (`low_rank.py`); None: it is used as it is."""
        ...

    def provide(self, progress: Progress | None = None) -> Path:
        """Return the folder with the files, after fetching them if necessary."""
        ...


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
        self._now = now
        self._lock = threading.Lock()
        self._loading: Future[_Model] | None = None
        self._failed_at = 0.0

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
        return self._options.dimensions or self._begin_loading(None).result().dimensions

    async def load(self, progress: Progress | None = None) -> None:
        """Fetch the model if the cache lacks it, and open it.

        Raises:
            EncoderUnavailable: If the model cannot be had; it is tried again after `RETRY_S` at the earliest.
            SettingsError: If the folder's model is no sentence encoder.
        """
        await asyncio.wrap_future(self._begin_loading(progress))

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is stored.

        Raises:
            EncoderUnavailable: If the model cannot be had.
        """
        return await self._encode(texts, self._options.passage_prefix, self._for_passages, self._threads)

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text that is asked.

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
    ) -> list[Vector]:
        """Return the vectors in the order of the texts; texts of similar length go together."""
        if not texts:
            return []
        try:
            model = await asyncio.wrap_future(self._begin_loading(None))
        except SettingsError as error:
            raise EncoderUnavailable(error.message) from error
        most = self._options.max_length * _CHARS_PER_PIECE
        prepared = [prefix + text[:most].encode(errors="replace").decode() for text in texts]
        order = sorted(range(len(prepared)), key=lambda index: len(prepared[index]))
        batches = [order[k : k + self._options.batch] for k in range(0, len(order), self._options.batch)]
        vectors: dict[int, Vector] = {}
        loop = asyncio.get_running_loop()
        # A few at a time, so that what others encode meanwhile comes in between.
        for k in range(0, len(batches), at_once):
            some = batches[k : k + at_once]
            made = await asyncio.gather(
                *(
                    loop.run_in_executor(executor, model.vectors, [prepared[i] for i in batch])
                    for batch in some
                )
            )
            for batch, of_batch in zip(some, made, strict=True):
                vectors |= zip(batch, of_batch, strict=True)
        return [vectors[index] for index in range(len(texts))]

    def _begin_loading(self, progress: Progress | None) -> Future[_Model]:
        """Return the loading of the model, begun if it has not been, or if it failed a while ago."""
        with self._lock:
            failed = self._loading is not None and self._loading.done() and self._loading.exception()
            if self._loading is None or (failed and self._now() - self._failed_at >= RETRY_S):
                self._loading = Future()
                # Whoever waits for it may be cancelled; the loading goes on.
                self._loading.set_running_or_notify_cancel()
                # A daemon: a process that ends does not wait for a download.
                threading.Thread(
                    target=self._load, args=(self._loading, progress), name="encoder", daemon=True
                ).start()
            return self._loading

    def _load(self, loading: Future[_Model], progress: Progress | None) -> None:
        try:
            model = self._open(progress)
        except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
            self._failed_at = self._now()
            loading.set_exception(error)
        else:
            loading.set_result(model)

    def _open(self, progress: Progress | None) -> _Model:
        try:
            folder = self._files.provide(progress)
        except DownloadFailed as error:
            raise EncoderUnavailable(
                f"the sentence encoder {self._files.name} is missing, and memories are found by their words "
                f"alone: {error.message}. Or name a model that is here: PREFRONTAL_ENCODER (docs/encoder.md)"
            ) from error
        except OSError as error:
            raise EncoderUnavailable(
                f"the sentence encoder {self._files.name} cannot be kept in the cache folder: {error}; make "
                "it writable, or set PREFRONTAL_CACHE_DIR to a folder that is"
            ) from error
        with _opening:
            return _Model(folder, self._options, self._files.tuning)


class _Model:
    """An opened model. Several threads may use it at once."""

    def __init__(self, folder: Path, options: Options, tuning: Path | None = None) -> None:
        """Open the model, tuned by a file if there is one.

        Raises:
            SettingsError: If the files are no sentence encoder.
        """
        # Only who encodes pays for these libraries.
        import numpy as np  # noqa: PLC0415
        import onnxruntime  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415

        self._np = np
        self._pooling = options.pooling
        settings = onnxruntime.SessionOptions()
        # One thread for each call: several calls side by side get more done than several threads in one.
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        try:
            model = str(folder / MODEL) if tuning is None else tuned_model(folder / MODEL, tuning)
            self._session: InferenceSession = onnxruntime.InferenceSession(
                model, settings, providers=["CPUExecutionProvider"]
            )
            self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:
            raise SettingsError(
                f"PREFRONTAL_ENCODER: the model in {folder} cannot be opened: {error}"
            ) from error
        padding = self._tokenizer.padding
        pads = (self._tokenizer.token_to_id(pad) for pad in _PADS)
        self._pad = padding["pad_id"] if padding else next((pad for pad in pads if pad is not None), 0)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(options.max_length)
        self._inputs = self._inputs_of(folder)
        self._output = self._output_of(folder)
        self.dimensions = len(self.vectors(["dimensions"])[0])
        if options.dimensions not in (None, self.dimensions):
            raise SettingsError(
                f"PREFRONTAL_ENCODER: the model in {folder} makes vectors of {self.dimensions} dimensions, "
                f"and encoder.json says {options.dimensions}"
            )

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector of unit length for each text; the texts have their prefixes.

        Raises:
            EncoderUnavailable: If the model fails at these texts.
        """
        return [vector for batch in self._batches(texts) for vector in self._vectors_of(batch)]

    def _batches(self, texts: Sequence[str]) -> Iterator[list[Encoding]]:
        """Yield the texts in word pieces, at most `_PIECES_AT_ONCE` together."""
        batch: list[Encoding] = []
        longest = 0
        # One by one: the library's own batches use every core.
        for encoding in map(self._tokenizer.encode, texts):
            longest = max(longest, len(encoding.ids))
            if batch and longest * (len(batch) + 1) > _PIECES_AT_ONCE:
                yield batch
                batch, longest = [], len(encoding.ids)
            batch.append(encoding)
        if batch:
            yield batch

    def _vectors_of(self, batch: Sequence[Encoding]) -> list[Vector]:
        np = self._np
        shape = (len(batch), max(1, *(len(encoding.ids) for encoding in batch)))
        whole = {
            "input_ids": np.full(shape, self._pad, np.int64),
            "attention_mask": np.zeros(shape, np.int64),
            "token_type_ids": np.zeros(shape, np.int64),
        }
        for row, encoding in enumerate(batch):
            length = len(encoding.ids)
            whole["input_ids"][row, :length] = encoding.ids
            whole["attention_mask"][row, :length] = 1
            whole["token_type_ids"][row, :length] = encoding.type_ids
        given = {name: whole[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        try:
            (by_piece,) = self._session.run([self._output], given)
        except Exception as error:
            raise EncoderUnavailable(
                f"the sentence encoder failed: {type(error).__name__}: {error}"
            ) from error
        pooled = self._pooled(by_piece, whole["attention_mask"][:, :, None])
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: list[Vector] = (pooled / np.maximum(lengths, 1e-12)).tolist()
        return unit

    def _pooled(self, by_piece: _Array, mask: _Array) -> _Array:
        if self._pooling == "cls":
            return by_piece[:, 0]
        np = self._np
        mean: _Array = (by_piece * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
        return mean

    def _inputs_of(self, folder: Path) -> dict[str, str]:
        """Return the inputs that the model takes, with the type of each."""
        found = {each.name: each.type for each in self._session.get_inputs()}
        if not _NEEDED <= found.keys() <= _KNOWN or not set(found.values()) <= _INTEGERS.keys():
            takes = ", ".join(f"{name} {kind}" for name, kind in sorted(found.items()))
            raise SettingsError(
                f"PREFRONTAL_ENCODER: the model in {folder} takes {takes}, but a sentence encoder takes "
                "input_ids, attention_mask and perhaps token_type_ids, as integers (docs/encoder.md)"
            )
        return {name: _INTEGERS[kind] for name, kind in found.items()}

    def _output_of(self, folder: Path) -> str:
        """Return the output with a vector for each word piece."""
        found: dict[str, list[Any]] = {each.name: each.shape for each in self._session.get_outputs()}
        for name in (*_OUTPUTS, *found):
            if name in found and len(found[name]) == _BY_WORD_PIECE:
                return name
        raise SettingsError(
            f"PREFRONTAL_ENCODER: the model in {folder} gives {', '.join(found)}, but no vector for each "
            "word piece, such as last_hidden_state (docs/encoder.md)"
        )
