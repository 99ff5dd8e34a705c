"""One real Neo4j per run, one driver per event loop, one organisation per test."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator

import pytest
import structlog
from hypothesis import settings as hypothesis
from neo4j import AsyncDriver

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from tests.support.clock import FixedClock
from tests.support.database import real_neo4j
from tests.support.statements import StatementCounter
from tests.support.world import World

# Statements are traced at debug; a failing test shows what it said, not every statement of its set-up.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))

# Every property is tried at least this often; a test may ask for more.
hypothesis.register_profile("prefrontal", max_examples=200)
hypothesis.load_profile("prefrontal")


@pytest.fixture(scope="session")
def settings() -> Settings:
    # A cold server answers its first statements slowly; tests are not about that.
    return load_settings().model_copy(update={"query_timeout_s": 30.0})


@pytest.fixture(scope="session")
def neo4j(settings: Settings) -> Iterator[Endpoint]:
    with real_neo4j(settings) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
async def driver(settings: Settings, neo4j: Endpoint) -> AsyncIterator[AsyncDriver]:
    async with connect(settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        services = build_services(settings, driver)
        await migrate(services.database, services.migrations, services.clock)
        yield driver


@pytest.fixture
async def world(settings: Settings, driver: AsyncDriver) -> World:
    clock = FixedClock()
    statements = StatementCounter()
    services = build_services(settings, driver, clock=clock, observers=[statements])
    # The query deadline of the registry is for warm servers.
    table = services.catalog.scratch.model_copy(update={"query_timeout_ms": 30_000})
    object.__setattr__(services.catalog, "scratch", table)
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    statements.clear()
    return World(services, clock, statements, key, org_id)
