"""The real Neo4j of a process of tests: that of NEO4J_URI, one in a container, or an embedded one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars
from prefrontal.graph.embedded.endpoint import Endpoint, container_database, docker_answers
from prefrontal.graph.embedded.running import RunningServer

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Far more bytes than the store of a whole run takes."""


@contextmanager
def real_neo4j(settings: Settings) -> Iterator[Endpoint]:
    """One server for a process of tests. There is no way to skip: without a server every test fails."""
    if settings.neo4j_uri is not None:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
        yield Endpoint(settings.neo4j_uri, settings.neo4j_user, password, None, "configured")
        return
    if settings.docker and docker_answers():
        with container_database(settings) as endpoint:
            yield endpoint
        return
    with embedded(settings, long_run=True) as server:
        yield endpoint_of(server)


def endpoint_of(server: EmbeddedNeo4j | RunningServer) -> Endpoint:
    """How to reach a server that runs here."""
    return Endpoint(server.bolt_uri, server.user, server.password, server.http_url, "embedded")


def environment_of(endpoint: Endpoint) -> dict[str, str]:
    """The variables by which a process uses a server instead of one of its own."""
    return {
        "NEO4J_URI": endpoint.uri,
        "NEO4J_USER": endpoint.user,
        "NEO4J_PASSWORD": endpoint.password or "",
    }


def bolt_address(endpoint: Endpoint) -> tuple[str, int]:
    """The host and the port at which a server speaks Bolt."""
    host, port = endpoint.uri.removeprefix("bolt://").split(":")
    return host, int(port)


@contextmanager
def embedded(
    settings: Settings, *, long_run: bool = False, kit_url: str | None = None
) -> Iterator[EmbeddedNeo4j]:
    """An embedded server with a fast start and a store of its own, gone afterwards.

    Where there is a file system in memory the store is there: a commit waits for the disk longer than for
    anything else, and what survives a crash is tested on real disks by the fault tests.
    """
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    home = Path(tempfile.mkdtemp(prefix="prefrontal-test-", dir=MEMORY if in_memory else None))
    try:
        jars = ensure_jars(settings.cache_dir)
        config = ServerConfig(
            home=home,
            bolt_port=0,
            http_port=0,
            kit_url=kit_url,
            heap="2g" if long_run else "1g",
            fast_start=True,
            long_run=long_run,
        )
        with EmbeddedNeo4j(config, jars=jars) as server:
            yield server
    finally:
        shutil.rmtree(home, ignore_errors=True)
