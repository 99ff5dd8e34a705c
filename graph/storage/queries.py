"""Query files: one Cypher statement per file under `cypher/`, with a header that is checked on loading.

    // What the caller gets, in one line.
    // mode: read | write | implicit
    // scope: caller | organisation | system - why
    // params: name, name            (or `none`)
    // returns: none | one | optional | many

    key       meaning
    mode      the transaction: `read`, `write`, or `implicit` (auto-commit)
    scope     what limits the statement to the caller's data: `caller` the spaces `$readable` or
              `$writable`, `organisation` the id `$org_id` or `$org_key`, `system` nothing (jobs,
              migrations), with the reason
    params    the parameters of the statement; they must be exactly the parameters it uses
    returns   how many rows: none, exactly one, at most one, any number

The file's path without `.cypher` is the query's name, its metric label and its trace name. The text after
the header is plain Cypher that can be pasted into Neo4j Browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from prefrontal.graph.errors import QueryFileError


class Mode(StrEnum):
    """The kind of transaction a statement runs in; `implicit` is auto-commit."""

    READ = "read"
    WRITE = "write"
    IMPLICIT = "implicit"


class Scope(StrEnum):
    """What limits a statement to the data its caller may access."""

    CALLER = "caller"
    ORGANISATION = "organisation"
    SYSTEM = "system"


class Returns(StrEnum):
    """How many rows a statement returns."""

    NONE = "none"
    ONE = "one"
    OPTIONAL = "optional"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class Query:
    """One loaded query file."""

    name: str
    purpose: str
    mode: Mode
    scope: Scope
    params: frozenset[str]
    returns: Returns
    text: str
    path: Path


_NAME = re.compile(r"^[a-z]+(_[a-z]+)*$")
_HEADER = re.compile(r"^//\s*(mode|scope|params|returns):\s*(.*)$")
_NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_PARAM = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_SCOPE_PARAMS = {
    Scope.CALLER: frozenset({"readable", "writable"}),
    Scope.ORGANISATION: frozenset({"org_id", "org_key"}),
}


def used_params(text: str) -> frozenset[str]:
    """Return the parameters a statement uses, not counting those in comments and string literals."""
    return frozenset(_PARAM.findall(_NOT_CODE.sub(" ", text)))


@lru_cache(maxsize=1024)
def parse_query(name: str, source: str, path: Path) -> Query:
    """Return the query that a file's text describes.

    Raises:
        QueryFileError: If the header is incomplete or does not match the statement.
    """

    def fail(what: str) -> QueryFileError:
        return QueryFileError(f"{path}: {what}")

    header, text = _split(source, fail)
    try:
        mode = Mode(header["mode"])
        scope = Scope(header["scope"].split(" ")[0])
        returns = Returns(header["returns"])
    except ValueError as error:
        raise fail(str(error)) from error
    if scope is Scope.SYSTEM and " - " not in header["scope"]:
        raise fail("scope system needs a reason: `// scope: system - why`")
    declared = frozenset(
        part.strip() for part in header["params"].split(",") if part.strip() not in ("", "none")
    )
    used = used_params(text)
    if used != declared:
        unused, undeclared = sorted(declared - used), sorted(used - declared)
        raise fail(f"parameters differ: declared but unused {unused}, used but undeclared {undeclared}")
    if scope in _SCOPE_PARAMS and not used & _SCOPE_PARAMS[scope]:
        raise fail(f"scope {scope} needs one of the parameters {sorted(_SCOPE_PARAMS[scope])}")
    return Query(name, header["purpose"], mode, scope, declared, returns, text, path)


def _split(source: str, fail: Callable[[str], QueryFileError]) -> tuple[dict[str, str], str]:
    """Return the header's values with its first line as `purpose`, and the statement after the header."""
    lines = source.splitlines()
    if not lines or not lines[0].startswith("// ") or _HEADER.match(lines[0]):
        raise fail("line 1 must be a comment that says what the caller gets")
    header = {"purpose": lines[0].removeprefix("// ").strip()}
    body_at = len(lines)
    for number, line in enumerate(lines[1:], start=1):
        match = _HEADER.match(line)
        if not match:
            body_at = number
            break
        if match[1] in header:
            raise fail(f"the header says {match[1]} twice")
        header[match[1]] = match[2].strip()
    missing = [key for key in ("mode", "scope", "params", "returns") if key not in header]
    if missing:
        raise fail(f"the header lacks {', '.join(missing)}")
    text = "\n".join(lines[body_at:]).strip()
    if not text:
        raise fail("there is no statement after the header")
    return header, text


def load_queries(folder: Path) -> dict[str, Query]:
    """Return every query under `folder` by name, e.g. `scratch/find_observation`.

    The folder `schema/` holds migrations, not queries, and is left out.

    Raises:
        QueryFileError: If a file is badly named or its header is wrong, or if there is no query file.
    """
    queries: dict[str, Query] = {}
    for path in sorted(folder.glob("*/*.cypher")):
        domain = path.parent.name
        if domain == "schema":
            continue
        if not _NAME.match(path.stem):
            raise QueryFileError(f"{path}: a query is named <verb>_<noun>[_by_<key>].cypher")
        name = f"{domain}/{path.stem}"
        queries[name] = parse_query(name, path.read_text(encoding="utf-8"), path)
    if not queries:
        raise QueryFileError(f"{folder}: no query files; set PREFRONTAL_CYPHER_DIR to the folder cypher/")
    return queries
