"""Which tests use the store of a run at the same time, and the marker `alone`.

The processes of a run share one Neo4j, and each test has an organisation of its own. A job works for all
organisations: while a test that is `alone` runs one, no test of another process uses the store.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import pytest

if TYPE_CHECKING:
    from prefrontal.graph.storage.queries import Query

_RUN_JOBS = {"served", "relay"}
"""Fixtures that run jobs as long as the test takes."""


class Use(IntEnum):
    """How a test uses the store."""

    NONE = fcntl.LOCK_UN
    SHARED = fcntl.LOCK_SH
    ALONE = fcntl.LOCK_EX


def use_of(item: pytest.Item) -> Use:
    """How a test uses the store, by its marker and the names of its fixtures."""
    if not isinstance(item, pytest.Function):
        return Use.ALONE  # A graph fixture: its steps may run jobs.
    fixtures = set(item.fixturenames)
    if item.get_closest_marker("alone") or fixtures & _RUN_JOBS:
        return Use.ALONE
    return Use.SHARED if "neo4j" in fixtures else Use.NONE


class StoreLock:
    """The lock by which processes use the store in turn; in a run of one process it does nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._files = (
            None if folder is None else [(folder / f"{name}.lock").open("a") for name in ("next", "store")]
        )
        self._held: tuple[Path, Use] | None = None

    @contextmanager
    def held(self, item: pytest.Item, following: pytest.Item | None) -> Iterator[None]:
        """Wait for the store and keep it for a test, and for those behind it that use it alike.

        Those are of the same file: what a fixture of a file has stored is there as long as its tests run.
        """
        if self._files is None:
            yield
            return
        waiting, store = self._files
        key = (item.path, use_of(item))
        if self._held != key:
            self._take(waiting, store, key[1])
        self._held = key
        yield
        if following is None or (following.path, use_of(following)) != key:
            self.release()

    def release(self) -> None:
        """Let others use the store."""
        if self._files is not None:
            fcntl.flock(self._files[1], fcntl.LOCK_UN)
            self._held = None

    @staticmethod
    def _take(waiting: TextIO, store: TextIO, use: Use) -> None:
        # Who waits to be alone goes before those that come later, else they could share the store for ever.
        fcntl.flock(waiting, fcntl.LOCK_EX)
        fcntl.flock(store, use)
        fcntl.flock(waiting, fcntl.LOCK_UN)


class JobsRun:
    """The names of statements of jobs that a test has sent."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __call__(self, query: Query, _seconds: float, *, failed: bool) -> None:  # noqa: ARG002
        if query.name.startswith("jobs/") or query.name in ("storage/acquire_lease", "outbox/stamp_events"):
            self.names.add(query.name)
