import gc
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from prefrontal.graph.embedded.artifacts import LOCK_FILE, ensure_jars, read_lock
from prefrontal.graph.errors import ChecksumMismatch, DownloadFailed, ServerError

ROOT = Path(__file__).resolve().parents[2]
SMALL = next(a for a in read_lock().artifacts if a.name == "listenablefuture")
"""Two kilobytes, so that fetching it for real costs next to nothing."""


@pytest.fixture
def small_lock(tmp_path):
    return write_lock(tmp_path / "jars.lock", SMALL, SMALL.sha256)


def write_lock(path, coordinates, digest):
    path.write_text(f"# one jar\n{coordinates} {digest}\n")
    return path


def content(folder):
    return sorted(file.name for file in folder.iterdir() if not file.name.startswith("stamp-"))


def test_the_committed_lock_is_one_server_with_its_browser():
    lock = read_lock()
    names = {(a.group, a.name): a.version for a in lock.artifacts}

    assert lock.version == "2026.09.0"
    assert names["org.neo4j.app", "neo4j-server"] == "2026.09.0"
    assert names["org.neo4j.client", "neo4j-browser"] == "5.24.0"
    assert len(lock.artifacts) == 231
    assert all(len(a.sha256) == 64 for a in lock.artifacts)


def test_the_lock_names_no_registry():
    assert "://" not in LOCK_FILE.read_text()


@pytest.mark.parametrize("line", ["a:b 00", "a:b:1", "a:b:1:c:d 00"])
def test_a_broken_line_is_named(tmp_path, line):
    lock = tmp_path / "jars.lock"
    lock.write_text(f"# fine\nx:y:1 00\n{line}\n")

    with pytest.raises(ServerError, match=r"jars\.lock:3: expected"):
        read_lock(lock)


def test_two_artefacts_with_one_file_name_are_refused(tmp_path):
    lock = tmp_path / "jars.lock"
    lock.write_text("x:y:1 00\nz:y:1 00\n")

    with pytest.raises(ServerError, match=r"jars\.lock:2: a second y-1\.jar"):
        read_lock(lock)


def test_fetched_once_then_found(tmp_path, small_lock):
    calls = []
    cache = tmp_path / "cache"

    jars = ensure_jars(cache, lambda *call: calls.append(call), lock_file=small_lock)
    assert calls == [(1, 1, SMALL.filename)]
    assert content(jars.folder) == [".lock", SMALL.filename]
    assert jars.classpath == str(cache / "jars" / SMALL.filename)

    again = ensure_jars(cache, lambda *call: calls.append(call), lock_file=small_lock)
    assert again == jars
    assert len(calls) == 1


def test_a_right_file_that_somebody_put_there_is_taken(tmp_path, small_lock, embedded_jars):
    calls = []
    folder = tmp_path / "cache" / "jars"
    folder.mkdir(parents=True)
    shutil.copy(embedded_jars.folder / SMALL.filename, folder)

    ensure_jars(tmp_path / "cache", lambda *call: calls.append(call), lock_file=small_lock)

    assert calls == []


def truncate(file):
    file.write_bytes(file.read_bytes()[:100])


def flip_a_byte_behind_the_clock(file):
    before = file.stat()
    data = bytearray(file.read_bytes())
    data[500] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("damage", [truncate, flip_a_byte_behind_the_clock, Path.unlink])
def test_a_damaged_jar_is_noticed_and_fetched_again(tmp_path, small_lock, damage):
    jars = ensure_jars(tmp_path / "cache", lock_file=small_lock)
    good = jars.files[0].read_bytes()
    before = jars.files[0].stat()
    calls = []

    damage(jars.files[0])
    ensure_jars(tmp_path / "cache", lambda *call: calls.append(call), lock_file=small_lock)

    assert len(calls) == 1
    assert jars.files[0].read_bytes() == good
    # A class-data archive records this time, so it must survive a second fetch.
    assert jars.files[0].stat().st_mtime_ns == before.st_mtime_ns


def test_a_wrong_sum_is_refused_and_leaves_nothing(tmp_path):
    lock = write_lock(tmp_path / "jars.lock", SMALL, "0" * 64)

    with pytest.raises(ChecksumMismatch, match=f"{SMALL} arrived twice with SHA-256 {SMALL.sha256}"):
        ensure_jars(tmp_path / "cache", lock_file=lock)

    assert content(tmp_path / "cache" / "jars") == [".lock"]


def test_a_version_that_does_not_exist_is_named(tmp_path):
    lock = write_lock(tmp_path / "jars.lock", "com.google.guava:listenablefuture:0.0.0-never", "0" * 64)

    with pytest.raises(
        DownloadFailed, match=r"listenablefuture:0\.0\.0-never could not be downloaded"
    ) as caught:
        ensure_jars(tmp_path / "cache", lock_file=lock)

    assert not isinstance(caught.value, ChecksumMismatch)
    with warnings.catch_warnings():
        # jgo leaves the connection of a "not found" to the garbage collector: let it be found here.
        warnings.simplefilter("ignore", ResourceWarning)
        del caught
        gc.collect()
    assert content(tmp_path / "cache" / "jars") == [".lock"]


def test_two_processes_fetch_once(tmp_path, small_lock):
    program = (
        "import sys; from pathlib import Path; from prefrontal.graph.embedded import artifacts;"
        "calls = [];"
        "artifacts.ensure_jars(Path(sys.argv[1]), lambda *c: calls.append(c), lock_file=Path(sys.argv[2]));"
        "print(len(calls))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "cache"), str(small_lock)]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=60)[0].strip() for process in both]

    assert sorted(printed) == ["0", "1"]
    assert content(tmp_path / "cache" / "jars") == [".lock", SMALL.filename]
