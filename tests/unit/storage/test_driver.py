"""How the driver waits for its sockets."""

from __future__ import annotations

import asyncio
import sys

import pytest
from neo4j._async_compat.network import _bolt_socket

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.storage.driver import connect


@pytest.fixture(autouse=True)
async def _connected() -> None:
    await connect(Settings(), "bolt://127.0.0.1:1", "neo4j", None).close()


async def test_a_read_starts_no_task() -> None:
    async def tasks() -> int:
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert await _bolt_socket.wait_for(tasks(), 5) == len(asyncio.all_tasks())


async def test_a_read_that_takes_too_long_is_cancelled() -> None:
    waiting = asyncio.get_running_loop().create_future()
    with pytest.raises(TimeoutError):
        await _bolt_socket.wait_for(waiting, 0.001)
    assert waiting.cancelled()


async def test_a_cancelled_read_is_cancelled_even_if_its_bytes_have_come() -> None:
    waiting = asyncio.get_running_loop().create_future()
    reading = asyncio.create_task(_bolt_socket.wait_for(waiting, 5))
    await asyncio.sleep(0)
    waiting.set_result(b"bytes")
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_a_read_that_may_not_wait_gets_what_is_there() -> None:
    ready = asyncio.get_running_loop().create_future()
    ready.set_result(b"bytes")
    assert await _bolt_socket.wait_for(ready, 0) == b"bytes"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="the driver then uses asyncio.wait_for")
def test_the_private_name_is_where_it_was() -> None:
    assert _bolt_socket.wait_for.__module__ == "prefrontal.graph.storage.driver"
