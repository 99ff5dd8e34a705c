"""The import contracts of `.importlinter` hold, and each of them can fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

from prefrontal.graph.config.settings import ROOT

SOURCES = shutil.ignore_patterns("__pycache__", "*.js", "*.lock", "*.css", "dist", "node_modules")

# Forbidden lines, put at the end of modules of a copy: together they break every contract.
BREAKS = {
    "graph/clock.py": "from prefrontal.graph.config import settings",
    "graph/turns/trace.py": "from prefrontal.api.auth import Tokens",
    "graph/cortex/actions/record.py": "from prefrontal.graph.cortex.goals import record",
    "graph/cortex/endings.py": "from prefrontal.graph.sessions import record",
    "graph/scratch/rows.py": "from prefrontal.graph.cortex import endings",
    "graph/registry/definitions.py": "from prefrontal.graph.registry.overrides import record",
    "api/auth.py": "from prefrontal.api import app",
    "api/graphql/paging.py": "from prefrontal.api.graphql import schema",
    "graph/scratch/validation.py": "from prefrontal.graph.scratch import store",
    "graph/cortex/goals/validation.py": "from prefrontal.graph.ids import new_id",
    "graph/cortex/goals/store.py": "import neo4j",
    "graph/access/service.py": "from prefrontal.graph.access.node import Actor",
    "graph/bootstrap/metrics.py": "\n".join(
        f"from prefrontal.{'.'.join(store.relative_to(ROOT).parent.parts)} import store as store_{number}"
        for number, store in enumerate(sorted((ROOT / "graph").glob("*/**/store.py")))
    ),
}


def lint(folder: Path) -> tuple[int, dict[str, bool], str]:
    """The exit code, whether each contract was kept, and what was printed."""
    # Wide, so that no contract's name is wrapped; the folder's own packages come before installed ones.
    env = {"PATH": os.environ["PATH"], "COLUMNS": "250", "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = re.findall(r"^(.+) (KEPT|BROKEN)\b", done.stdout, re.MULTILINE)
    return done.returncode, {name: state == "KEPT" for name, state in found}, done.stdout + done.stderr


def declared() -> set[str]:
    return set(
        re.findall(r"^name = (.+)$", (ROOT / ".importlinter").read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_every_import_contract_is_kept() -> None:
    code, contracts, output = lint(ROOT)

    assert code == 0, output
    assert contracts == dict.fromkeys(declared(), True)


def test_every_import_contract_fails_when_it_is_broken(tmp_path: Path) -> None:
    for package in ("prefrontal", "graph", "api"):
        shutil.copytree(ROOT / package, tmp_path / package, symlinks=True, ignore=SOURCES)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for module, line in BREAKS.items():
        with (tmp_path / module).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")

    code, contracts, output = lint(tmp_path)

    assert code == 1, output
    assert contracts == dict.fromkeys(declared(), False), output


def test_a_name_outside_the_vocabulary_breaks_the_contract(tmp_path: Path) -> None:
    for package in ("prefrontal", "graph", "api"):
        shutil.copytree(ROOT / package, tmp_path / package, symlinks=True, ignore=SOURCES)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    (tmp_path / "graph" / "scratch" / "telling.py").write_text("")

    code, _, output = lint(tmp_path)

    assert code == 1
    assert "telling" in output


def folder_of(module: str) -> str:
    return module.rpartition(".")[0]


def room_of(module: str) -> str:
    """A room of the graph, or the API as a whole."""
    _, side, *below = module.split(".")
    return side if side == "api" or not below else f"{side}.{below[0]}"


def imports(place: Callable[[str], str]) -> dict[str, set[str]]:
    """Which place imports which; imports for type checking count too."""
    graph = grimp.build_graph("prefrontal", cache_dir=None)
    found: dict[str, set[str]] = {}
    for module in graph.modules - {"prefrontal", "prefrontal.graph", "prefrontal.api"}:
        named = graph.find_modules_directly_imported_by(module)
        found.setdefault(place(module), set()).update(place(each) for each in named)
    return {name: {*others} - {name} for name, others in found.items()}


def circles(edges: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """The places that import each other in a loop."""
    try:
        tuple(TopologicalSorter(edges).static_order())
    except CycleError as error:
        return [tuple(error.args[1])]
    return []


def test_no_file_and_no_folder_imports_itself_through_others() -> None:
    assert circles(imports(lambda module: module)) == []
    # A folder's own files wire the folders inside it: app.py and schema.py do nothing else.
    folders = {
        name: {each for each in others if not each.startswith(f"{name}.")}
        for name, others in imports(folder_of).items()
    }
    assert circles(folders) == []
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []


def test_the_rooms_stand_on_each_other_in_at_most_ten_layers() -> None:
    edges = imports(room_of)

    @cache
    def height(room: str) -> int:
        return 1 + max((height(below) for below in edges.get(room, ())), default=0)

    # bench/ and scripts/ stand above the API.
    assert max(map(height, edges)) + 1 <= 10


def test_the_service_runs_without_neomodel() -> None:
    code = (
        "import sys, prefrontal.graph.bootstrap.build, prefrontal.graph.storage.schema;"
        " sys.exit('neomodel' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)

    assert done.returncode == 0
