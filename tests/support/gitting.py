"""A git repository of a test's own that has the registry in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from prefrontal.graph.config.settings import ROOT

_WHO = ("-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> str:
    """What git says in a folder; nothing of this machine's settings counts."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *_WHO, "-C", str(folder), *arguments], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def registry_repository(folder: Path) -> Path:
    """A clone with the project's registry, checked out on `main`."""
    folder.mkdir()
    shutil.copytree(ROOT / "registry", folder / "registry")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "The registry")
    return folder


def everything_in(folder: Path) -> dict[str, bytes]:
    """The files that are checked out."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }
