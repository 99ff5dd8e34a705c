"""Commands for the demo story."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from prefrontal.api.cli.console import bar, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services

app = typer.Typer(help="The demo story: example data to explore.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def load(as_json: Json = False) -> None:
    """Load the demo story into the organisation `demo`. If that exists, it stays as it is."""
    from prefrontal.api import demo

    async def work(services: Services) -> int:
        if await demo.is_loaded(services):
            return 0
        with bar("Loading the demo story") as progress:
            return await demo.load(services, lambda done, total: progress(done, total, ""))

    nodes = run(work, as_json=as_json)
    result(
        {"nodes": nodes, "loaded": nodes > 0},
        f"The demo story is loaded ({counted(nodes, 'node')})."
        if nodes
        else f"The organisation [bold]demo[/] is there already, and stays as it is.\n"
        f"To tell the story anew, delete it first: {program()} demo clear",
        as_json=as_json,
    )


@app.command()
def clear(as_json: Json = False) -> None:
    """Delete the organisation `demo` and all its data."""
    from prefrontal.api import demo

    async def work(services: Services) -> int:
        return await demo.clear(services)

    deleted = run(work, as_json=as_json)
    result({"deleted": deleted}, f"The demo story is deleted ({counted(deleted, 'node')}).", as_json=as_json)
