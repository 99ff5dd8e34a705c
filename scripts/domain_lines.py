"""Counts the lines of Python that each domain takes, now and at an earlier commit.

    python scripts/domain_lines.py            the checkout
    python scripts/domain_lines.py COMMIT     the checkout beside a commit

A domain is `graph/…/<domain>` with `api/graphql/<domain>`. A domain that has another path at the commit is
shown without a number there.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import PurePosixPath

from prefrontal.graph.config.settings import ROOT

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


def main() -> None:
    """Print one row for each domain, and the sum."""
    commit = sys.argv[1] if len(sys.argv) > 1 else None
    now, before = lines_of(None), lines_of(commit) if commit else Counter()
    print(f"{'domain':12} {'now':>6}" + (f" {'before':>7}" if commit else ""))
    for domain in [*DOMAINS, "sum"]:
        row = f"{domain:12} {now[domain]:6}"
        print(row + (f" {before[domain] or '–':>7}" if commit else ""))


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
