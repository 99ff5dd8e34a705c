"""A wheel and an sdist carry the pages as they are built; without these, neither is made.

A wheel that is built from an sdist finds them there and needs no Node.js.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface[Any]):
    """Looks whether the pages are built from the sources beside them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatch's
        """Refuse to package without the pages; an editable install is made before they are."""
        if version == "editable":
            return
        script = Path(self.root, "scripts", "build_web.py")
        done = subprocess.run(  # noqa: S603 - the project's own script
            [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr.strip())
