"""The command that writes a whole organisation to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from prefrontal.api.cli.console import bar, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.transfer.record import ExportResult

app = typer.Typer(help="Write what an organisation has to a file.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Write what an organisation has to a file."""


@app.command()
def organisation(
    path: Annotated[Path, typer.Argument(help="The file to write, one JSON object a line.", dir_okay=False)],
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Write a whole organisation to a file: records, history, events, receipts, actors and grants.

    The file holds one state of it, also while others write, and has a checksum. Tokens and secrets are not in
    it. An interrupted export goes on when it is run again.
    """

    async def work(services: Services) -> ExportResult:
        org_id = (await services.access.operator(org)).org_id
        with bar(f"Exporting {org}") as progress:
            return await services.transfer.export.write(org_id, org, path, progress)

    done = run(work, as_json=as_json)
    result(
        done.model_dump(),
        f"{counted(done.nodes, 'node')} and {counted(done.relationships, 'relationship')} are in "
        f"{escape(str(path))}\nSHA-256 of its lines: {done.sha256}\n"
        f"To bring it into another database: {program()} import organisation {escape(str(path))}",
        as_json=as_json,
    )
