"""What a process makes once from the vectors of texts of the registry, beside everything else.

Who needs it says how long it waits. Until it is there, and where the encoder fails, callers go on without it.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

RETRY_S = 60.0
"""How long after a failure it is made again at the earliest."""

_Value = TypeVar("_Value")


class LazyValue(Generic[_Value]):
    """Makes something once, and again after a failure."""

    def __init__(
        self,
        make: Callable[[], Awaitable[_Value | None]],
        longest_s: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Store what makes it, which returns None if it fails, and the longest wait.

        `now` is a clock in seconds that never goes back.
        """
        self._make = make
        self._longest_s = longest_s
        self._now = now
        self._made: _Value | None = None
        self._making: asyncio.Task[None] | None = None
        self._began_at = 0.0
        self._failed_at: float | None = None

    async def get(self, seconds: float | None = None) -> _Value | None:
        """Return what is made; None if it is not there within some seconds. Raises nothing.

        Nobody waits any more once the longest wait has passed since the making began, as when a model is
        being fetched. Only without `seconds` it waits until the making has ended.
        """
        if self._made is not None:
            return self._made
        if self._making is None or self._making.done():
            if self._failed_at is not None and self._now() - self._failed_at < RETRY_S:
                return None
            self._making = asyncio.create_task(self._run())
            self._began_at = self._now()
        if seconds is not None:
            seconds = min(seconds, self._began_at + self._longest_s - self._now())
        if seconds is None or seconds > 0:
            await asyncio.wait({self._making}, timeout=seconds)
        return self._made

    async def _run(self) -> None:
        self._made = await self._make()
        if self._made is None:
            self._failed_at = self._now()
