"""A pytest plugin: of the tests of each domain in tests/graph a few run, all on one Neo4j container.

pytest -p tests.container.sample tests/graph

They show that a container serves every domain. That each rule holds is shown by the whole suite, on the
same Neo4j without a container.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict

import pytest

from prefrontal.graph.embedded.endpoint import Endpoint

PER_DOMAIN = int(os.environ.get("CONTAINER_TESTS_PER_DOMAIN", "12"))
"""A dozen, unless somebody asks for more or fewer."""


def domain_of(item: pytest.Item) -> str | None:
    """Return the domain a test is about, which the name of its file begins with; None outside tests/graph."""
    found = re.fullmatch(r"test_([a-z]+).*\.py", item.path.name)
    return found[1] if found and item.path.parent.name == "graph" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a few tests of each domain, spread evenly over its files, and everything that is of no domain."""
    domains: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if (domain := domain_of(item)) is not None:
            domains[domain].append(item)
    kept = {
        id(tests[number * len(tests) // PER_DOMAIN])
        for tests in domains.values()
        for number in range(PER_DOMAIN)
    }
    left = [item for item in items if domain_of(item) is not None and id(item) not in kept]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
    config.stash[KEPT] = {
        domain: (sum(id(item) in kept for item in tests), len(tests))
        for domain, tests in sorted(domains.items())
    }


KEPT = pytest.StashKey[dict[str, tuple[int, int]]]()
"""By domain, how many tests are run, and of how many."""


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """Say how many tests of which domain are run."""
    counts = " ".join(f"{domain}={kept}/{of}" for domain, (kept, of) in config.stash[KEPT].items())
    return f"domains: {counts}"


@pytest.fixture(scope="session", autouse=True)
def in_a_container(neo4j: Endpoint) -> None:
    """Let no test run on another server than one in a container."""
    assert neo4j.source == "container"
