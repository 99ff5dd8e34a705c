"""The import contracts of `.importlinter` hold, and each of them can fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from prefrontal.graph.settings import ROOT

# One forbidden line per contract, put at the end of a module of a copy.
BREAKS = {
    "graph/turns/service.py": "from prefrontal.api.auth import Tokens",
    "graph/scratch/drafting.py": "from prefrontal.graph.scratch import store",
    "graph/recall/record.py": "from prefrontal.graph.recall import store",
    "graph/cortex/goals/drafting.py": "from prefrontal.graph.ids import new_id",
    "graph/cortex/goals/store.py": "import neo4j",
    "graph/access/service.py": "from prefrontal.graph.access.node import Actor",
    "graph/recall/service.py": (
        "from prefrontal.graph.access import store as a\nfrom prefrontal.graph.scratch import store as b\n"
        "from prefrontal.graph.cortex.goals import store as c\n"
        "from prefrontal.graph.cortex.actions import drafting as d\n"
        "from prefrontal.graph.context import scoring as e\nfrom prefrontal.graph.turns import store as f\n"
        "from prefrontal.graph.journal import store as g\nfrom prefrontal.graph.entities import store as h\n"
        "from prefrontal.graph.cortex.questions import store as i\n"
        "from prefrontal.graph.history import store as j\n"
        "from prefrontal.graph.registry import store as k\n"
        "from prefrontal.graph.cortex.proposals import store as l"
    ),
    "graph/context/service.py": "from prefrontal.graph.recall.store import find",
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
    python_only = shutil.ignore_patterns("__pycache__", "*.js", "*.lock", "*.css", "dist")
    shutil.copytree(ROOT / "prefrontal", tmp_path / "prefrontal", symlinks=True)
    for package in ("graph", "api"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=python_only)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for module, line in BREAKS.items():
        with (tmp_path / module).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")

    code, contracts, output = lint(tmp_path)

    assert code == 1, output
    assert contracts == dict.fromkeys(declared(), False), output


def test_the_service_runs_without_neomodel() -> None:
    code = (
        "import sys, prefrontal.graph.bootstrap, prefrontal.graph.storage.schema;"
        " sys.exit('neomodel' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)

    assert done.returncode == 0
