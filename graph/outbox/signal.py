"""A signal inside one process: work is there. It carries nothing; who wakes up looks at the graph."""

from __future__ import annotations

import asyncio
import contextlib


class Signal:
    """Wakes one task that waits for work. What is set while nobody waits is kept for the next wait."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Say that there is work; costs nothing and never waits."""
        self._event.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until the signal is set, at most so long; return whether it was, and clear it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        was = self._event.is_set()
        self._event.clear()
        return was
