"""The API in a separate process for measurements: GraphQL over HTTP on loopback.

`python -m bench.web PORT` runs the process; settings, database and signing secret come from its environment.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.logs import configure_logs
from prefrontal.api.server import run_fast, server_config, settle
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.warmup import ready_to_encode
from prefrontal.graph.caller import Principal
from prefrontal.graph.clock import SystemClock
from prefrontal.graph.config.settings import REQUEST_LIMITS, ROOT, Settings, load_settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect

_HOST = "127.0.0.1"
_START_S = 60.0
_STATEMENTS = "prefrontal_query_seconds_count"


@dataclass(frozen=True, slots=True)
class Served:
    """A web server in a separate process, with a token for it, and what issues further ones."""

    url: str
    token: str
    pid: int
    issue: Callable[[Principal], str]


@asynccontextmanager
async def serving(
    module: str,
    ready: str,
    settings: Settings,
    endpoint: Endpoint,
    principal: Principal,
    log: Path,
    folder: Path | None = None,
) -> AsyncIterator[Served]:
    """Run `python -m MODULE PORT`, provide the server once its path `ready` answers, and stop it at the end.

    The server's output, including its log, goes to the file `log`. The code is that of the checkout `folder`,
    or of this one.
    """
    folder = folder or ROOT
    secret = secrets.token_hex(32)
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port = probe.getsockname()[1]
    env = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "NEO4J_URI": endpoint.uri,
        "NEO4J_USER": endpoint.user,
        "NEO4J_PASSWORD": endpoint.password or "",
        "PREFRONTAL_JWT_SECRET": secret,
        # One client sends as many requests as the service can answer.
        **{f"PREFRONTAL_{name.upper()}": "0" for name in REQUEST_LIMITS},
        # Jobs are off: the expiry job is measured separately.
        "PREFRONTAL_JOBS": "false",
        "PREFRONTAL_LOG_FORMAT": "json",
        "PREFRONTAL_QUERY_TIMEOUT_S": str(settings.query_timeout_s),
    }
    log.parent.mkdir(parents=True, exist_ok=True)
    # Every request is logged, as in production; a file avoids the slowness of a terminal.
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: ASYNC220, S603
            [sys.executable, "-m", module, str(port)], cwd=folder, env=env, stdout=output, stderr=output
        )
    try:
        tokens = Tokens(secret, settings, SystemClock())

        def issue(principal: Principal) -> str:
            return tokens.issue(principal, timedelta(days=1))[0]

        found = Served(f"http://{_HOST}:{port}", issue(principal), process.pid, issue)
        await _ready(f"{found.url}{ready}", process, log)
        yield found
    finally:
        process.terminate()
        process.wait()


@asynccontextmanager
async def served(
    settings: Settings, endpoint: Endpoint, principal: Principal, log: Path
) -> AsyncIterator[httpx.AsyncClient]:
    """Provide an HTTP client with a token for the running API."""
    async with serving("bench.web", "/readyz", settings, endpoint, principal, log) as api:
        headers = {"Authorization": f"Bearer {api.token}"}
        async with httpx.AsyncClient(base_url=api.url, headers=headers, timeout=60.0) as http:
            yield http


async def _ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    async with httpx.AsyncClient() as http:
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if (await http.get(url)).is_success:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
    raise SystemExit(f"{url} did not answer; see {log}")


async def graphql(http: httpx.AsyncClient, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a GraphQL operation.

    Raises:
        RuntimeError: If the response has errors.
    """
    answer = await http.post("/graphql", json={"query": query, "variables": variables})
    body: dict[str, Any] = answer.json()
    if "errors" in body:
        raise RuntimeError(str(body["errors"]))
    data: dict[str, Any] = body["data"]
    return data


async def statements_so_far(http: httpx.AsyncClient) -> int:
    """Return how many statements the API has run, according to its metrics."""
    lines = (await http.get("/metrics")).text.splitlines()
    return sum(int(float(line.split()[-1])) for line in lines if line.startswith(_STATEMENTS))


def _serve(port: int) -> None:
    settings = load_settings()
    configure_logs(settings)
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None

    async def run() -> None:
        driver = connect(settings, str(settings.neo4j_uri), settings.neo4j_user, password)
        services = build_services(settings, driver)
        await ready_to_encode(services)
        app = create_app(services)
        config = server_config(app, _HOST, port)
        settle()
        await uvicorn.Server(config).serve()

    run_fast(run())


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
