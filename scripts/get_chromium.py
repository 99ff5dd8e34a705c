"""Gets the Chromium that the tests of the pages drive, when the machine has none.

    python scripts/get_chromium.py

As root on Debian or Ubuntu it is the package `chromium`; else Playwright fetches one of its own into the
user's cache, where its server is reached; else apt-get is tried with sudo, where that asks for no password.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright
from progress import fail

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import apt
from tests.support.chromium import installed

# A server that is not reached must not hold up the tests: a second to connect would be enough.
CONNECT_MS = "10000"
FETCH_SECONDS = 600

WHAT_TO_DO = """\
the tests of the pages drive a real Chromium, and this machine has none that runs.
  Debian:  sudo apt-get install chromium
  Fedora:  sudo dnf install chromium
  macOS:   brew install --cask chromium
  or name a Chromium or Chrome that is there: PREFRONTAL_CHROMIUM=/path/to/chrome make test"""


def main() -> int:
    """Get a Chromium unless there is one, and return the exit status."""
    with sync_playwright() as playwright:
        playwrights = playwright.chromium.executable_path
    if runs(installed(playwrights)):
        return 0
    if "PREFRONTAL_CHROMIUM" in os.environ:
        return fail(f"PREFRONTAL_CHROMIUM names {os.environ['PREFRONTAL_CHROMIUM']}, which does not run")
    for get in ways():
        if get() and runs(installed(playwrights)):
            return 0
    return fail(WHAT_TO_DO)


def ways() -> list[Callable[[], bool]]:
    """Return what can be tried on this machine, in order."""
    debian = [partial(from_debian, "chromium")] if apt.usable() else []
    return [*debian, from_playwright] if os.geteuid() == 0 else [from_playwright, *debian]


def from_debian(package: str) -> bool:
    """Install a package with apt-get; return whether that worked."""
    say(f"Installing {package} with apt-get (once) …")
    problem = apt.install(package)
    if problem is not None:
        say(problem)
    return problem is None


def from_playwright() -> bool:
    """Let Playwright fetch its Chromium, which draws how far it is; return whether it did."""
    say("Fetching Chromium with Playwright (once) …")
    return called(
        [sys.executable, "-m", "playwright", "install", "--no-shell", "chromium"],
        env={**os.environ, "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": CONNECT_MS},
        timeout=FETCH_SECONDS,
    )


def runs(chromium: str | None) -> bool:
    """Tell whether a browser is there and starts: some packages are only a note that it is elsewhere."""
    return chromium is not None and called(
        [chromium, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60
    )


def called(command: list[str], **how: object) -> bool:
    """Run a command; return whether it worked."""
    try:
        return subprocess.run(command, check=False, **how).returncode == 0  # type: ignore[call-overload]
    except (OSError, subprocess.TimeoutExpired) as problem:
        say(str(problem))
        return False


def say(message: str) -> None:
    """Say what is done now."""
    sys.stderr.write(f"{message}\n")


if __name__ == "__main__":
    sys.exit(main())
