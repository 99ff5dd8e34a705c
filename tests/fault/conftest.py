"""A server of their own, which these tests may stop and kill; only the port stays."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from graph.bootstrap import build_services
from graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars
from graph.embedded.processes import free_port
from graph.ids import Kind, new_id
from graph.settings import Settings
from graph.storage.driver import connect
from graph.storage.schema import migrate
from tests.support.clock import FixedClock
from tests.support.statements import StatementCounter
from tests.support.world import World


@pytest.fixture(scope="package")
def server(settings: Settings) -> Iterator[EmbeddedNeo4j]:
    home = Path(tempfile.mkdtemp(prefix="prefrontal-fault-"))
    # Fixed ports: after a restart the server is where it was, as in a real installation.
    config = ServerConfig(home=home, bolt_port=free_port(), http_port=free_port(), fast_start=True)
    server = EmbeddedNeo4j(config, jars=ensure_jars(settings.cache_dir))
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


@dataclass
class Site:
    """A world on a server that can be taken away."""

    server: EmbeddedNeo4j
    world: World


async def world_at(settings: Settings, address: str, server: EmbeddedNeo4j) -> AsyncIterator[World]:
    """A new organisation reached through `address`; everything wired once, as a process does."""
    clock, statements = FixedClock(), StatementCounter()
    # Short, so that a test of an absent server ends soon.
    quick = settings.model_copy(update={"retry_time_s": 0.5})
    async with connect(quick, f"bolt://{address}", server.user, server.password) as driver:
        services = build_services(quick, driver, clock=clock, observers=[statements])
        await migrate(services.database, services.migrations, clock)
        key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
        org_id = await services.access.create_organisation(key)
        statements.clear()
        yield World(services, clock, statements, key, org_id)


@pytest.fixture
async def site(settings: Settings, server: EmbeddedNeo4j) -> AsyncIterator[Site]:
    if not server.is_alive:
        server.start()
    async for world in world_at(settings, server.bolt_uri.removeprefix("bolt://"), server):
        yield Site(server, world)
