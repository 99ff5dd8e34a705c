"""A proxy that falls silent at a chosen Bolt message, and a clock that does not wait for deadlines."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.support.proxy import COMMIT, Proxy

HELLO = b"\xb1\x01"
"""How the first Bolt message of a connection begins, after the handshake."""


class Messages:
    """Finds where the messages of a driver end in the bytes of one connection."""

    def __init__(self) -> None:
        self._left = b""
        self._greeted = False

    def split(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Return the bytes in pieces, each with the message that it is, or with nothing for the handshake.

        A message comes in chunks, each with two bytes of length, and ends with an empty one. The bytes of a
        message that is not complete are kept for the next call.
        """
        data, self._left = self._left + data, b""
        pieces: list[tuple[bytes, bytes]] = []
        if not self._greeted:
            place = data.find(HELLO)
            if place < 0:
                return [(data, b"")]
            self._greeted = True
            pieces.append((data[: place - 2], b""))
            data = data[place - 2 :]
        begin = at = 0
        message = b""
        while len(data) - at >= 2 and len(data) - at >= 2 + (size := int.from_bytes(data[at : at + 2])):
            message += data[at + 2 : at + 2 + size]
            at += 2 + size
            if not size:
                pieces.append((data[begin:at], message))
                begin, message = at, b""
        self._left = data[begin:]
        return pieces


class FreezingProxy(Proxy):
    """Passes bytes on until it falls silent: connections then stay open, and nothing comes through."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self._at = 0
        self._answered = False
        self._last: asyncio.StreamWriter | None = None
        self.frozen = False
        self.messages: list[bytes] = []

    def freeze_at(self, number: int, *, answered: bool = False) -> None:
        """Count messages from now on, and fall silent at the one with this number; 0 is none.

        The server does not get the message. If `answered`, the server gets it, and its answer is the first
        thing that does not come through.
        """
        self.messages.clear()
        self._at, self._answered = number, answered

    def thaw(self) -> None:
        """Break all connections, and let later ones through."""
        self._at, self._last, self.frozen = 0, None, False
        self.break_connections()

    async def _requests(
        self,
        reader: asyncio.StreamReader,
        back: asyncio.StreamWriter,
        *_: asyncio.Event,
    ) -> None:
        messages = Messages()
        while data := await reader.read(65536):
            for piece, message in messages.split(data):
                if message:
                    self.messages.append(message)
                if self._at and len(self.messages) >= self._at and self._last is None and not self.frozen:
                    if self._answered:
                        self._last = back
                        back.write(piece)
                        continue
                    self.frozen = True
                if not self.frozen and self._last is None:
                    back.write(piece)
            await back.drain()
        back.transport.abort()

    async def _answers(
        self,
        there: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *_: asyncio.Event,
    ) -> None:
        while data := await there.read(65536):
            if self._last is not None:
                self.frozen = True
            if not self.frozen:
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def hurried(stands: Callable[[], bool]) -> AsyncIterator[None]:
    """Let the time of the event loop run while `stands()`, so that no deadline is waited for.

    Nothing but deadlines depends on this clock. It moves on a second for each round of the loop, and only
    while everything else stands still.
    """
    loop = asyncio.get_running_loop()
    usual, passed = loop.time, 0.0

    def now() -> float:
        return usual() + passed

    async def hurry() -> None:
        nonlocal passed
        while True:
            await asyncio.sleep(0)
            if stands():
                passed += 0.5
            else:
                # Not a wait for time: without a pause this task would keep a processor busy.
                await asyncio.sleep(0.001)

    loop.time = now  # type: ignore[method-assign]
    task = asyncio.create_task(hurry())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        passed_for_good = passed
        loop.time = lambda: usual() + passed_for_good  # type: ignore[method-assign]


def commits(messages: list[bytes]) -> list[int]:
    """The numbers of the messages that are COMMIT."""
    return [number for number, message in enumerate(messages, 1) if message == COMMIT]


def close_left(address: str) -> None:
    """Close the sockets to an address that are still open.

    The driver leaves a socket to the garbage collector if connecting is given up. Its warning would fail a
    later test, in which it happens to be collected.
    """
    host, _, port = address.rpartition(":")
    for each in gc.get_objects():
        if type(each) is socket.socket and each.fileno() >= 0:
            try:
                peer = each.getpeername()
            except OSError:
                continue
            if peer == (host, int(port)):
                each.close()
