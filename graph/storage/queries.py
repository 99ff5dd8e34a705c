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

Comments mark two kinds of blocks. A text that several files need stands in `cypher/_parts/` and is copied
between `// part: name(variable)` and `// end part` by `scripts/export_cypher_parts.py`. A block that begins
with `// part: name(variable) if $list`, or with `// only if $list` (to `// end only`), is left out of the
statement whenever the list is empty: what is not there is neither planned nor run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

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
    conditions: frozenset[str] = frozenset()
    """The lists that blocks depend on; none if the text is always whole."""

    @property
    def reduced(self) -> str:
        """The text without any of these blocks."""
        return without(self.text, self.conditions)

    def text_for(self, params: Mapping[str, Any]) -> str:
        """Return the text to run with these parameters."""
        empty = frozenset(name for name in self.conditions if not params.get(name))
        return without(self.text, empty) if empty else self.text


_NAME = re.compile(r"^[a-z]+(_[a-z]+)*$")
_HEADER = re.compile(r"^//\s*(mode|scope|params|returns):\s*(.*)$")
_NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_PARAM = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_CONDITIONAL = re.compile(
    r"^ *// (?P<kind>part|only)\b[^\n]* if \$(?P<list>\w+)\n(?:.*\n)*?^ *// end (?P=kind)$\n?", re.MULTILINE
)


@lru_cache(maxsize=1024)
def without(text: str, lists: frozenset[str]) -> str:
    """Return a statement without the blocks that depend on one of some lists."""
    return _CONDITIONAL.sub(lambda block: "" if block["list"] in lists else block[0], text)


_MARKS = {
    kind: (re.compile(rf"^ *// {kind}\b", re.MULTILINE), re.compile(rf"^ *// end {kind}$", re.MULTILINE))
    for kind in ("part", "only")
}
_NO_QUERIES = {"schema", "_parts"}
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
    conditions = frozenset(match["list"] for match in _CONDITIONAL.finditer(text))
    if not conditions <= declared:
        raise fail(f"blocks depend on parameters of the statement, not on {sorted(conditions - declared)}")
    for kind, (begin, end) in _MARKS.items():
        if len(begin.findall(text)) != len(end.findall(text)):
            raise fail(f"a block `{kind}` does not end, or does not begin")
    if scope in _SCOPE_PARAMS and not used_params(without(text, conditions)) & _SCOPE_PARAMS[scope]:
        raise fail(f"scope {scope} does not hold without the blocks that depend on a list")
    return Query(name, header["purpose"], mode, scope, declared, returns, text, path, conditions)


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

    The folders `schema/` (migrations) and `_parts/` (texts that are copied into queries) are left out.

    Raises:
        QueryFileError: If a file is badly named or its header is wrong, or if there is no query file.
    """
    queries: dict[str, Query] = {}
    for path in sorted(folder.glob("*/*.cypher")):
        domain = path.parent.name
        if domain in _NO_QUERIES:
            continue
        if not _NAME.match(path.stem):
            raise QueryFileError(f"{path}: a query is named <verb>_<noun>[_by_<key>].cypher")
        name = f"{domain}/{path.stem}"
        queries[name] = parse_query(name, path.read_text(encoding="utf-8"), path)
    if not queries:
        raise QueryFileError(f"{folder}: no query files; set PREFRONTAL_CYPHER_DIR to the folder cypher/")
    return queries


CONFIRMED = "confirmed_rows"
"""The column of `together` that holds the rows of the first statement."""
_VERSION = re.compile(r"\A\s*CYPHER 25\s+")


@lru_cache(maxsize=1024)
def together(first: str, columns: tuple[str, ...], second: str) -> str:
    """Return one statement that runs two, each of which reads; `columns` are those of the first.

    Its row is the one of the second statement, with the rows of the first in the column `CONFIRMED`.
    """
    row = ", ".join(f"{column}: {column}" for column in columns)
    return (
        "CYPHER 25\n"
        f"CALL () {{\nCALL () {{\n{_VERSION.sub('', first)}\n}}\n"
        f"RETURN collect({{{row}}}) AS {CONFIRMED}\n}}\n"
        f"CALL () {{\n{_VERSION.sub('', second)}\n}}\nRETURN *"
    )
