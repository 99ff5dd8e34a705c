"""Configuration of the web server, shared by `prefrontal serve` and the benchmarks."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, TypeVar

import uvicorn

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


def server_config(app: ASGIApp, host: str, port: int) -> uvicorn.Config:
    """Return the settings of uvicorn: no access log (the middleware logs), no `Server` header."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
