"""Which Chromium the tests of the pages drive."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# macOS has applications, not commands.
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def installed(playwrights: str) -> str | None:
    """The Chromium or Chrome of this machine, or None when it has none.

    The one that PREFRONTAL_CHROMIUM names comes first, then one that is installed, then the one that
    Playwright has fetched to the place it names.
    """
    if named := os.environ.get("PREFRONTAL_CHROMIUM"):
        return named
    commands = (shutil.which(name) for name in NAMES)
    files = (path for path in (*APPLICATIONS, playwrights) if Path(path).is_file())
    return next((found for found in commands if found), None) or next(files, None)
