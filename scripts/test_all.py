"""Runs everything that the tests can show, group by group: `make test-all`.

    python -m scripts.test_all                     every group whose files changed since it was last green
    python -m scripts.test_all faults browser      these alone
    python -m scripts.test_all --again faults      also if nothing changed
    python -m scripts.test_all --list              what each group is, and when it was last green

A group is a folder of tests, those with the marker `nightly` among them. Its result is kept with the commit
and a digest of the files that it tests, so what is green is not run again until one of them changes. After a
failure the next groups run all the same. Ends with 1 when any group is not green.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from prefrontal.graph.config.settings import ROOT, load_settings

CODE = ("graph", "cypher", "registry", "requirements", "tests/conftest.py", "tests/support", "pyproject.toml")
SERVICE = (*CODE, "api", "schema.graphql")
PYTEST = ("pytest", "--nightly", "-n", "logical", "--maxprocesses", "4", "--dist", "loadscope")

NOT_WRITTEN = ":(exclude)tests/contract/plans.lock.json"
"""The group `contract` writes this file itself."""


@dataclass(frozen=True)
class Group:
    """Tests that run together, and the files whose change asks for them again."""

    shows: str
    tests: tuple[str, ...]
    subject: tuple[str, ...]
    command: tuple[str, ...] = PYTEST

    @property
    def paths(self) -> tuple[str, ...]:
        """Everything whose change makes a result worthless."""
        return (*self.subject, *self.tests)


GROUPS = {
    "units": Group("each property with 300 examples", ("tests/unit",), (*SERVICE, "bench", "scripts")),
    "contract": Group(
        "the plan of every statement at three sizes",
        ("tests/contract",),
        (*SERVICE, "docs", "bench", "scripts", "README.md", "web/package.json", "examples"),
    ),
    "graph": Group(
        "every rule on a real Neo4j", ("tests/graph", "tests/fixtures"), (*SERVICE, "docs", "bench")
    ),
    "api": Group(
        "every field of the schema, with generated requests",
        ("tests/api",),
        (*SERVICE, "docs", "examples", "README.md"),
    ),
    "processes": Group(
        "the commands, the wheel, the embedded server",
        ("tests/cli", "tests/embedded"),
        (*SERVICE, "prefrontal", "scripts", "hatch_build.py"),
    ),
    "faults": Group(
        "every mutation frozen at every message, and every kill",
        ("tests/fault",),
        # What decides which words an answer has, and what is written at once.
        (
            *("graph/storage", "graph/journal", "graph/turns", "graph/outbox", "graph/embedded"),
            *("cypher/storage", "cypher/journal", "cypher/turns", "cypher/outbox", "cypher/transfer"),
            *(
                "api/graphql",
                "api/server.py",
                "schema.graphql",
                "requirements",
                "tests/support",
                "tests/conftest.py",
            ),
            "tests/api/schema_inputs.py",
        ),
    ),
    "browser": Group(
        "every page in a real Chromium",
        ("tests/web",),
        ("web", "api", "schema.graphql", "examples", "requirements", "tests/support", "tests/conftest.py"),
    ),
    "containers": Group(
        "the compose file, the images and graph fixtures on containers",
        ("tests/container",),
        (
            *(
                "Dockerfile",
                "docker-compose.yml",
                "docker",
                "requirements",
                "scripts/containers",
                "hatch_build.py",
            ),
            *("graph/embedded", "graph/config", "api/app.py", "api/cli", "cypher/schema", "tests/fixtures"),
        ),
        (*("-m", "scripts.containers", "test", "--nightly"),),
    ),
}


@dataclass(frozen=True)
class Result:
    """How a group ended."""

    commit: str
    digest: str
    green: bool
    counts: str
    seconds: float
    ended: str


def main() -> int:
    """Run the groups that are asked for and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="make test-all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--again", action="store_true", help="run also what is green")
    parser.add_argument("--list", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.groups if name not in GROUPS]
    if unknown:
        parser.error(f"there is no group {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    results = Results(load_settings().cache_dir / "test-all.json")
    chosen = {name: GROUPS[name] for name in arguments.groups or GROUPS}
    red = False
    for name, group in chosen.items():
        digest = digest_of(group.paths)
        last = results.of(name)
        if last and last.green and last.digest == digest and not arguments.again:
            say(name, f"{last.counts}, green at {last.commit}, unchanged since", last.seconds)
            continue
        if arguments.list:
            told = "never run" if last is None else f"{last.counts} at {last.commit}, changed since"
            say(name, f"{group.shows}: {told}")
            continue
        result = run(name, group, digest)
        results.keep(name, result)
        say(name, result.counts if result.green else f"{result.counts}: {log_of(name)}", result.seconds)
        red = red or not result.green
    return 1 if red else 0


def run(name: str, group: Group, digest: str) -> Result:
    """Run one group, with what pytest prints in a file; show on a terminal how far it is."""
    began = time.monotonic()
    log = log_of(name)
    log.parent.mkdir(parents=True, exist_ok=True)
    command = group.command if group.command[0] == "-m" else ("-m", *group.command)
    percent, last = "", ""
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(
            [sys.executable, *command, *group.tests],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as tests,
    ):
        for line in tests.stdout or ():
            file.write(line)
            file.flush()
            if found := re.search(r"\[ *(\d+%)\]", line):
                percent = found[1]
            if line.startswith("FAILED in "):
                print(f"{'':12}{line.rstrip()}", flush=True)
            if re.search(r"\d+ (passed|failed|errors?)\b.* in ", line):
                last = line.strip("= \n")
            if sys.stdout.isatty():
                print(f"\r{name:<12}{percent:<6}{clock(time.monotonic() - began)}", end="\r", flush=True)
    counts = re.sub(r" in .*", "", last) or f"ended with {tests.returncode}"
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    seconds = round(time.monotonic() - began, 1)
    return Result(commit(), digest, tests.returncode == 0, counts, seconds, ended)


class Results:
    """The last result of each group. The file is beside the downloads, so that a new clone finds it, too."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _read(self) -> dict[str, dict[str, object]]:
        return json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}

    def of(self, name: str) -> Result | None:
        """Return the last result of a group, if it has run."""
        found = self._read().get(name)
        return Result(**found) if found else None  # type: ignore[arg-type]

    def keep(self, name: str, result: Result) -> None:
        """Write a result; the file is never half there."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(self._read() | {name: asdict(result)}, indent=2), encoding="utf-8")
        new.replace(self._path)


def digest_of(paths: tuple[str, ...]) -> str:
    """Return a digest of the files that Git knows under these paths, as they are in the work tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths, NOT_WRITTEN],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    digest = hashlib.sha256()
    for name in sorted({*listed.split(b"\0")} - {b""}):
        path = ROOT / name.decode()
        if path.is_file():
            digest.update(name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def commit() -> str:
    """Return the commit of the work tree, with a `+` if something is not committed."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain") else "")


def log_of(name: str) -> Path:
    """Return the file with what pytest printed for a group."""
    return ROOT / ".prefrontal" / "test-all" / f"{name}.log"


def clock(seconds: float) -> str:
    """Return minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def say(name: str, text: str, seconds: float | None = None) -> None:
    """Print the line of a group."""
    took = "" if seconds is None else clock(seconds)
    print(f"{name:<12}{took:>6}  {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
