"""Links into Neo4j Browser, and the queries that they open; reads only the query files beside it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from prefrontal.graph.access.rules import checked_key

KIT = Path(__file__).parent
QUERIES = KIT / "queries"
DEMO = "demo"
"""The organisation in the query files; `queries` replaces it."""

_GOAL_LINEAGE = "1_goal_lineage"


@dataclass(frozen=True, slots=True)
class BrowserQuery:
    """An example query: the first comment of its file is the title, the second one the description."""

    name: str
    title: str
    description: str
    text: str


@functools.cache
def _files() -> tuple[BrowserQuery, ...]:
    found = []
    for path in sorted(QUERIES.glob("*.cypher")):
        text = path.read_text(encoding="utf-8").strip()
        title, description = (line.removeprefix("// ") for line in text.splitlines()[:2])
        found.append(BrowserQuery(path.stem, title, description, text))
    return tuple(found)


def queries(org: str = DEMO) -> tuple[BrowserQuery, ...]:
    """Return the queries in order, for an organisation.

    Raises:
        InvalidInput: If `org` is not a valid key; the key becomes part of the query's text.
    """
    # Letters, digits and ._@+- only: no character that could end the string literal in the query.
    checked_key(org, "org")
    return tuple(
        BrowserQuery(query.name, query.title, query.description, query.text.replace(f"'{DEMO}'", f"'{org}'"))
        for query in _files()
    )


def lineage_query(org: str = DEMO) -> str:
    """Return the Cypher that draws the lineage of the organisation's most urgent goal."""
    return next(query.text for query in queries(org) if query.name == _GOAL_LINEAGE)


def browser_url(http_url: str, bolt_uri: str, user: str, query: str | None = None) -> str:
    """Return the address of Neo4j Browser with server, user and a query filled in.

    The address never contains the password: the user types it.

    Args:
        http_url: The base URL of Neo4j Browser, e.g. `http://127.0.0.1:17474`.
        bolt_uri: The database, e.g. `bolt://127.0.0.1:17687`.
        user: The database user.
        query: Cypher for the editor; without it the editor is empty.
    """
    command = {} if query is None else {"cmd": "edit", "arg": query}
    return _browser(http_url, bolt_uri, user, command)


def guide_url(http_url: str, bolt_uri: str, user: str, app_url: str) -> str:
    """Return the address of Neo4j Browser that opens the guide served by this service at `app_url`."""
    guide = f"{app_url.rstrip('/')}/browser-kit/guide.html"
    return _browser(http_url, bolt_uri, user, {"cmd": "play", "arg": guide})


def _browser(http_url: str, bolt_uri: str, user: str, command: dict[str, str]) -> str:
    bolt = urlsplit(bolt_uri)
    # The part before an @ is left out: it may contain a password.
    host = bolt.netloc.rpartition("@")[2]
    parameters = {"dbms": f"{bolt.scheme}://{user}@{host}", **command}
    return f"{http_url.rstrip('/')}/browser/?{urlencode(parameters, quote_via=quote)}"
