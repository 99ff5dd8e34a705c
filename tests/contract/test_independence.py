"""Parts that work without each other: each is loaded in a process that refuses to load the other."""

from __future__ import annotations

import subprocess
import sys
from configparser import ConfigParser
from fnmatch import fnmatchcase

import grimp
import pytest

from prefrontal.graph.config.settings import ROOT

LOAD = """
import importlib, sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        for refused in {refused!r}:
            if name == refused or name.startswith(refused + "."):
                raise ImportError("refused: " + name)

sys.meta_path.insert(0, Refuses())
for name in {modules!r}:
    importlib.import_module(name)
print(len({modules!r}))
"""
DRIVER = ("neo4j", "neomodel")


def every_module() -> set[str]:
    return grimp.build_graph("prefrontal", cache_dir=None).modules


def below(package: str) -> list[str]:
    """The modules of a package, but for declarations of nodes, which no running service loads."""
    found = every_module()
    return sorted(
        name for name in found if f"{name}.".startswith(f"{package}.") and not name.endswith(".node")
    )


def load(modules: list[str], refused: tuple[str, ...]) -> str:
    """Load modules in a process of their own; the error, or nothing."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD.format(modules=modules, refused=refused)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode == 0) == (done.stdout.strip() == str(len(modules))), done.stderr
    return done.stderr


def pure() -> list[str]:
    """The modules that the import contract calls pure."""
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    patterns = contracts["importlinter:contract:pure"]["source_modules"].split()
    return sorted(
        name
        for name in every_module()
        if any(fnmatchcase(name, each.replace("**", "*")) for each in patterns)
    )


@pytest.mark.covers("OPS-63")
def test_the_frontal_cortex_loads_without_a_working_memory() -> None:
    modules = below("prefrontal.graph.cortex")

    assert len(modules) > 40
    assert load(modules, ("prefrontal.graph.sessions", "prefrontal.graph.context")) == ""


@pytest.mark.covers("OPS-63")
@pytest.mark.parametrize(("package", "more_than"), [("sessions", 20), ("context", 10)])
def test_working_memory_loads_without_a_frontal_cortex(package: str, more_than: int) -> None:
    modules = below(f"prefrontal.graph.{package}")

    assert len(modules) > more_than
    assert load(modules, ("prefrontal.graph.cortex",)) == ""


@pytest.mark.covers("OPS-64")
def test_the_scratch_page_loads_without_a_frontal_cortex() -> None:
    modules = below("prefrontal.graph.scratch")

    assert len(modules) > 15
    assert load(modules, ("prefrontal.graph.cortex", "prefrontal.graph.evaluation")) == ""


@pytest.mark.covers("OPS-66")
def test_rules_and_records_load_without_a_driver() -> None:
    modules = pure()

    assert len(modules) > 100
    assert "prefrontal.graph.cortex.goals.record" in modules
    assert load(modules, DRIVER) == ""


@pytest.mark.parametrize(
    ("module", "refused"),
    [
        ("prefrontal.graph.turns.start", "prefrontal.graph.cortex"),
        ("prefrontal.graph.evaluation.service", "prefrontal.graph.scratch"),
        ("prefrontal.graph.storage.driver", "neo4j"),
    ],
)
def test_what_needs_the_other_part_is_found(module: str, refused: str) -> None:
    assert f"refused: {refused}" in load([module], (refused,))
