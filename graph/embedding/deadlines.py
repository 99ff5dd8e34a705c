"""Calls of models that are not waited for longer than a deadline.

While a call goes on past its deadline, as when a model is being loaded, further calls of its kind do not wait
for it. What a model raises is logged, without its message: that could contain a text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import structlog

log = structlog.get_logger(__name__)

_Result = TypeVar("_Result")


class DeadlineCalls:
    """Calls the methods of a model."""

    def __init__(self, model: Callable[[], str | None]) -> None:
        self._model = model
        self._late: dict[str, asyncio.Task[Any]] = {}
        """The call of each method that goes on past its deadline."""

    async def within(
        self, seconds: float, what: str, call: Callable[[], Awaitable[_Result]], texts: Sequence[str]
    ) -> _Result | None:
        """Return what a method gives within some seconds.

        None if it is late, fails, or an earlier call of it is late still. Raises nothing.

        Args:
            seconds: How long it is waited for.
            what: The name of the method.
            call: Calls it.
            texts: What it is given; their number is logged.
        """
        late = self._late.get(what)
        if seconds <= 0 or (late is not None and not late.done()):
            return None
        task = asyncio.ensure_future(call())
        try:
            # The call goes on: a thread cannot be stopped.
            async with asyncio.timeout(seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            if not task.done():
                self._late[what] = task
                task.add_done_callback(_noticed)
                log.warning("encoding_late", encoder=self._model(), what=what, texts=len(texts))
                return None
            self._failed(task.exception())
            return None
        except asyncio.CancelledError:
            task.add_done_callback(_noticed)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a model raises, texts are stored and found
            self._failed(error)
            return None

    async def whenever(self, call: Callable[[], Awaitable[_Result]]) -> _Result | None:
        """Return what a method gives, however long it takes; None if it fails. Raises nothing."""
        try:
            return await call()
        except Exception as error:  # noqa: BLE001 - the memories are found by their words
            self._failed(error)
            return None

    def _failed(self, error: BaseException | None) -> None:
        log.warning("embedding_failed", encoder=self._model(), error=type(error).__name__)


def _noticed(task: asyncio.Task[Any]) -> None:
    """Take the error of a call that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
