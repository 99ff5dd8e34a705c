"""Gets the NATS server that the tests of publishing use, when the machine has none.

    python scripts/get_nats.py

On Debian or Ubuntu it is the package `nats-server`, as root or with sudo, where that asks for no password.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from get_chromium import called, from_debian
from progress import fail

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import apt
from tests.support.nats import installed

WHAT_TO_DO = """\
the tests of publishing use a real NATS server, and this machine has none that runs.
  Debian:  sudo apt-get install nats-server
  macOS:   brew install nats-server
  or name a nats-server that is there: PREFRONTAL_NATS_SERVER=/path/to/nats-server make test"""


def main() -> int:
    """Get a NATS server unless there is one, and return the exit status."""
    if runs():
        return 0
    if "PREFRONTAL_NATS_SERVER" in os.environ:
        return fail(
            f"PREFRONTAL_NATS_SERVER names {os.environ['PREFRONTAL_NATS_SERVER']}, which does not run"
        )
    if apt.usable():
        from_debian("nats-server")
    return 0 if runs() else fail(WHAT_TO_DO)


def runs() -> bool:
    """Tell whether a server is there and starts."""
    found = installed()
    return found is not None and called(
        [found, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60
    )


if __name__ == "__main__":
    sys.exit(main())
