"""A real Neo4j for a run, one driver per process, one organisation per test.

`pytest -n logical --dist loadscope` runs the tests in several processes (`tests/support/scheduling.py`).
"""

from __future__ import annotations

import gc
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from neo4j import AsyncDriver

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import REQUEST_LIMITS, Settings, load_settings
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.embedded.endpoint import Endpoint, docker_answers
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from scripts.containers.__main__ import HANDED_ON
from tests.support.clock import FixedClock
from tests.support.database import embedded, neo4j_of_run
from tests.support.failures import FailuresAtOnce
from tests.support.registry import registry_of
from tests.support.scheduling import DomainScheduling, WrittenIds, arrange
from tests.support.statements import StatementCounter
from tests.support.store_lock import JobsRun, StoreLock, Use, use_of
from tests.support.world import World, forget, let_nothing_wait, with_long_queries

# Statements are traced at debug; a failing test shows what it said, not every statement of its set-up.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))

# Tests send as fast as they can. Those of the limits on requests set limits of their own.
os.environ.update({f"PREFRONTAL_{name.upper()}": "0" for name in REQUEST_LIMITS})
os.environ.setdefault("PREFRONTAL_MAX_REQUEST_S", "120")
# The encoder's own tests load a model; all others need none.
os.environ.setdefault("PREFRONTAL_ENCODER", "hash")

# How often each property is tried. No test asserts by the clock, and how long an example takes says more
# about the machine than about the code.
for profile, examples in (("change", 25), ("nightly", 300)):
    hypothesis.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )


STORE = pytest.StashKey[StoreLock]()
CONTAINERS = Path(__file__).with_name("container")

# Folders whose tests start servers or a browser.
_SLOW = ("tests/container/", "tests/embedded/", "tests/fault/", "tests/web/")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--nightly",
        action="store_true",
        help="run also what is marked `nightly`, with more examples of each property: `make test-all`",
    )


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def folder_of_run(config: pytest.Config) -> Path | None:
    """What the processes of a run share; None in a run of one process."""
    return Path(config.getoption("basetemp")).parent if _is_worker(config) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return DomainScheduling(config, log) if config.getvalue("dist") == "loadscope" else None


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    hypothesis.load_profile("nightly" if config.getoption("nightly") else "change")
    config.stash[STORE] = StoreLock(folder_of_run(config))
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not _is_worker(config):
        config.pluginmanager.register(FailuresAtOnce(terminal))
        config.pluginmanager.register(WrittenIds())


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Print the seconds of each folder beside those of the slowest tests: `--durations=20`."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not config.getoption("nightly"):
        terminalreporter.write_line("None of these tests runs with each change: --nightly runs them all.")
    if config.getoption("durations") is None:
        return
    seconds: Counter[str] = Counter()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds["/".join(report.nodeid.split("/")[:2])] += report.duration
    terminalreporter.section("seconds by folder")
    for folder, number in seconds.most_common():
        terminalreporter.write_line(f"{number:7.0f}  {folder}")


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
    if not config.getoption("nightly"):
        leave_out_nightly(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    with item.config.stash[STORE].held(item, nextitem):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    # Behind what leaves tests out by their ids, and before xdist sends the order.
    if _is_worker(session.config):
        arrange(session.items)
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
    left_out = set(left)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def settings() -> Settings:
    # A cold server answers its first statements slowly; tests are not about that.
    return load_settings().model_copy(update={"query_timeout_s": 30.0})


@pytest.fixture(scope="session")
def neo4j(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Endpoint]:
    with neo4j_of_run(settings, folder_of_run(request.config)) as endpoint:
        yield endpoint
        # The server stops when the others have ended; one of them may still wait to be alone.
        request.config.stash[STORE].release()


@pytest.fixture(scope="module")
def server(settings: Settings) -> Iterator[EmbeddedNeo4j]:
    """A server of the tests of one file alone."""
    with embedded(settings) as server:
        yield server


@pytest.fixture(scope="session")
def nightly(request: pytest.FixtureRequest) -> bool:
    """True in `make test-all`: a walk tries every case, and not one in a few."""
    return bool(request.config.getoption("nightly"))


@pytest.fixture(scope="session")
async def driver(settings: Settings, neo4j: Endpoint) -> AsyncIterator[AsyncDriver]:
    async with connect(settings, neo4j.uri, neo4j.user, neo4j.password) as driver:
        services = build_services(settings, driver)
        await migrate(services.database, services.migrations, services.clock)
        yield driver


@pytest.fixture
async def world(
    request: pytest.FixtureRequest, settings: Settings, driver: AsyncDriver
) -> AsyncIterator[World]:
    clock = FixedClock()
    statements, jobs = StatementCounter(), JobsRun()
    services = with_long_queries(
        build_services(settings, driver, clock=clock, observers=[statements, jobs], **registry_of(settings))
    )
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    statements.clear()
    world = World(services, clock, statements, key, org_id, is_alone=use_of(request.node) is Use.ALONE)
    if world.is_alone:
        await let_nothing_wait(world)
        statements.clear()
    yield world
    await forget(driver, key)
    if jobs.names and not world.is_alone:
        pytest.fail(f"A job works for every organisation: mark this test `alone`. It ran {jobs.names}.")
