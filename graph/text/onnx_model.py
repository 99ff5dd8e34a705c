"""Opens a model in ONNX with its tokenizer, on the CPU, and reads texts with it through onnxruntime."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.errors import DownloadFailed, EncoderUnavailable, SettingsError
from prefrontal.graph.text.low_rank import tuned_model
from prefrontal.graph.text.model_files import MODEL, TOKENIZER, Options

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, np.dtype[Any]]

RETRY_S = 60.0
"""How long after a failure to get the model every use fails at once, instead of trying again."""

_CHARS_PER_PIECE = 16
# Far more than any language has: what is behind is cut off anyway, and splitting it would cost time.
_OPENING_S = 60.0
# Longer than it takes a busy machine to open a model.
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


def readable(text: str, options: Options) -> str:
    """Return a text as a model takes it: not much longer than what it reads, without lone surrogates."""
    return text[: options.max_length * _CHARS_PER_PIECE].encode(errors="replace").decode()


class ModelFiles(Protocol):
    """The files of a model and what it needs to be told."""

    @property
    def name(self) -> str: ...

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


class OnnxModel:
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
        # What a text says is data: "[SEP]" in a note does not end the note.
        self._tokenizer.encode_special_tokens = True
        self._inputs = self._inputs_of(folder)
        self._output = self._output_of(folder)

    def pieces(self, text: str, beside: str | None = None) -> Encoding:
        """Return the word pieces of a text, or of two texts that are read together."""
        return self._tokenizer.encode(text, beside)

    def read(self, batch: Sequence[Encoding]) -> tuple[Array, Array]:
        """Return a vector for each word piece of some texts, and 1 for those that belong to them, else 0.

        The shapes are texts x word pieces x dimensions, and texts x word pieces x 1.

        Raises:
            EncoderUnavailable: If the model fails at these texts.
        """
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
        return by_piece, whole["attention_mask"][:, :, None]

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


Opened = TypeVar("Opened", bound=OnnxModel)


class ModelLoader(Generic[Opened]):
    """Fetches and opens a model at its first use, once, in a thread of its own."""

    def __init__(
        self,
        files: ModelFiles,
        opened: Callable[[Path, Options, Path | None], Opened],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Store the files, what opens them, and a clock in seconds that never goes back."""
        self._files = files
        self._opened = opened
        self._now = now
        self._lock = threading.Lock()
        self._loading: Future[Opened] | None = None
        self._failed_at = 0.0

    def begin(self, progress: Progress | None = None) -> Future[Opened]:
        """Return the loading of the model, begun if it has not been, or if it failed a while ago.

        It ends with `EncoderUnavailable` if the model cannot be had, which is tried again after `RETRY_S` at
        the earliest, and with `SettingsError` if the files are no such model.
        """
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

    def _load(self, loading: Future[Opened], progress: Progress | None) -> None:
        try:
            model = self._open(progress)
        except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
            self._failed_at = self._now()
            loading.set_exception(error)
        else:
            loading.set_result(model)

    def _open(self, progress: Progress | None) -> Opened:
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
            return self._opened(folder, self._files.options, self._files.tuning)
