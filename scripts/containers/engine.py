"""The container engine: the one that answers, or podman from Debian's packages.

An engine that is started here keeps everything in one folder and is described by two files in it, which the
environment names. What the machine itself has configured for podman is neither read nor changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scripts import apt

PACKAGES = ("podman", "runc", "netavark", "aardvark-dns", "iptables", "mmdebstrap")
"""What apt brings. Of the two kinds of networks that podman knows only netavark's, for both at once take the
same addresses."""

PROGRAMS = (
    "podman",
    "runc",
    "iptables",
    "mmdebstrap",
    "/usr/lib/podman/netavark",
    "/usr/lib/podman/aardvark-dns",
)
START_TIMEOUT_S = 30
ASK_TIMEOUT_S = 20
OPEN_FILES, PROCESSES = 20_000, 4_096
WEIGHT = 4_096
"""What four programs weigh: 1,024 is the weight of one."""


class NoEngine(Exception):
    """There is no engine and none can be had; the message says what to install."""


class EngineFailed(Exception):
    """A command of the engine failed; the message has the command and the end of what it said."""


def run_checked(
    *command: str,
    env: dict[str, str],
    check: bool = True,
    timeout: float | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command with `env` added to the environment; raises `EngineFailed` when it fails."""
    done = subprocess.run(
        command,
        env={**os.environ, **env},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    if check and done.returncode:
        said = (done.stdout + done.stderr)[-4000:]
        raise EngineFailed(f"{' '.join(command)}\nended with status {done.returncode}:\n{said}")
    return done


@dataclass(frozen=True)
class Engine:
    """A running engine.

    Attributes:
        command: the client that builds and runs: `docker` or `podman`.
        compose: the program that reads a compose file.
        ours: started here, so that everything in it may be removed.
        env: what its clients need in their environment, testcontainers too.
    """

    command: str
    compose: tuple[str, ...]
    ours: bool
    env: dict[str, str] = field(default_factory=dict)

    def run(
        self, *arguments: str, check: bool = True, timeout: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the client and return what it said; raises `EngineFailed` when it fails."""
        return run_checked(self.command, *arguments, env=self.env, check=check, timeout=timeout)

    def has(self, image: str) -> bool:
        """Tell whether the image is there."""
        return self.run("image", "inspect", image, check=False).returncode == 0

    def clear(self) -> None:
        """Remove every container, volume and network of an engine that was started here."""
        if self.ours:
            self.run("rm", "--all", "--force", "--volumes", "--time", "0", check=False)
            self.run("volume", "prune", "--force", check=False)
            self.run("network", "prune", "--force", check=False)


def answering() -> Engine | None:
    """Return the engine that `docker` reaches, if one answers."""
    if shutil.which("docker") is None or not _succeeds("docker", "info"):
        return None
    if not _succeeds("docker", "compose", "version"):
        raise NoEngine(
            "A Docker engine answers, but `docker compose` is not there.\n"
            "  Debian, Ubuntu: install docker-compose-plugin and docker-buildx-plugin;\n"
            "  or set DOCKER_HOST to an address where nothing answers, and podman is used"
        )
    return Engine("docker", ("docker", "compose"), ours=False)


def _succeeds(*command: str) -> bool:
    try:
        return (
            subprocess.run(command, capture_output=True, timeout=ASK_TIMEOUT_S, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def missing() -> list[str]:
    """Return the programs of our own engine that are not there."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def install() -> None:
    """Bring podman and what it needs with apt; raises `NoEngine` where that cannot be done."""
    absent = missing()
    if not absent:
        return
    if os.geteuid() != 0 or not apt.usable():
        raise NoEngine(
            f"No Docker engine answers, and podman cannot be used: {', '.join(absent)} is missing.\n"
            f"  Debian, Ubuntu: sudo apt-get install --no-install-recommends {' '.join(PACKAGES)}\n"
            "                  and run this as root\n"
            "  macOS, Windows: start Docker Desktop\n"
            "  or set DOCKER_HOST to an engine that answers"
        )
    say(f"Installing {', '.join(PACKAGES)} with apt …")
    problem = apt.install(*PACKAGES)
    if problem is not None:
        raise NoEngine(problem)


@contextlib.contextmanager
def own_engine(store: Path) -> Iterator[Engine]:
    """Run podman's Docker API with everything in `store`; it ends with the block, its images stay."""
    if os.geteuid() != 0:
        raise NoEngine("No Docker engine answers. Our own one, podman, has to be run as root: use sudo.")
    store.mkdir(parents=True, exist_ok=True)
    # What is true only until the next boot belongs into a file system that is empty after it.
    state = Path("/run") / f"prefrontal-containers-{hashlib.sha256(str(store).encode()).hexdigest()[:8]}"
    state.mkdir(mode=0o700, exist_ok=True)
    address = state / "engine.sock"
    env = {
        **_configure(store, state),
        "DOCKER_HOST": f"unix://{address}",
        # The other format has no health checks.
        "BUILDAH_FORMAT": "docker",
        # testcontainers' helper that clears up cannot be fetched everywhere; here everything is cleared.
        "TESTCONTAINERS_RYUK_DISABLED": "true",
        # Also where testcontainers would take this machine for a container.
        "TESTCONTAINERS_CONNECTION_MODE": "docker_host",
    }
    composer = Path(sys.executable).with_name("podman-compose")
    engine = Engine("podman", (str(composer),), ours=True, env=env)
    engine.clear()
    _weigh()
    address.unlink(missing_ok=True)
    with (store / "engine.log").open("w") as log:
        service = subprocess.Popen(
            ["podman", "system", "service", "--time=0", f"unix://{address}"],
            env={**os.environ, **env},
            stdout=log,
            stderr=log,
            # Ctrl-C is for the tests: the engine is still needed to clear up after them.
            start_new_session=True,
        )
        try:
            _await(service, address, store / "engine.log")
            yield engine
        finally:
            engine.clear()
            service.terminate()
            service.wait()


def _weigh() -> None:
    """Let the containers together weigh as much as a few programs, where cgroups are of the older kind.

    They have one cgroup, which would get as much of a busy machine as one single program beside it: a first
    statement has then taken a minute.
    """
    parent = Path("/sys/fs/cgroup/cpu/libpod_parent")
    if parent.parent.is_dir():
        with contextlib.suppress(OSError):
            parent.mkdir(exist_ok=True)
            (parent / "cpu.shares").write_text(str(WEIGHT))


def _configure(store: Path, state: Path) -> dict[str, str]:
    """Write the engine's two files and return the environment that names them."""
    files = {
        "CONTAINERS_CONF": store / "containers.conf",
        "CONTAINERS_STORAGE_CONF": store / "storage.conf",
    }
    limits = [
        f"{name}={most}:{most}"
        for name, kind, wanted in (
            ("nofile", resource.RLIMIT_NOFILE, OPEN_FILES),
            ("nproc", resource.RLIMIT_NPROC, PROCESSES),
        )
        # More than the machine allows us would stop every container from starting.
        if (most := _at_most(resource.getrlimit(kind)[1], wanted))
    ]
    quoted = ", ".join(f'"{limit}"' for limit in limits)
    # runc and cgroupfs: the ways that need no systemd and no cgroups of the newer kind alone.
    files["CONTAINERS_CONF"].write_text(
        f"""\
[containers]
default_ulimits = [{quoted}]

[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "{state}/libpod"

[network]
network_backend = "netavark"
network_config_dir = "{store}/networks"
"""
    )
    files["CONTAINERS_STORAGE_CONF"].write_text(
        f"""\
[storage]
driver = "overlay"
graphroot = "{store}/storage"
runroot = "{state}/storage"
"""
    )
    return {name: str(path) for name, path in files.items()}


def _at_most(hard: int, wanted: int) -> int:
    return wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)


class _Api(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, address: Path) -> None:
        super().__init__("localhost", timeout=ASK_TIMEOUT_S)
        self._address = address

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._address))


def _await(service: subprocess.Popen[bytes], address: Path, log: Path) -> None:
    """Return when the API answers."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while service.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            api = _Api(address)
            api.request("GET", "/_ping")
            if api.getresponse().status == http.client.OK:
                return
        time.sleep(0.05)
    service.kill()
    raise NoEngine(f"podman's Docker API did not start; {log} says:\n{log.read_text()[-2000:]}")


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, flush=True)
