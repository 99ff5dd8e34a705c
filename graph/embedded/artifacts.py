"""The server's jars: exactly the ones in `jars.lock`, each verified against its committed SHA-256 checksum.

Each jar is downloaded with jgo's Maven client into a private folder and moved into the cache only when its
checksum is right, so the cache never holds an incomplete or wrong file. Later starts compare sizes and
modification times with a stamp file instead of hashing all jars again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from prefrontal.graph.downloads.artifacts import Artifact, Progress, fetch, has_sum
from prefrontal.graph.downloads.locks import exclusive
from prefrontal.graph.errors import ServerError

LOCK_FILE = Path(__file__).with_name("jars.lock")
WORKERS = 8

SERVER = ("org.neo4j", "neo4j")
"""The artefact whose version is the server's version."""

_MTIME = 946_684_800
# Every cached jar gets this modification time (2000-01-01): the class-data-sharing archive records the
# jars' times, so a jar that is downloaded again must have the same time. A later edit is still detected.


@dataclass(frozen=True)
class Lock:
    """The parsed lock file: the artefacts to download, and the digest of the whole file."""

    artifacts: tuple[Artifact, ...]
    digest: str

    @property
    def version(self) -> str:
        """The server's version; empty for a lock file without the server."""
        return next((a.version for a in self.artifacts if (a.group, a.name) == SERVER), "")


@dataclass(frozen=True)
class Jars:
    """Verified jars on disk, ready for a class path."""

    cache_dir: Path
    files: tuple[Path, ...]
    version: str
    digest: str

    @property
    def folder(self) -> Path:
        """The folder of all jars, including the jars of other versions."""
        return self.cache_dir / "jars"

    @property
    def classpath(self) -> str:
        """The class path, in the lock's order: a class-data archive requires the same text each time."""
        return os.pathsep.join(map(str, self.files))

    def named(self, name: str) -> Path:
        """Return the jar of the artefact `name` in the server's version.

        Raises:
            ServerError: If the lock file does not list the artefact.
        """
        for file in self.files:
            if file.name == f"{name}-{self.version}.jar":
                return file
        raise ServerError(f"the lock lists no {name} {self.version}: remake it with scripts/lock_neo4j.py")


def read_lock(path: Path = LOCK_FILE) -> Lock:
    """Return the content of the lock file.

    Raises:
        ServerError: If a line breaks the format or repeats a jar; the message names the line.
    """
    artifacts: dict[str, Artifact] = {}
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        coordinates, _, digest = line.partition(" ")
        parts = coordinates.split(":")
        if len(parts) not in {3, 4} or not digest.strip():
            raise ServerError(f"{path}:{number}: expected `group:artifact:version[:classifier] sha256`")
        group, name, version, classifier = (*parts, "")[:4]
        artifact = Artifact(group, name, version, classifier, digest.strip())
        if artifact.filename in artifacts:
            raise ServerError(f"{path}:{number}: a second {artifact.filename}")
        artifacts[artifact.filename] = artifact
    return Lock(tuple(artifacts.values()), hashlib.sha256(text.encode()).hexdigest())


def ensure_jars(cache_dir: Path, progress: Progress | None = None, *, lock_file: Path = LOCK_FILE) -> Jars:
    """Return the jars of the lock file; download the ones that are missing or changed in the cache.

    If another process is filling the same cache, this one waits. After an error, the jars that have arrived
    are kept for the next attempt.

    Raises:
        DownloadFailed: If an artefact could not be downloaded; the message names the artefact.
        ChecksumMismatch: If an artefact arrived twice with a wrong checksum.
    """
    lock = read_lock(lock_file)
    folder = cache_dir.resolve() / "jars"
    stamp = folder / f"stamp-{lock.digest[:16]}.json"
    jars = Jars(folder.parent, tuple(folder / a.filename for a in lock.artifacts), lock.version, lock.digest)
    if not _suspects(lock.artifacts, folder, stamp):
        return jars
    with exclusive(folder / ".lock"):
        suspects = _suspects(lock.artifacts, folder, stamp)
        missing = [a for a in suspects if not has_sum(folder / a.filename, a.sha256)]
        if missing:
            _fetch_all(missing, folder, progress)
        _write_stamp(lock.artifacts, folder, stamp)
    return jars


def _suspects(artifacts: Iterable[Artifact], folder: Path, stamp: Path) -> list[Artifact]:
    """Return the artefacts whose file is missing or has changed since the stamp was written."""
    try:
        known = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    return [a for a in artifacts if _shape(folder / a.filename) != known.get(a.filename, [])]


def _shape(file: Path) -> list[int] | None:
    """Return a file's size, times and inode, which are cheap to read; None when there is no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    # A program cannot set the change time (ctime), so even an edit that restores size and mtime is detected.
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _write_stamp(artifacts: Iterable[Artifact], folder: Path, stamp: Path) -> None:
    """Write the stamp: the size, times and inode of files that have just been verified."""
    shapes = {a.filename: _shape(folder / a.filename) for a in artifacts}
    with tempfile.NamedTemporaryFile(
        "w", dir=folder, prefix=".stamp-", delete=False, encoding="utf-8"
    ) as file:
        json.dump(shapes, file)
    Path(file.name).replace(stamp)


def _fetch_all(missing: list[Artifact], folder: Path, progress: Progress | None) -> None:
    """Download in parallel; after the first error, finish the running downloads and raise the error."""
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="jars") as pool:
        running = {pool.submit(_fetch, artifact, folder): artifact for artifact in missing}
        try:
            for done, future in enumerate(as_completed(running), start=1):
                future.result()
                if progress:
                    progress(done, len(missing), running[future].filename)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _fetch(artifact: Artifact, folder: Path) -> None:
    """Download one artefact into the folder."""
    with tempfile.TemporaryDirectory(prefix=".jar-", dir=folder) as private:
        arrived = fetch(artifact, Path(private), where_pinned="remake the lock with scripts/lock_neo4j.py")
        os.utime(arrived, (_MTIME, _MTIME))
        arrived.replace(folder / artifact.filename)
