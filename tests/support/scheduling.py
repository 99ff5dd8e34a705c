"""Hands tests that belong together to one process.

xdist's own `--dist loadgroup` writes the group into a field of the test that pytest 9.2 no longer reads.
So each worker leaves the groups of its tests in a file of the run, and the process that hands out the tests
reads it: the groups are the same in every worker.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

_GROUPS = "groups.json"


def leave_groups(items: list[pytest.Item], folder: Path) -> None:
    """Write which group each test is in, for the process that hands out the tests."""
    groups = {item.nodeid: mark.args[0] for item in items if (mark := item.get_closest_marker("xdist_group"))}
    own = folder / f"{os.getpid()}-{_GROUPS}"
    own.write_text(json.dumps(groups))
    # All workers write the same; a file that is there is whole.
    own.replace(folder / _GROUPS)


class GroupScheduling(LoadScopeScheduling):
    """Gives all tests of a group to one worker, and every other test to the next one that is free."""

    def __init__(self, config: pytest.Config, log: object, folder: Path) -> None:
        super().__init__(config, log)
        self._folder = folder
        self._groups: dict[str, str] | None = None

    def _split_scope(self, nodeid: str) -> str:
        if self._groups is None:
            self._groups = json.loads((self._folder / _GROUPS).read_text())
        return self._groups.get(nodeid, nodeid)
