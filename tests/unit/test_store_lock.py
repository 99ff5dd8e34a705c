"""Tests of different processes use the store in turn when one of them is `alone`."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from tests.support.store_lock import StoreLock, Use


def state_of(folder: Path, name: str = "store") -> Use:
    """How the lock is held, as a third process sees it."""
    for use, wanted in ((Use.NONE, fcntl.LOCK_EX), (Use.SHARED, fcntl.LOCK_SH)):
        with (folder / f"{name}.lock").open("a") as file:
            try:
                fcntl.flock(file, wanted | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            return use
    return Use.ALONE


def test_many_share_the_store_and_who_is_alone_waits_for_them_and_keeps_later_ones_waiting(
    tmp_path: Path,
) -> None:
    first, second, alone, later = (StoreLock(tmp_path) for _ in range(4))
    first.take(Use.SHARED)
    second.take(Use.SHARED)
    assert state_of(tmp_path) is Use.SHARED

    waiting = threading.Thread(target=alone.take, args=(Use.ALONE,))
    waiting.start()
    first.release()
    assert state_of(tmp_path) is Use.SHARED
    while state_of(tmp_path, "next") is not Use.ALONE:
        assert waiting.is_alive()
    behind = threading.Thread(target=later.take, args=(Use.SHARED,))
    behind.start()
    second.release()
    waiting.join()
    assert state_of(tmp_path) is Use.ALONE
    assert behind.is_alive()

    alone.release()
    behind.join()
    assert state_of(tmp_path) is Use.SHARED


def test_who_needs_no_store_lets_it_go(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path)
    lock.take(Use.ALONE)
    lock.take(Use.NONE)
    assert state_of(tmp_path) is Use.NONE


def test_the_store_is_kept_between_tests_of_one_file_that_use_it_alike(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.store_lock.use_of", lambda _item: Use.SHARED)
    lock, item = StoreLock(tmp_path), request.node
    with lock.held(item, item):
        assert state_of(tmp_path) is Use.SHARED
    assert state_of(tmp_path) is Use.SHARED
    with lock.held(item, None):
        pass
    assert state_of(tmp_path) is Use.NONE
