"""Commands for the demo story."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from prefrontal.api.cli.console import bar, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.errors import Duplicate
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services

app = typer.Typer(help="The demo story: example data to explore.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def load(as_json: Json = False) -> None:
    """Load the demo story into the organisation `demo`."""
    from prefrontal.api import demo

    async def work(services: Services) -> int:
        with bar("Loading the demo story") as progress:
            try:
                return await demo.load(services, lambda done, total: progress(done, total, ""))
            except Duplicate as error:
                raise Duplicate(f"{error.message}; delete it with: {program()} demo clear") from error

    nodes = run(work, as_json=as_json)
    result({"nodes": nodes}, f"The demo story is loaded ({counted(nodes, 'node')}).", as_json=as_json)


@app.command()
def clear(as_json: Json = False) -> None:
    """Delete the organisation `demo` and all its data."""
    from prefrontal.api import demo

    async def work(services: Services) -> int:
        return await demo.clear(services)

    deleted = run(work, as_json=as_json)
    result({"deleted": deleted}, f"The demo story is deleted ({counted(deleted, 'node')}).", as_json=as_json)
