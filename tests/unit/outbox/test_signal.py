"""The signal that wakes a job."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.outbox.signal import Signal


async def test_what_is_set_while_nobody_waits_is_kept_once() -> None:
    signal = Signal()
    signal.set()
    signal.set()

    assert await signal.wait(60) is True
    assert await signal.wait(0) is False


@pytest.mark.parametrize("steps", range(6))
async def test_a_task_that_is_cancelled_as_the_signal_is_set_ends(steps: int) -> None:
    signal = Signal()
    waiting = asyncio.create_task(signal.wait(60))
    await asyncio.sleep(0)

    signal.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    done = waiting.done()
    waiting.cancel()

    (found,) = await asyncio.gather(waiting, return_exceptions=True)
    assert found is True if done else isinstance(found, asyncio.CancelledError)
