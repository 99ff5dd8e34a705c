"""Which statements have a plan that was looked at: `plans.lock.json`, which `make test-all` writes.

A plan is made from the statement's text, its values, the indexes and the version of Neo4j. What is in the
file with the same four need not be planned again: `make test` plans the statements that differ from it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from prefrontal.graph.config.settings import ROOT

PATH = Path(__file__).with_name("plans.lock.json")
CHECKS = Path(__file__).with_name("plans.py")
"""What decides whether a plan is a good one."""


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def digest_of_statement(texts: Iterable[tuple[str, Mapping[str, object]]]) -> str:
    """Of every form in which a statement is sent, without comments and indentation, with the values."""
    return digest(
        *(
            " ".join(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE).split())
            + repr(sorted(params.items()))
            for text, params in texts
        )
    )


def surroundings(neo4j: str) -> dict[str, str]:
    """What every plan depends on beside its statement."""
    schema = sorted((ROOT / "cypher" / "schema").glob("*.cypher"))
    return {
        "neo4j": neo4j,
        "schema": digest(*(path.read_text("utf-8") for path in schema)),
        "checks": digest(CHECKS.read_text("utf-8")),
    }


def outdated(statements: dict[str, str], neo4j: str) -> list[str]:
    """The names of the statements, given with their digests, whose plans have not been looked at."""
    locked = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    if locked.get("surroundings") != surroundings(neo4j):
        return sorted(statements)
    return sorted(name for name, text in statements.items() if locked["statements"].get(name) != text)


def write(statements: dict[str, str], neo4j: str) -> None:
    text = json.dumps(
        {"surroundings": surroundings(neo4j), "statements": statements}, indent=1, sort_keys=True
    )
    PATH.write_text(text + "\n", encoding="utf-8")
