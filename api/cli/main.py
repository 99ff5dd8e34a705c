"""The command `prefrontal` and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

from prefrontal.api.cli import (
    admin,
    commands,
    compact,
    context,
    db,
    demo,
    export,
    fixture,
    imports,
    outbox,
    query,
    reembed,
    registry,
    trace,
)
from prefrontal.graph import __version__

app = typer.Typer(
    name="prefrontal",
    help="An agent's prefrontal cortex as a service: one Neo4j graph behind one GraphQL API.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
# What is imported here imports no part of the service, which a command imports when it runs: help is quick.
app.command()(commands.serve)
app.command()(commands.doctor)
app.command()(admin.migrate)
app.command()(admin.token)
app.command()(compact.compact)
app.command()(reembed.reembed)
app.command()(context.context)
app.command()(trace.trace)
app.command()(commands.look)
app.command()(commands.backup)
app.command()(commands.restore)
app.add_typer(db.app, name="db")
app.add_typer(admin.org_app, name="org")
app.add_typer(admin.agent_app, name="agent")
app.add_typer(export.app, name="export")
app.add_typer(imports.app, name="import")
app.add_typer(demo.app, name="demo")
app.add_typer(fixture.app, name="fixture")
app.add_typer(registry.app, name="registry")
app.add_typer(outbox.app, name="outbox")
app.add_typer(query.app, name="query")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"prefrontal {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run a command; each has its own --help."""
