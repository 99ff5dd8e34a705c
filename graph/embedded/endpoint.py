"""Choice of the Neo4j server: the configured one, a running embedded one, or a new embedded one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prefrontal.graph.embedded import EmbeddedNeo4j, Progress, ServerConfig, ensure_jars, find_running
from prefrontal.graph.embedded.keeper import Keeper
from prefrontal.graph.errors import PortTaken

if TYPE_CHECKING:
    from prefrontal.graph.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach a running Neo4j."""

    uri: str
    user: str
    password: str | None
    browser_url: str | None
    """The base URL of Neo4j Browser; None when it is unknown."""
    source: str
    """`configured` (NEO4J_URI), `running` (from `prefrontal db start`) or `embedded` (started here)."""


def store_home(settings: Settings) -> Path:
    """Return the folder of the embedded server's store."""
    return (settings.data_dir / "neo4j").absolute()


def embedded_config(settings: Settings) -> ServerConfig:
    """Return the configuration for ordinary use: password, loopback, CORS for the API's pages only."""
    return ServerConfig(
        home=store_home(settings),
        bolt_port=settings.bolt_port,
        http_port=settings.browser_port,
        browser_origin=f"http://{settings.host}:{settings.port}",
    )


@contextmanager
def provide_database(settings: Settings, progress: Progress | None = None) -> Iterator[Endpoint]:
    """Provide a running Neo4j inside the block.

    A server that was started here is restarted if it ends by itself, and is stopped when the block ends.

    Raises:
        ServerError: If the embedded server could not be started; the message says what to do.
    """
    if settings.neo4j_uri is not None:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
        yield Endpoint(settings.neo4j_uri, settings.neo4j_user, password, None, "configured")
        return
    running = find_running(store_home(settings))
    if running is not None:
        yield Endpoint(running.bolt_uri, running.user, running.password, running.http_url, "running")
        return
    jars = ensure_jars(settings.cache_dir, progress=progress)
    server = EmbeddedNeo4j(embedded_config(settings), jars=jars)
    try:
        server.start()
    except PortTaken as error:
        raise PortTaken(
            f"{error.message}. The settings are PREFRONTAL_BOLT_PORT and PREFRONTAL_BROWSER_PORT"
        ) from error
    try:
        with Keeper(server):
            yield Endpoint(server.bolt_uri, server.user, server.password, server.http_url, "embedded")
    finally:
        server.stop()


def docker_answers() -> bool:
    """Return whether a Docker engine answers on this machine."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    done = subprocess.run([docker, "info"], capture_output=True, timeout=10, check=False)  # noqa: S603
    return done.returncode == 0
