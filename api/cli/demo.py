"""Commands of the demo story."""

from __future__ import annotations

from typing import Annotated

import typer

from prefrontal.api import demo
from prefrontal.api.cli.console import bar, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.errors import Duplicate

app = typer.Typer(help="A small story to look at.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def load(as_json: Json = False) -> None:
    """Tell the demo story in the organisation `demo`."""

    async def work(services: Services) -> int:
        with bar("Telling the demo story") as progress:
            try:
                return await demo.load(services, lambda done, total: progress(done, total, ""))
            except Duplicate as error:
                raise Duplicate(f"{error.message}; take it away with: {program()} demo clear") from error

    nodes = run(work, as_json=as_json)
    result({"nodes": nodes}, f"The demo story is there ({nodes} nodes).", as_json=as_json)


@app.command()
def clear(as_json: Json = False) -> None:
    """Delete the organisation `demo` and all it has."""

    async def work(services: Services) -> int:
        return await demo.clear(services)

    gone = run(work, as_json=as_json)
    result({"deleted": gone}, f"The demo is gone ({gone} nodes).", as_json=as_json)
