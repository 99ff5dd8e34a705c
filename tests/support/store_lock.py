"""Which tests use the store of a run at the same time, and the marker `alone`.

The processes of a run share one Neo4j, and each test has an organisation of its own. A job works for all
organisations: while a test that is `alone` runs one, no test of another process uses the store.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from prefrontal.api.fixtures.plugin import FixtureTest

if TYPE_CHECKING:
    from prefrontal.graph.storage.queries import Query


class Use(IntEnum):
    """How a test uses the store."""

    NONE = fcntl.LOCK_UN
    SHARED = fcntl.LOCK_SH
    ALONE = fcntl.LOCK_EX


def use_of(item: pytest.Item) -> Use:
    """How a test uses the store, by its marker and the names of its fixtures."""
    if isinstance(item, FixtureTest):
        # However a step is written, one that runs a job has the word.
        return Use.ALONE if "job" in item.path.read_text(encoding="utf-8") else Use.SHARED
    if item.get_closest_marker("alone"):
        return Use.ALONE
    return Use.SHARED if "neo4j" in getattr(item, "fixturenames", ()) else Use.NONE


class StoreLock:
    """The lock by which processes use the store in turn; in a run of one process it does nothing."""

    def __init__(self, folder: Path | None) -> None:
        names = ("next.lock", "store.lock")
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._files = None if folder is None else [os.open(folder / name, flags) for name in names]
        self._held: tuple[Path, Use] | None = None

    @contextmanager
    def held(self, item: pytest.Item, following: pytest.Item | None) -> Iterator[None]:
        """Wait for the store and keep it for a test, and for those behind it that use it alike.

        Those are of the same file: what a fixture of a file has stored is there as long as its tests run.
        """
        if self._files is None:
            yield
            return
        key = (item.path, use_of(item))
        if self._held != key:
            self.take(key[1])
        self._held = key
        yield
        if following is None or (following.path, use_of(following)) != key:
            self.release()

    def take(self, use: Use) -> None:
        """Wait until the store may be used like this."""
        if use is Use.NONE:
            self.release()
        elif self._files is not None:
            waiting, store = self._files
            # Who waits to be alone goes before those that come later, else they could share it for ever.
            fcntl.flock(waiting, fcntl.LOCK_EX)
            fcntl.flock(store, use)
            fcntl.flock(waiting, fcntl.LOCK_UN)

    def release(self) -> None:
        """Let others use the store."""
        if self._files is not None:
            fcntl.flock(self._files[1], fcntl.LOCK_UN)
            self._held = None


class JobsRun:
    """The names of statements of jobs that a test has sent."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __call__(self, query: Query, _seconds: float, *, failed: bool) -> None:  # noqa: ARG002
        if query.name.startswith("jobs/") or query.name in ("storage/acquire_lease", "outbox/stamp_events"):
            self.names.add(query.name)
