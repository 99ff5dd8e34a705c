"""Installs packages of Debian and Ubuntu."""

from __future__ import annotations

import os
import shutil
import subprocess

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.downloads.locks import exclusive


def usable() -> bool:
    """Tell whether there is an apt-get that this process may call: as root, or by sudo."""
    return shutil.which("apt-get") is not None and (os.geteuid() == 0 or shutil.which("sudo") is not None)


def install(*packages: str) -> str | None:
    """Install packages; return None, or what apt-get said when it failed. No password is asked for."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    # apt-get fails where another one is at work.
    with exclusive(load_settings().cache_dir / "apt.lock"):
        for step in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            done = subprocess.run(
                [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", *step],
                check=False,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            if done.returncode:
                return f"apt-get {step[0]} failed:\n{done.stdout[-2000:]}"
    return None
