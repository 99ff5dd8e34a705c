"""What is published: an sdist and a wheel with the built pages, and without what they were built with."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT

PAGES = "api/web/dist/"


def package(kind: str, root: Path, target: Path) -> subprocess.CompletedProcess[str]:
    # Without a PATH: nothing but Python is at hand.
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)],
        cwd=root,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def built() -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / PAGES).rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    done = package("sdist", ROOT, folder)
    assert done.returncode == 0, done.stderr
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def test_the_sdist_has_the_sources_of_the_pages_and_the_pages(unpacked: Path) -> None:
    files = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert {"web/package-lock.json", "web/.npmrc", "web/src/pages/graphiql/main.tsx"} <= files
    assert {name for name in files if name.startswith(PAGES)} == built()
    assert len(built()) > 10
    assert [name for name in files if "node_modules" in name] == []


def test_the_wheel_of_the_sdist_has_the_pages_and_needs_no_node(unpacked: Path, tmp_path: Path) -> None:
    done = package("wheel", unpacked, tmp_path)
    assert done.returncode == 0, done.stderr
    (archive,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(archive) as files:
        names = set(files.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        needs = [line for line in files.read(metadata).decode().splitlines() if line.startswith("Requires-")]
    assert {name for name in names if "/web/dist/" in name} == {f"prefrontal/{name}" for name in built()}
    assert [name for name in names if "node_modules" in name or name.startswith("web/")] == []
    assert len(needs) > 10
    assert [line for line in needs if "node" in line.lower()] == []


def test_nothing_is_packaged_without_the_pages(unpacked: Path, tmp_path: Path) -> None:
    moved = (unpacked / PAGES).rename(tmp_path / "dist")
    try:
        done = package("wheel", unpacked, tmp_path)
    finally:
        moved.rename(unpacked / PAGES)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        "error: the pages are not built from the sources in web/; run: make web"
    )
    assert list(tmp_path.glob("*.whl")) == []
