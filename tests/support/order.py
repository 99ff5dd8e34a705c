"""In which order tests are handed to several processes, and which of them go to the same one."""

from __future__ import annotations

import pytest

from prefrontal.api.fixtures.plugin import FixtureTest

GROUPS = {
    # The fixture that costs something, and the group of whoever uses it: it is made in one process only.
    "server": "own-server",
    "shared_server": "own-server",
    "browser": "browser",
}


def arrange(items: list[pytest.Item]) -> None:
    """Put first what has to be alone and what takes long, so that the short ones fill the gaps."""
    for item in items:
        group = _group_of(item)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=_sort_key)


def _group_of(item: pytest.Item) -> str | None:
    if item.get_closest_marker("alone"):
        return "alone"
    for fixture, group in GROUPS.items():
        if fixture in getattr(item, "fixturenames", ()):
            package = item.nodeid.split("::")[0].split("/")[1]
            return f"{package}-{group}"
    return None


def uses_the_shared_database(item: pytest.Item) -> bool:
    """Tell if a test is on the server that all have together."""
    return isinstance(item, FixtureTest) or "neo4j" in getattr(item, "fixturenames", ())


def _sort_key(item: pytest.Item) -> tuple[bool, bool, bool, bool]:
    # While one process is alone on the shared database the others do what is not on it; the longest piece
    # of that, which no two can share, is what kills and restarts its server.
    alone = item.get_closest_marker("alone") is not None
    slow = item.get_closest_marker("slow") is not None
    return not alone, uses_the_shared_database(item), not slow, not item.nodeid.startswith("tests/fault/")
