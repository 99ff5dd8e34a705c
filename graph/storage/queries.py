"""Query files: one Cypher statement per file under `cypher/`, with a header that is checked on loading.

    // What the caller gets, in one line.
    // mode: read, returns: one, scope: caller
    // mode: write, returns: none, scope: system - why nothing limits it

    key       meaning
    mode      the transaction: `read`, `write`, or `implicit` (auto-commit)
    returns   how many rows: `none`, exactly `one`, `optional` (at most one), `many` (any number)
    scope     what limits the statement to the caller's data: `caller` the spaces `$readable` or
              `$writable`, `organisation` the id `$org_id` or `$org_key`, `system` nothing (jobs,
              migrations), with the reason

The file's path without `.cypher` is the query's name, its metric label and its trace name. Its parameters are
those that the statement uses; a call gives exactly these.

A text that several files need is a part (`graph/storage/parts.py`), which a file names in one line. A block
between `// only if $list` and `// end only` is left out of the statement whenever the list is empty: what is
not there is neither planned nor run. `prefrontal query show` prints the whole statement.
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
from prefrontal.graph.storage.parts import NOT_CODE, Parts, read_parts


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
    def text_without_blocks(self) -> str:
        """The text without any of these blocks."""
        return strip_blocks(self.text, self.conditions)

    def text_for(self, params: Mapping[str, Any]) -> str:
        """Return the text to run with these parameters."""
        empty = frozenset(name for name in self.conditions if not params.get(name))
        return strip_blocks(self.text, empty) if empty else self.text


_NAME = re.compile(r"^[a-z]+(_[a-z]+)*$")
_PURPOSE = re.compile(r"// (?!mode:)(\S.*)")
_HEADER = re.compile(r"// mode: (\w+), returns: (\w+), scope: (\w+)(?: - (\S.*))?")
_NOT_CODE = re.compile(NOT_CODE, re.DOTALL)
_PARAM = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_MARK = re.compile(r" *// (?:only if \$(?P<list>\w+)|(?P<end>end only))")
# Whatever looks like one; a mistake in it would keep, or leave out, what it should not.
_LIKE_MARK = re.compile(r"^[ \t]*//[ \t]*(?:end )?only\b.*$", re.MULTILINE)


@lru_cache(maxsize=1024)
def strip_blocks(text: str, lists: frozenset[str]) -> str:
    """Return a statement without the blocks that depend on one of some lists."""
    kept: list[str] = []
    depth = 0
    for line in text.split("\n"):
        mark = _MARK.fullmatch(line)
        if depth:
            depth += 0 if mark is None else -1 if mark["end"] else 1
        elif mark is not None and mark["list"] in lists:
            depth = 1
        else:
            kept.append(line)
    return "\n".join(kept)


_NO_QUERIES = {"schema", "_parts"}
_SCOPE_PARAMS = {
    Scope.CALLER: frozenset({"readable", "writable"}),
    Scope.ORGANISATION: frozenset({"org_id", "org_key"}),
}


def used_params(text: str) -> frozenset[str]:
    """Return the parameters a statement uses, not counting those in comments and string literals."""
    return frozenset(_PARAM.findall(_code(text)))


def _code(text: str) -> str:
    return _NOT_CODE.sub(" ", text)


NO_PARTS = Parts({})


@lru_cache(maxsize=1024)
def parse_query(name: str, source: str, path: Path, parts: Parts = NO_PARTS) -> Query:
    """Return the query that a file's text describes, with the parts that it names.

    Raises:
        QueryFileError: If the header is incomplete or does not match the statement, or a part or a block is
            named wrongly.
    """

    def fail(what: str) -> QueryFileError:
        return QueryFileError(f"{path}: {what}")

    first, second, *_ = (*source.split("\n", 2), "", "")
    purpose, header = _PURPOSE.fullmatch(first), _HEADER.fullmatch(second)
    if purpose is None:
        raise fail("line 1 must be a comment that says what the caller gets")
    if header is None:
        raise fail("line 2 must be like this: // mode: read, returns: one, scope: caller")
    try:
        mode, returns, scope = Mode(header[1]), Returns(header[2]), Scope(header[3])
    except ValueError as error:
        raise fail(str(error)) from error
    if scope is Scope.SYSTEM and header[4] is None:
        raise fail("scope system needs a reason: `scope: system - why`")
    # The header stays until the parts are there: a wrong line is named by its number in the file.
    text = parts.inline(source, path).split("\n", 2)[-1].strip()
    code, conditions = _code(text), _conditions(text, fail)
    if not code.strip():
        raise fail("there is no statement after the header")
    params = frozenset(_PARAM.findall(code))
    if not conditions <= params:
        raise fail(f"blocks depend on parameters of the statement, not on {sorted(conditions - params)}")
    limits = _SCOPE_PARAMS.get(scope)
    if limits is not None and not params & limits:
        raise fail(f"scope {scope} needs one of the parameters {sorted(limits)}")
    if limits is not None and conditions and not used_params(strip_blocks(text, conditions)) & limits:
        raise fail(f"scope {scope} does not hold without the blocks that depend on a list")
    return Query(name, purpose[1].strip(), mode, scope, params, returns, text, path, conditions)


def _conditions(text: str, fail: Callable[[str], QueryFileError]) -> frozenset[str]:
    """Return the lists that blocks depend on."""
    depth, lists = 0, set()
    for line in _LIKE_MARK.findall(text):
        mark = _MARK.fullmatch(line)
        depth += 1 if mark is None or mark["list"] else -1
        if mark is None or depth < 0:
            raise fail(f"a block is between `// only if $list` and `// end only`, not at {line.strip()!r}")
        if mark["list"]:
            lists.add(mark["list"])
    if depth:
        raise fail("a block `// only if $list` does not end")
    return frozenset(lists)


def load_queries(folder: Path) -> dict[str, Query]:
    """Return every query under `folder` by name, e.g. `scratch/find_observation`.

    The folders `schema/` (migrations) and `_parts/` are left out.

    Raises:
        QueryFileError: If a file is badly named or its header is wrong, or if there is no query file.
    """
    queries: dict[str, Query] = {}
    parts = read_parts(folder / "_parts")
    for path in sorted(folder.glob("*/*.cypher")):
        domain = path.parent.name
        if domain in _NO_QUERIES:
            continue
        if not _NAME.match(path.stem):
            raise QueryFileError(f"{path}: a query is named <verb>_<noun>[_by_<key>].cypher")
        name = f"{domain}/{path.stem}"
        queries[name] = parse_query(name, path.read_text(encoding="utf-8"), path, parts)
    if not queries:
        raise QueryFileError(f"{folder}: no query files; set PREFRONTAL_CYPHER_DIR to the folder cypher/")
    return queries


_PARAM_OR_NOT_CODE = re.compile(rf"({NOT_CODE})|\$(?=[A-Za-z_])", re.DOTALL)


@lru_cache(maxsize=2048)
def one_parameter(text: str) -> str:
    """Return a statement whose parameters are the entries of one, the map `$p`: `$p.uid` in place of `$uid`.

    The database makes a plan of a statement for each combination of the types of its parameters, and null is
    a type. Planning takes far longer than running. The type of a map is the same whatever its entries are.
    """
    return _PARAM_OR_NOT_CODE.sub(lambda found: found[1] or "$p.", text)


FIRST_ROWS = "confirmed_rows"
"""The column of `join_statements` that holds the rows of the first statement."""
_VERSION = re.compile(r"\A\s*CYPHER 25\s+")


@lru_cache(maxsize=1024)
def join_statements(first: str, columns: tuple[str, ...], second: str) -> str:
    """Return one statement that runs two, each of which reads; `columns` are those of the first.

    Its row is the one of the second statement, with the rows of the first in the column `FIRST_ROWS`.
    """
    row = ", ".join(f"{column}: {column}" for column in columns)
    return (
        "CYPHER 25\n"
        f"CALL () {{\nCALL () {{\n{_VERSION.sub('', first)}\n}}\n"
        f"RETURN collect({{{row}}}) AS {FIRST_ROWS}\n}}\n"
        f"CALL () {{\n{_VERSION.sub('', second)}\n}}\nRETURN *"
    )
