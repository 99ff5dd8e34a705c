"""The real Neo4j of a run of tests: that of NEO4J_URI, one in a container, or an embedded one."""

from __future__ import annotations

import asyncio
import fcntl
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars
from prefrontal.graph.embedded.endpoint import Endpoint, container_database, docker_answers
from prefrontal.graph.embedded.running import RunningServer
from prefrontal.graph.storage.driver import connect

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Far more bytes than the store of a whole run takes."""


@contextmanager
def neo4j_of_run(settings: Settings, folder: Path | None) -> Iterator[Endpoint]:
    """One server for the processes of a run, which share a folder; None for a run of one process.

    The first process that asks starts the server, and stops it once no other process uses it.
    """
    if folder is None:
        with real_neo4j(settings) as endpoint:
            yield endpoint
            asyncio.run(_assert_whole(settings, endpoint))
        return
    known = folder / "neo4j.json"
    with (folder / "neo4j.lock").open("a") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        if not known.exists():
            fcntl.flock(users, fcntl.LOCK_EX)
        if known.exists():
            fcntl.flock(users, fcntl.LOCK_SH)
            yield Endpoint(**json.loads(known.read_text(encoding="utf-8")))
            return
        with real_neo4j(settings) as endpoint:
            known.write_text(json.dumps(asdict(endpoint)), encoding="utf-8")
            fcntl.flock(users, fcntl.LOCK_SH)
            yield endpoint
            fcntl.flock(users, fcntl.LOCK_EX)
            known.unlink()
            asyncio.run(_assert_whole(settings, endpoint))


async def _assert_whole(settings: Settings, endpoint: Endpoint) -> None:
    """Fail if a test has left something in a space of another organisation, or of none."""
    if endpoint.source == "configured":
        return
    async with connect(settings, endpoint.uri, endpoint.user, endpoint.password) as driver:
        report = await build_services(settings, driver).scopes.check()
    assert not report.number, str(report)


@contextmanager
def real_neo4j(settings: Settings) -> Iterator[Endpoint]:
    """A server for tests. There is no way to skip: without a server every test fails."""
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
            heap="3g" if long_run else "1g",
            fast_start=True,
            long_run=long_run,
        )
        with EmbeddedNeo4j(config, jars=jars) as server:
            yield server
    finally:
        shutil.rmtree(home, ignore_errors=True)
