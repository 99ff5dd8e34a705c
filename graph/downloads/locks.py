"""Locks between processes: an advisory lock on a file, which the kernel frees when its holder dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait for the lock on the file `path` (created if missing), and hold it until the block ends."""
    import fcntl  # noqa: PLC0415 - only POSIX has it, and importing this package must work anywhere

    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
