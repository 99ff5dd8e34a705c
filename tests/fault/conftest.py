"""Processes of the API that may be killed, and a Neo4j of their own for the tests that stop or kill it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from prefrontal.api.auth import Tokens
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.clock import SystemClock
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.embedded.processes import free_port
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from tests.cli.conftest import clean_environment
from tests.support.clock import FixedClock
from tests.support.database import endpoint_of, environment_of
from tests.support.registry import registry_of
from tests.support.server_process import ApiProcess
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


async def world_at(settings: Settings, endpoint: Endpoint) -> AsyncIterator[World]:
    """A new organisation on a server; everything wired once, as a process does."""
    clock, statements = FixedClock(), StatementCounter()
    # Short, so that a test of an absent server ends soon.
    quick = settings.model_copy(update={"retry_time_s": 0.5})
    async with connect(quick, endpoint.uri, endpoint.user, endpoint.password) as driver:
        registry = registry_of(settings)
        services = build_services(quick, driver, clock=clock, observers=[statements], **registry)
        await migrate(services.database, services.migrations, clock)
        key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
        org_id = await services.access.create_organisation(key)
        statements.clear()
        yield World(services, clock, statements, key, org_id)


def started(server: EmbeddedNeo4j) -> Endpoint:
    """The endpoint of a server that the test before may have stopped."""
    if not server.is_alive:
        server.start()
    return endpoint_of(server)


@pytest.fixture
async def site(settings: Settings, server: EmbeddedNeo4j) -> AsyncIterator[Site]:
    async for world in world_at(settings, started(server)):
        yield Site(server, world)


SECRET = "the secret that all processes of a test share"


def api_environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a `prefrontal serve` with a free port and a data folder of its own."""
    return clean_environment(folder) | {
        "PREFRONTAL_PORT": str(free_port()),
        "PREFRONTAL_JWT_SECRET": SECRET,
        "PREFRONTAL_LOG_FORMAT": "json",
        # A cold server on a busy machine is slow; these tests are not about that.
        "PREFRONTAL_QUERY_TIMEOUT_S": "30",
        # What jobs write, e.g. summaries, would be counted as what a repeated request has written.
        "PREFRONTAL_JOBS": "false",
        **more,
    }


def client_of(api: ApiProcess, settings: Settings, world: World, agent: str = "bot") -> httpx.AsyncClient:
    """What sends requests to a process as an agent of the world's organisation."""
    token, _ = Tokens(SECRET, settings, SystemClock()).issue(world.principal(agent), timedelta(hours=1))
    headers = {"Authorization": f"Bearer {token}"}
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=api.url, headers=headers, timeout=60, limits=limits)


def process_on(endpoint: Endpoint, folder: Path, **more: str) -> ApiProcess:
    """A process of the API on a server, which is not started yet."""
    env = api_environment(folder, **environment_of(endpoint), **more)
    return ApiProcess(env, folder.with_suffix(".log"))


# Short, so that a test of an absent server ends soon.
QUICK = {"PREFRONTAL_RETRY_TIME_S": "0.5"}


@pytest.fixture(scope="package")
def process_at_site(server: EmbeddedNeo4j, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    folder = tmp_path_factory.mktemp("api") / "site"
    process = process_on(started(server), folder, **QUICK)
    yield process
    process.stop()


@pytest.fixture
def api(site: Site, process_at_site: ApiProcess) -> ApiProcess:
    """A process of the API that runs, on the server that can be taken away."""
    return process_at_site.ensure()


@pytest.fixture(scope="package")
def processes(
    neo4j: Endpoint, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ApiProcess, ApiProcess]]:
    folder = tmp_path_factory.mktemp("apis")
    one, other = (process_on(neo4j, folder / name, **QUICK) for name in ("one", "other"))
    yield one, other
    one.stop()
    other.stop()


@pytest.fixture
def both(world: World, processes: tuple[ApiProcess, ApiProcess]) -> tuple[ApiProcess, ApiProcess]:
    """Two processes of the API that run, on the server of all tests."""
    for each in processes:
        each.ensure(wait=False)
    for each in processes:
        each.wait_ready()
    return processes
