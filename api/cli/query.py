"""Commands that show the Cypher statements of the service; they read files and need no database."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prefrontal.api.cli.console import fail, program, result
from prefrontal.graph.errors import InvalidInput, PrefrontalError
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.storage.queries import Query

app = typer.Typer(help="The Cypher statements that the service runs.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command(name="list")
def list_(
    text: Annotated[
        str | None, typer.Argument(help="List only those with this text in the name or the purpose.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the statements by domain: name, mode, rows, scope and purpose."""
    wanted = (text or "").casefold()
    found = [
        query
        for query in _queries(as_json=as_json).values()
        if wanted in f"{query.name}\n{query.purpose}".casefold()
    ]
    if as_json:
        result({"queries": [_query_row(query) for query in found]}, "", as_json=True)
        return
    width = max((len(query.name) for query in found), default=0)
    for _, domain in groupby(found, lambda query: query.path.parent):
        for query in domain:
            header = f"{query.mode:<8}  {query.returns:<8}  {query.scope:<12}"
            typer.echo(f"{query.name:<{width}}  {header}  {query.purpose}")
        typer.echo()
    typer.echo(f"{counted(len(found), 'statement')}. Print one: {program()} query show NAME")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="As listed, e.g. `goals/list_goals`, or only `list_goals`.")],
    reduced: Annotated[
        bool, typer.Option("--reduced", help="As it runs when the lists that its blocks depend on are empty.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print a whole statement to paste into Neo4j Browser, after a `:param` line for each parameter.

    Fill in and run the `:param` lines first: Browser shows the rows of a statement that stands alone.
    What is sent only if a list is not empty is between `// only if $list` and `// end only`.
    """
    from prefrontal.graph.storage.queries import used_params

    queries = _queries(as_json=as_json)
    try:
        query = _find_query(name, queries)
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    text = query.text_without_blocks if reduced else query.text
    params = sorted(used_params(text))
    if as_json:
        result(_query_row(query) | {"params": params, "text": text}, "", as_json=True)
        return
    # With `=>` the server computes the value; in `:param {limit: 20}` Neo4j Browser makes 20.0 of it.
    for param in params:
        typer.echo(f":param {param} => null;")
    if params:
        typer.echo()
    typer.echo(f"// {query.name}: {query.purpose}")
    typer.echo(f"// mode: {query.mode}, returns: {query.returns}, scope: {query.scope}")
    typer.echo(text)


def _queries(*, as_json: bool) -> dict[str, Query]:
    from prefrontal.graph.config.settings import load_settings
    from prefrontal.graph.storage.queries import load_queries

    try:
        return load_queries(load_settings().cypher_dir)
    except PrefrontalError as error:
        fail(error, as_json=as_json)


def _find_query(name: str, queries: dict[str, Query]) -> Query:
    """Return the query of a name, or of a file's name that only one folder has.

    Raises:
        InvalidInput: If there is none, or several; the message has the names that it may be.
    """
    bare: dict[str, list[str]] = {}
    for each in queries:
        bare.setdefault(each.partition("/")[2], []).append(each)
    found = [name] if name in queries else bare.get(name, [])
    if len(found) == 1:
        return queries[found[0]]
    if found:
        raise InvalidInput(f"several statements are named {name}; give one of {', '.join(found)}")
    last = name.rpartition("/")[2]
    near = bare.get(last, []) + get_close_matches(name, queries)
    near += [full for part in get_close_matches(last, bare) for full in bare[part]]
    meant = f"; is it {' or '.join([*dict.fromkeys(near)][:3])}?" if near else "."
    raise InvalidInput(f"there is no statement {name}{meant} See all: {program()} query list")


def _query_row(query: Query) -> dict[str, Any]:
    return {
        "name": query.name,
        "purpose": query.purpose,
        "mode": query.mode,
        "returns": query.returns,
        "scope": query.scope,
        "params": sorted(query.params),
    }
