"""Counts what a domain and a mutation cost: lines of Python, and functions between HTTP and Cypher.

    python scripts/code_figures.py            the checkout
    python scripts/code_figures.py COMMIT     the checkout beside an earlier commit

A domain is `graph/…/<domain>` with `api/graphql/<domain>`. A domain that has another path at the commit is
shown without a number there. A profiler counts the functions of `graph/` and `api/` that one request calls,
each once, with a real Neo4j and after a first request has filled the caches. The commit is checked out into a
temporary folder for that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path, PurePosixPath

from bench.server import provide_server
from prefrontal.graph.config.settings import ROOT, load_settings

DOMAINS = {
    "access": ("graph/access",),
    "scratch": ("graph/scratch",),
    "entities": ("graph/entities",),
    "goals": ("graph/cortex/goals",),
    "actions": ("graph/cortex/actions",),
    "questions": ("graph/cortex/questions",),
    "registry": ("graph/registry/overrides",),
    "proposals": ("graph/registry/proposals",),
    "evaluation": ("graph/evaluation",),
    "memory": ("graph/memory",),
    "context": ("graph/context",),
    "turns": ("graph/turns",),
    "history": ("graph/history",),
    "summaries": ("graph/summaries",),
}


MUTATIONS = "mutations"
PER_MUTATION = "lines per mutation"


def main() -> None:
    """Print one row for each domain, the sum, and the figures of mutations."""
    commit = sys.argv[1] if len(sys.argv) > 1 else None
    columns = [figures(None, ROOT)]
    if commit:
        with tempfile.TemporaryDirectory() as folder:
            git("worktree", "add", "--detach", "--force", folder, commit)
            try:
                columns.append(figures(commit, Path(folder)))
            finally:
                git("worktree", "remove", "--force", folder)
    print(f"{'':28} {'now':>7}" + (f" {'before':>7}" if commit else ""))
    for name in columns[0]:
        print(f"{name:28} " + " ".join(f"{column[name] or '–':>7}" for column in columns))


def figures(commit: str | None, folder: Path) -> Counter[str]:
    """Return all figures of the checkout or a commit, by the name of the row."""
    lines = lines_of(commit)
    found: Counter[str] = Counter({name: lines[name] for name in [*DOMAINS, "sum"]})
    schema = text_of(PurePosixPath("schema.graphql"), commit)
    found[MUTATIONS] = schema.split("\ntype Mutation {", 1)[1].split("\n}", 1)[0].count("(input:")
    found[PER_MUTATION] = found["sum"] // found[MUTATIONS]
    for operation, functions in functions_of(folder).items():
        found[f"functions of {operation}"] = functions
    return found


def functions_of(folder: Path) -> dict[str, int]:
    """Return how many functions of the code in a folder one request of each traced operation calls."""
    settings = load_settings()
    with provide_server(settings, heap="512m", page_cache="64m") as endpoint:
        env = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "NEO4J_URI": endpoint.uri,
            "NEO4J_USER": endpoint.user,
            "NEO4J_PASSWORD": endpoint.password or "",
            "PREFRONTAL_QUERY_TIMEOUT_S": "120",
        }
        tracer = str(Path(__file__).with_name("trace_functions.py"))
        done = subprocess.run(
            [sys.executable, tracer], cwd=folder, env=env, stdout=subprocess.PIPE, text=True, check=True
        )
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


def lines_of(commit: str | None) -> Counter[str]:
    """Return the lines of each domain in the checkout, or at a commit, and their sum."""
    found: Counter[str] = Counter()
    for path in paths_of(commit):
        for domain, folders in DOMAINS.items():
            if any(path.is_relative_to(folder) for folder in (*folders, f"api/graphql/{domain}")):
                found[domain] += len(text_of(path, commit).splitlines())
    found["sum"] = sum(found.values())
    return found


def paths_of(commit: str | None) -> list[PurePosixPath]:
    """Return the tracked Python files of `graph/` and `api/`."""
    listing = ("ls-tree", "-r", "--name-only", commit) if commit else ("ls-files",)
    names = git(*listing, "--", "graph", "api").split()
    return [PurePosixPath(name) for name in names if name.endswith(".py")]


def text_of(path: PurePosixPath, commit: str | None) -> str:
    """Return the text of a file in the checkout or at a commit."""
    return git("show", f"{commit}:{path}") if commit else (ROOT / path).read_text(encoding="utf-8")


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
