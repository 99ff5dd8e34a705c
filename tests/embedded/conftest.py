"""A cache that outlives the run, and one shared server for the tests that only look at one."""

import time

import psutil
import pytest

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars


@pytest.fixture(scope="session")
def embedded_jars():
    return ensure_jars(load_settings().cache_dir)


@pytest.fixture(scope="session")
def make_server(embedded_jars):
    def make(home, **changes):
        settings = {"bolt_port": 0, "http_port": 0, "fast_start": True} | changes
        return EmbeddedNeo4j(ServerConfig(home=home, **settings), jars=embedded_jars)

    return make


@pytest.fixture(scope="session")
def shared_server(make_server, tmp_path_factory):
    with make_server(tmp_path_factory.mktemp("shared") / "home") as server:
        yield server


@pytest.fixture
def wait_gone():
    def wait(process, timeout_s=30.0):
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            # Where nobody buries orphans the process stays as a zombie: it has ended all the same.
            try:
                if process.status() == psutil.STATUS_ZOMBIE:
                    return True
            except psutil.NoSuchProcess:
                return True
            time.sleep(0.02)
        return False

    return wait
