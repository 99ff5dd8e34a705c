"""Which tests go to the same process, and in which order the processes get them.

The files of a domain go to one process, and what is `alone` to one too: processes seldom wait for each other.
"""

from __future__ import annotations

import pytest
from _pytest.nodeid import NodeId
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests.support.store_lock import Use, use_of

ALONE = "@alone"
"""Ends the ids of tests that are alone in the processes that run them: a scheduler sees ids only."""


def domain_of(nodeid: str) -> str:
    """The folder of a test and the first word of its file, e.g. `tests/graph/goals`; a unit test's file."""
    if nodeid.endswith(ALONE):
        return ALONE
    path = nodeid.split("::", maxsplit=1)[0]
    folder, _, name = path.rpartition("/")
    if folder.startswith("tests/unit"):
        return path
    if folder in ("tests/container", "tests/fixtures"):
        return folder
    return f"{folder}/{name.removeprefix('test_').partition('_')[0].partition('.')[0]}"


class DomainScheduling(LoadScopeScheduling):
    """Gives the tests of a domain to one process, and the next domain to the next process that is free.

    Every other process begins at the end of the list.
    """

    def _split_scope(self, nodeid: str) -> str:
        return domain_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self.nodes.index(node) % 2:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def arrange(items: list[pytest.Item]) -> None:
    """Put first what needs no store, and last what is alone: who begins there has the store to itself.

    What takes long is begun first at both ends.
    """
    found = []
    for item in items:
        use = use_of(item)
        if use is Use.ALONE:
            item._id = NodeId.parse(item.nodeid + ALONE)
        found.append((domain_of(item.nodeid), use, item))
    slow = {domain for domain, _, item in found if item.get_closest_marker("slow")}
    using = {domain for domain, use, _ in found if use is not Use.NONE}
    found.sort(key=lambda each: _rank_key(each[0], slow, using))
    items[:] = [item for *_, item in found]


class WrittenIds:
    """A pytest plugin for the process that prints the results: ids are as one writes them in a command."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the ending off before others print the id, or keep it for `--lf`."""
        report.nodeid = report.nodeid.removesuffix(ALONE)


_LAST = ("tests/graph/", "tests/contract/", "tests/api/", ALONE)
"""What uses the store and comes behind all others, in this order."""


def _rank_key(domain: str, slow: set[str], using: set[str]) -> tuple[int, bool, str]:
    if domain not in using:
        return 0, domain not in slow, domain
    for rank, folder in enumerate(_LAST, 2):
        if domain.startswith(folder):
            return rank, domain in slow, domain
    return 1, domain not in slow, domain
