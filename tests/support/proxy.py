"""A TCP proxy between a driver and its server that can break the connection at a chosen moment."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

COMMIT = b"\xb0\x12"
"""The Bolt message COMMIT: a structure without fields, signature 0x12."""


class Proxy:
    """Passes bytes on. Armed, it lets one COMMIT reach the server (or not) and drops the connection then."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._lose_answer = 0
        self._lose_commit = 0
        self._keep_answer = 0
        self._away = False
        self.connections = 0
        self.dropped = 0
        self.address = ""

    def lose_answers(self, number: int = 1) -> None:
        """Let the next commits happen, and drop the connection instead of their answer."""
        self._lose_answer = number

    def lose_commits(self, number: int = 1) -> None:
        """Drop the connection when the next commits are sent, so that the server never sees them."""
        self._lose_commit = number

    def keep_answers(self, number: int = 1) -> None:
        """Let the next commits happen, and say nothing more on their connections, which stay open."""
        self._keep_answer = number

    def go_away(self) -> None:
        """Break all connections and every later one."""
        self._away = True
        self.break_connections()

    def break_connections(self) -> None:
        """Break all connections; later ones come through."""
        for writer in list(self._writers):
            writer.transport.abort()

    def come_back(self) -> None:
        """Pass bytes on again."""
        self._away = False

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side ends it."""
        self.connections += 1
        if self._away:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(*self._server)
        both = {writer, back}
        self._writers |= both
        cut, mute = asyncio.Event(), asyncio.Event()
        try:
            await asyncio.gather(
                self._requests(reader, back, cut, mute),
                self._answers(there, writer, cut, mute),
                return_exceptions=True,
            )
        finally:
            self._writers -= both
            for each in both:
                each.close()
            for each in both:
                with contextlib.suppress(OSError):
                    await each.wait_closed()

    async def _requests(
        self,
        reader: asyncio.StreamReader,
        back: asyncio.StreamWriter,
        cut: asyncio.Event,
        mute: asyncio.Event,
    ) -> None:
        while data := await reader.read(65536):
            # A driver sends COMMIT as a chunk of its own: two bytes of length, then the message.
            if b"\x00\x02" + COMMIT + b"\x00\x00" in data:
                if self._lose_commit:
                    self._lose_commit -= 1
                    self.dropped += 1
                    break
                if self._lose_answer:
                    self._lose_answer -= 1
                    self.dropped += 1
                    cut.set()
                if self._keep_answer:
                    self._keep_answer -= 1
                    self.dropped += 1
                    mute.set()
            back.write(data)
            await back.drain()
        if not cut.is_set():
            back.transport.abort()

    async def _answers(
        self,
        there: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        cut: asyncio.Event,
        mute: asyncio.Event,
    ) -> None:
        while data := await there.read(65536):
            if cut.is_set():
                # The server has answered, so it has committed; the driver will not be told.
                break
            if mute.is_set():
                continue
            writer.write(data)
            await writer.drain()
        writer.transport.abort()


P = TypeVar("P", bound=Proxy)


@asynccontextmanager
async def serving(proxy: P) -> AsyncIterator[P]:
    """Let a proxy listen on a free port of loopback; its address is in `address`."""
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    proxy.address = "{}:{}".format(*server.sockets[0].getsockname()[:2])
    try:
        yield proxy
    finally:
        server.close()
        proxy.break_connections()
        await server.wait_closed()
