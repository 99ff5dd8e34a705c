"""Which tests go to the same process, and in which order the processes get them.

Each process has a Neo4j of its own, which plans a statement when the first test sends it. So the files of a
domain go to one process: `tests/graph/test_goals_create.py` and `test_goals_list.py` send the same ones.
"""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController


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
    """Gives the tests of a domain to one process, and the next domain to the next process that is free.

    Every other process begins at the end of the list: what stands together is sent to the same server.
    """

    def _split_scope(self, nodeid: str) -> str:
        return domain_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self.nodes.index(node) % 2:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def arrange(items: list[pytest.Item]) -> None:
    """Put first what has servers, browsers and commands of its own, and last what sends every statement.

    Whoever begins at the end plans all statements once, for the API and the graph. At both ends what takes
    long is begun first.
    """
    slow = {domain_of(item.nodeid) for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: _rank_key(domain_of(item.nodeid), slow))


_LAST = ("tests/unit/", "tests/graph/", "tests/contract/", "tests/api/")
"""The folders that come behind all others, in this order."""


def _rank_key(domain: str, slow: set[str]) -> tuple[int, bool, str]:
    for rank, folder in enumerate(_LAST, 1):
        if domain.startswith(folder):
            return rank, domain in slow, domain
    return 0, domain not in slow, domain
