"""Every query file is loaded, used as its header says, and held to what its caller may see."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import QueryFileError
from prefrontal.graph.storage.queries import Mode, Query, Scope, load_queries

CODE = (ROOT / "graph", ROOT / "api")
METHODS = {"one", "optional", "many", "stream", "execute"}
RETURNS = {"one": "one", "optional": "optional", "many": "many", "stream": "many", "execute": "none"}


@pytest.fixture(scope="module")
def queries() -> dict[str, Query]:
    return load_queries(ROOT / "cypher")


def sources(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from folder.rglob("*.py")


def literals(*folders: Path) -> Iterator[tuple[Path, str]]:
    for path in sources(folders):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path, node.value


def unused(queries: Mapping[str, Query], *folders: Path) -> set[str]:
    """Names of queries that no string in the code is equal to."""
    return set(queries) - {text for _, text in literals(*folders)}


def wrong_calls(queries: Mapping[str, Query], *folders: Path) -> list[str]:
    """Calls `tx.one("domain/query", …)` that do not fit the header of the query they name."""
    complaints: list[str] = []
    for path in sources(folders):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            name = node.args[0]
            if (
                node.func.attr not in METHODS
                or not isinstance(name, ast.Constant)
                or "/" not in str(name.value)
            ):
                continue
            where = f"{path.name}:{node.lineno}: {name.value}"
            query = queries.get(str(name.value))
            if query is None:
                complaints.append(f"{where}: no such query")
                continue
            if query.returns != RETURNS[node.func.attr]:
                complaints.append(f"{where}: returns {query.returns}, called with .{node.func.attr}")
            given = {keyword.arg for keyword in node.keywords}
            if None not in given and given != query.params:
                complaints.append(f"{where}: takes {sorted(query.params)}, given {sorted(map(str, given))}")
    return complaints


def unheld(queries: Mapping[str, Query]) -> list[str]:
    """Queries whose scope does not hold: a caller's without its spaces, or creating without write access."""
    complaints: list[str] = []
    for query in queries.values():
        if query.scope is Scope.CALLER:
            spaces = query.params & {"readable", "writable"}
            if not spaces:
                complaints.append(f"{query.name}: takes neither $readable nor $writable")
            if "CREATE" in query.text and query.mode is Mode.WRITE and "writable" not in query.params:
                complaints.append(f"{query.name}: creates without $writable")
        if query.scope is Scope.ORGANISATION and not query.params & {"org_id", "org_key"}:
            complaints.append(f"{query.name}: takes neither $org_id nor $org_key")
    return complaints


def test_every_query_is_used_by_its_name(queries: dict[str, Query]) -> None:
    assert unused(queries, *CODE) == set()


def test_a_query_that_nobody_uses_is_found(queries: dict[str, Query]) -> None:
    stray = {"goals/forget_everything": next(iter(queries.values()))}

    assert unused({**queries, **stray}, *CODE) == {"goals/forget_everything"}


def test_every_call_fits_the_header_of_its_query(queries: dict[str, Query]) -> None:
    assert wrong_calls(queries, *CODE) == []


def test_a_call_that_does_not_fit_is_found(queries: dict[str, Query], tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text(
        "async def work(tx):\n"
        "    await tx.one('goals/find_goal', uids=[])\n"
        "    await tx.many('goals/find_goals', uids=[], readable=[], grantees=[])\n"
        "    await tx.one('goals/find_goals', uids=[])\n"
    )

    assert wrong_calls(queries, tmp_path) == [
        "store.py:2: goals/find_goal: no such query",
        "store.py:3: goals/find_goals: returns one, called with .many",
        "store.py:4: goals/find_goals: takes ['grantees', 'readable', 'uids'], given ['uids']",
    ]


def test_every_query_is_held_to_its_scope(queries: dict[str, Query]) -> None:
    assert unheld(queries) == []


@pytest.mark.parametrize(
    ("header", "body", "complaint"),
    [
        ("caller", "CREATE (n:Tag) SET n.scope_id = $readable[0]", "creates without $writable"),
        ("caller", "MATCH (n) RETURN n.uid AS uid", "scope caller needs one of the parameters"),
        ("organisation", "MATCH (n) RETURN n.uid AS uid", "scope organisation needs one of the parameters"),
        ("system", "MATCH (n) RETURN n.uid AS uid", "scope system needs a reason"),
        ("everybody", "MATCH (n) RETURN n.uid AS uid", "'everybody' is not a valid Scope"),
    ],
)
def test_a_query_that_is_not_held_to_its_scope_is_found(
    tmp_path: Path, header: str, body: str, complaint: str
) -> None:
    folder = tmp_path / "cypher"
    for kept in ("goals", "_parts"):
        shutil.copytree(ROOT / "cypher" / kept, folder / kept)
    (folder / "goals" / "break_rules.cypher").write_text(
        f"// Breaks a rule.\n// mode: write, returns: none, scope: {header}\n{body}\n"
    )

    try:
        found = unheld(load_queries(folder))
    except QueryFileError as error:
        found = [error.message]

    assert len(found) == 1
    assert complaint in found[0]


def test_every_hint_asks_for_a_seek(queries: dict[str, Query]) -> None:
    # Without SEEK a hint is also kept by a scan of the whole index.
    hints = {name: re.findall(r"USING INDEX (?!SEEK )\S+", query.text) for name, query in queries.items()}

    assert {name: found for name, found in hints.items() if found} == {}
