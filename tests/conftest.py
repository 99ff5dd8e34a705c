"""One real Neo4j per run, one driver per event loop, one organisation per test.

`pytest -n logical --dist loadgroup` runs the tests in several processes, which share the one server. What
that asks of a test is said by the markers in `pyproject.toml`: `alone` and `xdist_group`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from neo4j import AsyncDriver

from prefrontal.api.fixtures.plugin import FixtureTest
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import REQUEST_LIMITS, Settings, load_settings
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from tests.support import alone, order
from tests.support.clock import FixedClock
from tests.support.database import embedded
from tests.support.failures import FailuresAtOnce
from tests.support.registry import registry_of
from tests.support.scheduling import GroupScheduling, leave_groups
from tests.support.sharing import Owner, database_of_the_run, folder_of, one_at_a_time, tell, turns_of
from tests.support.statements import StatementCounter
from tests.support.world import World, forget, patient

# Statements are traced at debug; a failing test shows what it said, not every statement of its set-up.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))

alone.watch()

# Tests send as fast as they can. Those of the limits on requests set limits of their own.
os.environ.update({f"PREFRONTAL_{name.upper()}": "0" for name in REQUEST_LIMITS})
os.environ.setdefault("PREFRONTAL_MAX_REQUEST_S", "120")
# The encoder's own tests load a model; all others need none.
os.environ.setdefault("PREFRONTAL_ENCODER", "hash")

# Every property is tried at least this often; a test may ask for more. No test asserts by the clock, and how
# long an example takes says more about the machine than about the code.
hypothesis.register_profile(
    "prefrontal", max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis.load_profile("prefrontal")


_OWNER = pytest.StashKey[Owner]()

# Folders whose tests start servers or a browser.
_SLOW = ("tests/embedded/", "tests/fault/", "tests/web/")


def _workerinput(config: pytest.Config) -> dict[str, Any] | None:
    """What the process that hands out the tests gave to this one; None in a run without `-n`."""
    return getattr(config, "workerinput", None)


def _owner(config: pytest.Config) -> Owner:
    """The owner of what the workers share, in the process that hands out the tests."""
    if _OWNER not in config.stash:
        config.stash[_OWNER] = Owner()
    return config.stash[_OWNER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    tell(node.workerinput, _owner(node.config))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getvalue("dist") != "loadgroup":
        return None
    return GroupScheduling(config, log, _owner(config).folder)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and _workerinput(config) is None:
        config.pluginmanager.register(FailuresAtOnce(terminal))


def pytest_unconfigure(config: pytest.Config) -> None:
    if owner := config.stash.get(_OWNER, None):
        owner.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(_SLOW):
            item.add_marker(pytest.mark.slow)
        if isinstance(item, FixtureTest):
            # A fixture has a time of its own, and the jobs that run in it go by that.
            item.add_marker(pytest.mark.alone)
    run = _workerinput(config)
    if run is not None:
        order.arrange(items)
        leave_groups(items, folder_of(run))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    own = item.get_closest_marker("alone") is not None
    shares = order.uses_the_shared_database(item)
    turns = turns_of(_workerinput(item.config)) if shares else None
    with turns.taken(alone=own) if turns else nullcontext(), alone.known(alone=own):
        return (yield)


@pytest.fixture(scope="session")
def settings() -> Settings:
    # A cold server answers its first statements slowly; tests are not about that.
    return load_settings().model_copy(update={"query_timeout_s": 30.0})


@pytest.fixture(scope="session")
def neo4j(request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    with database_of_the_run(_workerinput(request.config)) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def server(settings: Settings) -> Iterator[EmbeddedNeo4j]:
    """A server of the tests of one file alone."""
    with embedded(settings) as server:
        yield server


@pytest.fixture(scope="session")
async def driver(
    request: pytest.FixtureRequest, settings: Settings, neo4j: Endpoint
) -> AsyncIterator[AsyncDriver]:
    async with connect(settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        services = build_services(settings, driver)
        run = _workerinput(request.config)
        with one_at_a_time(run) if run else nullcontext():
            await migrate(services.database, services.migrations, services.clock)
        yield driver


@pytest.fixture
async def world(settings: Settings, driver: AsyncDriver) -> AsyncIterator[World]:
    clock = FixedClock()
    statements = StatementCounter()
    services = patient(
        build_services(settings, driver, clock=clock, observers=[statements], **registry_of(settings))
    )
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    statements.clear()
    yield World(services, clock, statements, key, org_id)
    await forget(driver, key)
