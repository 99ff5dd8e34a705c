"""One real Neo4j per run, one driver per event loop, one organisation per test.

`pytest -n logical --dist loadgroup` runs the tests in several processes, which share the one server. What
that asks of a test is said by the markers in `pyproject.toml`: `alone` and `xdist_group`.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path
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
from prefrontal.graph.embedded.endpoint import Endpoint, docker_answers
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from scripts.containers.__main__ import HANDED_ON
from tests.support import alone, order
from tests.support.clock import FixedClock
from tests.support.database import embedded
from tests.support.failures import FailuresAtOnce
from tests.support.registry import registry_of
from tests.support.scheduling import GroupScheduling, leave_groups
from tests.support.sharing import Owner, database_of_the_run, folder_of, one_at_a_time, tell, turns_of
from tests.support.statements import StatementCounter
from tests.support.world import World, forget, with_long_queries

# Statements are traced at debug; a failing test shows what it said, not every statement of its set-up.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))

alone.watch()

# Tests send as fast as they can. Those of the limits on requests set limits of their own.
os.environ.update({f"PREFRONTAL_{name.upper()}": "0" for name in REQUEST_LIMITS})
os.environ.setdefault("PREFRONTAL_MAX_REQUEST_S", "120")
# The encoder's own tests load a model; all others need none.
os.environ.setdefault("PREFRONTAL_ENCODER", "hash")

# How often each property is tried. No test asserts by the clock, and how long an example takes says more
# about the machine than about the code.
for profile, examples in (("change", 50), ("nightly", 300)):
    hypothesis.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )


_OWNER = pytest.StashKey[Owner]()

CONTAINERS = Path(__file__).with_name("container")

# Folders whose tests start servers or a browser.
_SLOW = ("tests/container/", "tests/embedded/", "tests/fault/", "tests/web/")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--nightly",
        action="store_true",
        help="run also what is marked `nightly`, with more examples of each property: `make test-all`",
    )


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
    hypothesis.load_profile("nightly" if config.getoption("nightly") else "change")
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and _workerinput(config) is None:
        config.pluginmanager.register(FailuresAtOnce(terminal))


def pytest_unconfigure(config: pytest.Config) -> None:
    if owner := config.stash.get(_OWNER, None):
        owner.close()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of containers where there is no engine: `make test-container` brings one."""
    if collection_path != CONTAINERS or HANDED_ON in os.environ:
        return None
    return None if docker_answers() else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(_SLOW):
            item.add_marker(pytest.mark.slow)
        if isinstance(item, FixtureTest):
            # A fixture has a time of its own, and the jobs that run in it go by that.
            item.add_marker(pytest.mark.alone)
    if not config.getoption("nightly"):
        leave_out_nightly(config, items)
    run = _workerinput(config)
    if run is not None:
        order.arrange(items)
        leave_groups(items, folder_of(run))


def pytest_collection_finish() -> None:
    # Tests and schema stay until the end: without this each full collection of garbage looks at them again.
    gc.collect()
    gc.freeze()


def leave_out_nightly(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `nightly`, but for a test that is named with its file."""
    named = [argument for argument in config.args if "::" in argument]
    left = [
        item
        for item in items
        if item.get_closest_marker("nightly") and not any(name in item.nodeid for name in named)
    ]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


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
def nightly(request: pytest.FixtureRequest) -> bool:
    """Whether a test that goes through every moment does so, instead of through one in a few."""
    return bool(request.config.getoption("nightly"))


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
    services = with_long_queries(
        build_services(settings, driver, clock=clock, observers=[statements], **registry_of(settings))
    )
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    statements.clear()
    yield World(services, clock, statements, key, org_id)
    await forget(driver, key)
