"""The command that brings a whole organisation from a file."""

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
    from prefrontal.graph.transfer.record import ImportResult


def organisation(
    path: Annotated[
        Path,
        typer.Argument(exists=True, readable=True, dir_okay=False, help="A file of `export organisation`."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Bring a whole organisation that `export organisation` wrote.

    A file that is damaged, or names what is not its own, is refused before anything is written. So is an
    organisation that is there already. An interrupted import goes on when it is run again; until it is
    complete nobody sees the organisation.
    """

    async def work(services: Services) -> ImportResult:
        with bar("Importing") as progress:
            return await services.transfer.importing.read(path, progress)

    done = run(work, as_json=as_json)
    result(
        done.model_dump(),
        f"{counted(done.nodes, 'node')} and {counted(done.relationships, 'relationship')} of "
        f"[bold]{escape(done.key)}[/] are imported.\n"
        f"Next: {program()} token --org {escape(done.key)} --agent NAME",
        as_json=as_json,
    )
