"""Configuration of the web server, shared by `prefrontal serve` and the benchmarks."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, TypeVar

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from starlette.types import ASGIApp

T = TypeVar("T")


def run_fast(main: Coroutine[None, None, T]) -> T:
    """Run a coroutine to its end on the event loop that uvicorn chooses: uvloop if it is installed."""
    factory = uvicorn.Config(app="").get_loop_factory()
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)


_GARBAGE = (20_000, 20, 20)
"""The thresholds of `gc.set_threshold`: a request allocates some hundred objects that die with it."""


def settle() -> None:
    """Freeze the objects made at the start, so that later garbage collections skip them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)


class _Timely(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Uvicorn's HTTP protocol; it closes connections on which the head of a request takes too long.

    Uvicorn itself closes only connections that are idle after a response.
    """

    head_timeout_s: float
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the head of the first request."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head that has begun, and no longer once it is there."""
        super().data_received(data)
        if not self._awaits_head():
            self._stop_waiting()
        elif self._timer is None:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _awaits_head(self) -> bool:
        # An upgrade hands the connection to another protocol, and with it every later byte.
        is_mine = self.transport.get_protocol() is self
        return is_mine and (self.cycle is None or self.cycle.response_complete)

    def _await_head(self) -> None:
        self._timer = self.loop.call_later(self.head_timeout_s, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_MOST_MESSAGE_BYTES = 1_000_000
"""The largest message of a socket: what a subscription needs is a few thousand bytes."""


def server_config(app: ASGIApp, host: str, port: int, head_timeout_s: float = 30.0) -> uvicorn.Config:
    """Return the settings of uvicorn: no access log (the middleware logs), no `Server` header."""
    return uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_max_size=_MOST_MESSAGE_BYTES,
        http=type("Timely", (_Timely,), {"head_timeout_s": head_timeout_s}),
        host=host,
        port=port,
        # Its lines go the way of all others: `configure_logs`.
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
