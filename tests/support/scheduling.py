"""Which tests go to the same process, and in which order the processes get them.

Each process has a Neo4j of its own, which plans a statement when the first test sends it. So the files of a
domain go to one process: `tests/graph/test_goals_create.py` and `test_goals_list.py` send the same ones.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling


def domain_of(nodeid: str) -> str:
    """The folder of a test and the first word of its file, e.g. `tests/graph/goals`; a unit test's file."""
    path = nodeid.split("::", maxsplit=1)[0]
    folder, _, name = path.rpartition("/")
    if folder.startswith("tests/unit"):
        return path
    if folder in ("tests/container", "tests/fixtures"):
        return folder
    return f"{folder}/{name.removeprefix('test_').partition('_')[0].partition('.')[0]}"


class DomainScheduling(LoadScopeScheduling):
    """Gives the tests of a domain to one process, and the next domain to the next process that is free."""

    def _split_scope(self, nodeid: str) -> str:
        return domain_of(nodeid)


def arrange(items: list[pytest.Item]) -> None:
    """Put first what takes long, domain by domain, and last the short tests that fill the gaps."""
    slow = {domain_of(item.nodeid) for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: _rank_key(domain_of(item.nodeid), slow))


def _rank_key(domain: str, slow: set[str]) -> tuple[bool, bool, str]:
    return domain.startswith("tests/unit"), domain not in slow, domain
