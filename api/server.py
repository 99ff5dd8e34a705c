"""How the web server runs an application; the same for `prefrontal serve` and for what is measured."""

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
    """Run a coroutine to its end on the web server's own choice of event loop: uvloop where there is one."""
    factory = uvicorn.Config(app="").get_loop_factory()
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)


_GARBAGE = (20_000, 20, 20)
"""After how many new objects garbage is looked for; a request makes some hundred that live for it only."""


def settle() -> None:
    """Take what was made at the start out of every later search for garbage: it stays for good."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)


def server_config(app: ASGIApp, host: str, port: int) -> uvicorn.Config:
    """Return the settings of the web server: no second log line per request, nothing said about itself."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
