"""A further process of `prefrontal serve --workers`: it answers requests on the socket of the first process.

`python -m prefrontal.api.cli.worker FD` takes the number of the listening socket, which it inherits. The
first process holds the other end of its standard input; when that closes, the first process has ended, and so
does the worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import structlog
import uvicorn

from prefrontal.api.app import create_app
from prefrontal.api.cli.console import err, fail
from prefrontal.api.cli.session import open_services
from prefrontal.api.logs import configure_logs
from prefrontal.api.server import run_fast, server_config, settle
from prefrontal.graph.bootstrap.warmup import ready_to_encode
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.errors import PrefrontalError

_RESTART_S = 1.0
_STOP_S = 10.0

log = structlog.get_logger(__name__)


class Server(uvicorn.Server):
    """Ends on SIGINT and SIGTERM without raising them again, so that Neo4j can stop in order."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of the application, then stop: uvicorn waits for what is under way."""
        state = getattr(self.config.app, "state", None)
        end_streams = getattr(state, "end_streams", None)
        if end_streams is not None:
            end_streams()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals while the server runs."""
        handled = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextlib.asynccontextmanager
async def workers_on(listening: socket.socket, number: int) -> AsyncIterator[None]:
    """Run further processes on a listening socket while the block runs; one that ends is started again."""
    listening.set_inheritable(True)
    keeping = [asyncio.create_task(_keep(listening.fileno())) for _ in range(number)]
    try:
        yield
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)


async def ended(task: asyncio.Task[Any]) -> None:
    """End a task and wait until it has ended."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _keep(fd: int) -> None:
    """Run a worker, and another one when it ends, until cancelled; then end it."""
    while True:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "prefrontal.api.cli.worker",
            str(fd),
            stdin=asyncio.subprocess.PIPE,
            pass_fds=(fd,),
        )
        log.info("worker_started", worker=process.pid)
        try:
            status = await process.wait()
            log.error("worker_ended", worker=process.pid, status=status)
            await asyncio.sleep(_RESTART_S)
        except asyncio.CancelledError:
            await _end(process)
            raise


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


async def _work(settings: Settings, listening: socket.socket) -> None:
    async with open_services(settings) as (services, _):
        app = create_app(services)
        server = Server(server_config(app, settings.host, settings.port, settings.request_timeout_s))
        settle()

        async def end_with_the_first_process() -> None:
            reader = asyncio.StreamReader()
            loop = asyncio.get_running_loop()
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
            await reader.read()
            server.should_exit = True

        async with contextlib.AsyncExitStack() as beside:
            beside.push_async_callback(ended, asyncio.create_task(end_with_the_first_process()))
            if services.encoder is not None and not settings.fast_start:
                beside.push_async_callback(ended, asyncio.create_task(ready_to_encode(services)))
            await server.serve(sockets=[listening])


def main(fd: int) -> None:
    """Answer requests on the inherited socket until the first process ends."""
    try:
        # The first process runs the jobs and speaks to people.
        settings = load_settings().model_copy(update={"jobs": False})
        configure_logs(settings)
        err.quiet = True
        with contextlib.suppress(KeyboardInterrupt), socket.socket(fileno=os.dup(fd)) as listening:
            run_fast(_work(settings, listening))
    except PrefrontalError as error:
        log.error("stopped", code=error.code, reason=error.message)  # noqa: TRY400 - it is no defect
        fail(error)


if __name__ == "__main__":
    main(int(sys.argv[1]))
