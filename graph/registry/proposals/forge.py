"""The export target of proposals: an interface for any system that keeps the registry's repository.

`LocalGit` needs a clone on this machine, bare or with a work tree. It writes objects and one new branch with
git's plumbing commands and an index of its own: the work tree and all existing branches stay unchanged.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

import structlog

from prefrontal.graph.errors import Conflict, Unavailable
from prefrontal.graph.registry.proposals.record import Export
from prefrontal.graph.registry.proposals.yaml_patch import FOLDER, SETTINGS, FilePatch

log = structlog.get_logger(__name__)

SETTING = "PREFRONTAL_REGISTRY_REPOSITORY"
"""The setting with the path of the repository."""

_NAME = "Prefrontal"
_MAIL = "prefrontal@localhost"
_NOBODY = "0" * 40
_SECONDS = 30.0
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
"""Options that keep git from running hooks or programs of the repository."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The change to export."""

    branch: str
    path: str
    file: Callable[[str | None, str | None], FilePatch]
    """Returns the new file, given the repository's present file and settings; may raise `Conflict`."""
    at: datetime
    """The time of the commit; it is the same for each repetition, so the commit is the same as well."""
    known: str | None
    """The commit of an earlier export."""


class Forge(Protocol):
    """Exports a proposal as a branch."""

    async def export(self, wanted: ExportRequest) -> Export:
        """Return the branch with the change, created now or by an earlier call.

        Raises:
            Conflict: If the change cannot be applied to the repository.
            Unavailable: If the repository cannot be used at present; no branch was created.
        """
        ...


class LocalGit:
    """A git repository on this machine."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository.absolute()

    async def export(self, wanted: ExportRequest) -> Export:
        """Return the branch with the change; git runs in a thread, beside the event loop."""
        commit = await asyncio.to_thread(self._export, wanted)
        place = self._repository
        return Export(
            repo=place.as_posix(),
            branch=wanted.branch,
            commit=commit,
            pr_url=f"{place.as_uri()}#{wanted.branch}",
        )

    def _export(self, wanted: ExportRequest) -> str:
        head = self._resolve_commit("HEAD")
        if head is None:
            raise Unavailable(f"the repository of {SETTING} has no commit; make a first commit with {FOLDER}")
        ref = f"refs/heads/{wanted.branch}"
        tip = self._resolve_commit(ref)
        if wanted.known is not None and any(
            self._holds(each, wanted.known) for each in (tip, head) if each is not None
        ):
            return wanted.known
        if tip is None:
            made = self._commit(head, wanted)
            try:
                # git creates the branch only if it does not exist; a branch made by another process is
                # handled below.
                self._git("update-ref", ref, made, _NOBODY)
            except Unavailable:
                tip = self._resolve_commit(ref)
                if tip is None:
                    raise
            else:
                return made
        parent = self._resolve_commit(f"{tip}^")
        if parent is None or self._commit(parent, wanted) != tip:
            raise Conflict(
                f"the repository has a branch {wanted.branch} with other contents; delete or rename it",
                field="id",
            )
        return tip

    def _commit(self, base: str, wanted: ExportRequest) -> str:
        """Create the commit of the change on a base and return its hash; no branch points to it yet."""
        if not self._git("ls-tree", "-d", base, "--", FOLDER):
            raise Unavailable(f"the repository of {SETTING} has no folder {FOLDER}")
        filed = wanted.file(self._text(base, wanted.path), self._text(base, SETTINGS))
        blob = self._git("hash-object", "-w", "--stdin", given=filed.text)
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._git("read-tree", base, extra=index)
            self._git("update-index", "--add", "--cacheinfo", f"100644,{blob},{wanted.path}", extra=index)
            tree = self._git("write-tree", extra=index)
        return self._git("commit-tree", tree, "-p", base, extra=_signature(wanted.at), given=filed.message)

    def _text(self, base: str, path: str) -> str | None:
        """Return the text of a file at a commit, or None if it has no such file."""
        if not self._git("ls-tree", base, "--", path):
            return None
        return self._git("cat-file", "blob", f"{base}:{path}", strip=False)

    def _resolve_commit(self, name: str) -> str | None:
        """Return the commit that a name refers to, or None."""
        # First tell an unusable repository (raises) from an unknown name (None).
        self._git("rev-parse", "--git-dir")
        found = self._run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return found.stdout.decode().strip() if found.returncode == 0 else None

    def _holds(self, tip: str, commit: str) -> bool:
        return self._run("merge-base", "--is-ancestor", commit, tip).returncode == 0

    def _git(
        self, *arguments: str, extra: Mapping[str, str] | None = None, given: str = "", strip: bool = True
    ) -> str:
        """Return the output of a git command.

        Raises:
            Unavailable: If the command fails.
            Conflict: If the output is not UTF-8.
        """
        done = self._run(*arguments, extra=extra, given=given)
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").partition("\n")[0]
            log.warning("git_failed", command=arguments[0], code=done.returncode, said=said)
            raise Unavailable(f"git cannot use the repository of {SETTING}; the server's log says why")
        try:
            text = done.stdout.decode()
        except UnicodeDecodeError as error:
            raise Conflict("the repository's file of that type is not UTF-8", field="id") from error
        return text.strip() if strip else text

    def _run(
        self, *arguments: str, extra: Mapping[str, str] | None = None, given: str = ""
    ) -> subprocess.CompletedProcess[bytes]:
        git = shutil.which("git")
        if git is None:
            raise Unavailable("git is not installed on the server: install git to export proposals")
        # No variable of the environment may choose repository or index; git must not search parent folders.
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        env |= {"GIT_CEILING_DIRECTORIES": str(self._repository.parent), "LC_ALL": "C", **(extra or {})}
        try:
            return subprocess.run(  # noqa: S603 - no shell, and no argument is free text
                [git, *_SAFE, "-C", str(self._repository), *arguments],
                input=given.encode(errors="replace"),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                env=env,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            log.warning("git_failed", command=arguments[0], cause=type(error).__name__)
            raise Unavailable("git does not answer on the server; try again later") from error


def _signature(at: datetime) -> dict[str, str]:
    when = f"{int(at.timestamp())} +0000"
    return {
        f"GIT_{who}_{key}": value
        for who in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", _NAME), ("EMAIL", _MAIL), ("DATE", when))
    }
