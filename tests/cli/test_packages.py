"""What is published: an sdist and a wheel, with the built pages and without what they were built with.

The wheel of the sdist is installed outside the checkout and does there what it promises.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT
from tests.cli.conftest import clean_environment
from tests.cli.test_serve import ask, free_ports, serving

UV = Path(sys.executable).with_name("uv")
INTO = ("pip", "install", "-q", "-p")

pytestmark = pytest.mark.slow

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


def built_wheel() -> set[str]:
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
    assert {
        "web/package-lock.json",
        "web/.npmrc",
        "web/src/pages/graphiql/main.tsx",
        "schema.graphql",
    } <= files
    assert {name for name in files if name.startswith(PAGES)} == built_wheel()
    assert len(built_wheel()) > 10
    assert [name for name in files if "node_modules" in name] == []


def test_the_wheel_of_the_sdist_has_the_pages_and_needs_no_node(unpacked: Path, tmp_path: Path) -> None:
    done = package("wheel", unpacked, tmp_path)
    assert done.returncode == 0, done.stderr
    (archive,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(archive) as files:
        names = set(files.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        needs = [line for line in files.read(metadata).decode().splitlines() if line.startswith("Requires-")]
    assert {name for name in names if "/web/dist/" in name} == {
        f"prefrontal/{name}" for name in built_wheel()
    }
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


@pytest.fixture(scope="module")
def installed(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment, outside the checkout, with the wheel of the sdist in it."""
    folder = tmp_path_factory.mktemp("installed")
    done = package("wheel", unpacked, folder)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    programs = folder / "venv" / "bin"
    for arguments in (
        ("venv", "-q", "-p", sys.executable, folder / "venv"),
        (*INTO, programs / "python", "--require-hashes", "-r", ROOT / "requirements" / "run.lock"),
        (*INTO, programs / "python", "--no-deps", wheel),
    ):
        done = subprocess.run([UV, *arguments], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
    return programs


@pytest.mark.parametrize(
    ("flags", "org", "titles"),
    [
        ((), "acme", []),
        pytest.param(
            ("--demo",),
            "demo",
            ["Order by Friday noon"],
            marks=pytest.mark.nightly("tests/api/test_demo_page.py reads the demo"),
        ),
    ],
)
def test_an_installed_wheel_serves(
    installed: Path, tmp_path: Path, flags: tuple[str, ...], org: str, titles: list[str]
) -> None:
    api_port, bolt_port, browser_port = free_ports(3)
    env = clean_environment(tmp_path / "data") | {
        "PATH": f"{installed}:/usr/bin:/bin",
        "PREFRONTAL_PORT": str(api_port),
        "PREFRONTAL_BOLT_PORT": str(bolt_port),
        "PREFRONTAL_BROWSER_PORT": str(browser_port),
        # A newcomer waits for its warm-up; this test is not about that.
        "PREFRONTAL_FAST_START": "1",
    }

    def prefrontal(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [installed / "prefrontal", *arguments],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    with serving(env, *flags, program=(installed / "prefrontal",), cwd=tmp_path):
        assert prefrontal("org", "create", org).returncode == 0
        token = prefrontal("token", "--org", org, "--agent", "sommelier", "--person", "ann")
        assert token.returncode == 0, token.stderr
        answer = ask(api_port, token.stdout.strip(), "{ activeGoals { title } }")
        assert [goal["title"] for goal in answer["data"]["activeGoals"][:1]] == titles
        with urllib.request.urlopen(f"http://127.0.0.1:{api_port}/graphiql", timeout=30) as page:
            assert b"<script" in page.read()
        checked = prefrontal("registry", "check")
        assert (checked.returncode, checked.stderr) == (0, ""), checked.stderr
        assert "9 action types. Nothing is wrong." in checked.stdout
        well = prefrontal("doctor")
        assert well.returncode == 0, well.stderr


def test_an_installed_wheel_brings_one_package_and_nothing_into_other_peoples_tests(
    installed: Path, tmp_path: Path
) -> None:
    code = (
        "import importlib.metadata as m, importlib.util as u;"
        "d = m.distribution('prefrontal');"
        "print(sorted({f.parts[0] for f in d.files if not f.parts[0].startswith(('..', 'prefrontal-'))}),"
        " sorted(e.group for e in d.entry_points), u.find_spec('graph'), u.find_spec('api'))"
    )
    done = subprocess.run(
        [installed / "python", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "['prefrontal'] ['console_scripts'] None None"
