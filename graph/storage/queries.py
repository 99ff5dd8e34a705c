"""Query files: one Cypher statement per file under `cypher/`, with a header that is a contract.

    // What the caller gets, in one line.
    // mode: read | write | implicit
    // scope: caller | organisation | system - why
    // params: name, name            (or `none`)
    // returns: none | one | optional | many

The file's path without `.cypher` is the query's name, its metric label and its trace name. After the
header a file is plain Cypher that pastes into Neo4j Browser. `scope` says how the statement is held to
the caller: by `$readable` or `$writable` spaces, by `$org_id`, or, for jobs and migrations, not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from prefrontal.graph.errors import QueryFileError


class Mode(StrEnum):
    """How a statement is run."""

    READ = "read"
    WRITE = "write"
    IMPLICIT = "implicit"


class Scope(StrEnum):
    """What holds a statement to what its caller may see."""

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


def parse_query(name: str, source: str, path: Path) -> Query:
    """Return the query a file's text describes; raise `QueryFileError` for any breach of the contract."""

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
    """Return the header's values, the purpose among them, and the statement after it."""
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
