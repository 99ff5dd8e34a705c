"""The engine and the images that `make test-container` brought, or the engine that `docker` reaches."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT
from scripts.containers.__main__ import HANDED_ON
from scripts.containers.engine import Engine
from scripts.containers.images import Images, build_secrets


@pytest.fixture(scope="session")
def handed_on() -> dict[str, dict]:
    text = os.environ.get(HANDED_ON)
    if text is None:
        pytest.fail("this test needs images: run `make test-all ARGS=containers`", pytrace=False)
    return json.loads(text)


@pytest.fixture(scope="session")
def engine(handed_on) -> Engine:
    return Engine(**handed_on["engine"])


@pytest.fixture(scope="session")
def images(handed_on) -> Images:
    return Images(**handed_on["images"])


@pytest.fixture
def run_pytest():
    """Run pytest as a process of its own, which gets its database from the engine."""

    def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        env = {
            name: value
            for name, value in os.environ.items()
            if name not in ("NEO4J_URI", "PREFRONTAL_DOCKER")
        }
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)

    return run


def build(engine: Engine, images: Images, name: str, context: Path, target: str) -> str:
    with build_secrets() as secrets:
        engine.run(
            "build",
            *secrets,
            "--build-arg",
            f"PYTHON_IMAGE={images.python}",
            "--target",
            target,
            "--tag",
            name,
            "--file",
            str(context / "Dockerfile"),
            str(context),
        )
    return name


@pytest.fixture(scope="session")
def api_image(engine: Engine, images: Images) -> str:
    return build(engine, images, "localhost/prefrontal/tests:checkout", ROOT, "checkout")


@pytest.fixture(scope="session")
def wheel_image(engine: Engine, images: Images, tmp_path_factory) -> str:
    """The image of a wheel, built where there is nothing but that wheel, the lock and the Dockerfile."""
    context = tmp_path_factory.mktemp("context")
    shutil.copy(ROOT / "Dockerfile", context)
    (context / "requirements").mkdir()
    shutil.copy(ROOT / "requirements" / "run.lock", context / "requirements")
    subprocess.run([sys.executable, ROOT / "scripts" / "build_web.py"], check=True)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--no-build-isolation"),
            *("--python", sys.executable, "--out-dir", str(context / "dist"), str(ROOT)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return build(engine, images, "localhost/prefrontal/tests:wheel", context, "wheel")
