"""Links into Neo4j Browser, and the queries that they open; reads only the query files beside it.

A link never has `cmd=play`: before the login Neo4j Browser would refuse a guide on 127.0.0.1, and for good it
would stop running what the server tells it to run after a login. A guide stands in the editor instead.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from prefrontal.graph.access.rules import checked_key
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.ids import Kind, kind_of

if TYPE_CHECKING:
    from prefrontal.graph.config.settings import Settings

KIT = Path(__file__).parent
QUERIES = KIT / "queries"
DEMO = "demo"
"""The organisation in the query files; `queries` replaces it."""

LINEAGE = "goal_lineage"

SUBJECTS = {Kind.GOAL: ("goal", "Goal"), Kind.TURN: ("turn", "Turn")}
"""What a query may be about: the variable in the query files, and the label."""

_WHICH = re.compile(r"^// which (\w+)\n(.*?)^// end which\n", re.MULTILINE | re.DOTALL)
"""The lines of a query that choose a goal or a turn, where it is not a given one."""


@dataclass(frozen=True, slots=True)
class BrowserQuery:
    """An example query: the first comment of its file is the title, the second one the description."""

    name: str
    title: str
    description: str
    text: str


@dataclass(frozen=True, slots=True)
class BrowserEndpoint:
    """Where people reach Neo4j Browser, and the database that it connects to."""

    http_url: str
    bolt_uri: str
    user: str
    """Empty for a database without passwords."""


def browser_endpoint(settings: Settings) -> BrowserEndpoint | None:
    """Return the Neo4j Browser to which the service links; None in production, and where it is unknown.

    A database that NEO4J_URI names has one if PREFRONTAL_BROWSER_URL says so; the embedded one has its own.
    """
    if settings.production or not settings.browser_kit:
        return None
    if settings.browser_url is not None:
        bolt = settings.browser_bolt_uri or settings.neo4j_uri or f"bolt://127.0.0.1:{settings.bolt_port}"
        return BrowserEndpoint(settings.browser_url, bolt, settings.neo4j_user)
    # A port of 0 is chosen at each start.
    if settings.neo4j_uri is not None or not settings.browser_port or not settings.bolt_port:
        return None
    host = "127.0.0.1"
    return BrowserEndpoint(
        f"http://{host}:{settings.browser_port}", f"bolt://{host}:{settings.bolt_port}", "neo4j"
    )


@functools.cache
def _files() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(QUERIES.glob("*.cypher"))}


def query(name: str, org: str = DEMO, uid: str | None = None) -> BrowserQuery:
    """Return a query for an organisation.

    Args:
        name: The name of its file.
        org: The key of the organisation.
        uid: The goal or the turn that the query is about; by default the query itself chooses one.

    Raises:
        InvalidInput: If `org` is not a valid key, or `uid` no id of what the query is about: both become part
            of the query's text.
    """
    # Letters, digits and ._@+- only: no character that could end the string literal in the query.
    checked_key(org, "org")
    title, description, text = _files()[name].split("\n", 2)
    text = _WHICH.sub(r"\2" if uid is None else _checked_id(uid), text).replace(f"'{DEMO}'", f"'{org}'")
    title, description = title.removeprefix("// "), description.removeprefix("// ")
    return BrowserQuery(name, title, description, f"// {title}\n{text}")


def _checked_id(uid: str) -> str:
    checked_key(uid, "id")
    kind = kind_of(uid)
    if kind not in SUBJECTS:
        raise InvalidInput("give the id of a goal or a turn", field="id")
    name, label = SUBJECTS[kind]
    # Of the organisation, as everywhere: an id alone says nothing about who may see it.
    return (
        f"MATCH (org:Organisation {{key: '{DEMO}'}})\n"
        f"MATCH ({name}:{label} {{uid: '{uid}'}}) WHERE {name}.org_id = org.uid\n"
    )


def lineage_query(org: str = DEMO) -> str:
    """Return the Cypher that draws the lineage of the organisation's most urgent goal."""
    return query(LINEAGE, org).text


def browser_url(endpoint: BrowserEndpoint, command: str | None = None) -> str:
    """Return the address of Neo4j Browser with server, user and a command filled in.

    The address never contains the password: the user types it.

    Args:
        endpoint: The Neo4j Browser and its database.
        command: What stands in the editor, a query or `:play` with a guide; without it the editor is empty.
    """
    bolt = urlsplit(endpoint.bolt_uri)
    # The part before an @ is left out: it may contain a password.
    host = bolt.netloc.rpartition("@")[2]
    if endpoint.user:
        parameters = {"dbms": f"{bolt.scheme}://{endpoint.user}@{host}"}
    else:
        # Without a user there is nothing to type: it connects by itself.
        parameters = {"dbms": f"{bolt.scheme}://{host}", "preselectAuthMethod": "NO_AUTH"}
    if command is not None:
        parameters |= {"cmd": "edit", "arg": command}
    return f"{endpoint.http_url.rstrip('/')}/browser/?{urlencode(parameters, quote_via=quote)}"


def guide_url(endpoint: BrowserEndpoint, app_url: str) -> str:
    """Return the address of Neo4j Browser for the guide that this service serves at `app_url`.

    Where the server tells the Browser to open it after the login, it is open; else Ctrl+Enter opens it.
    """
    return browser_url(endpoint, f":play {app_url.rstrip('/')}/browser-kit/guide.html")
