"""The command `prefrontal` and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

from prefrontal.api.cli import admin, db, demo, export, fixture, imports, outbox, registry
from prefrontal.api.cli.backup import make_backup, restore
from prefrontal.api.cli.compact import compact
from prefrontal.api.cli.context import context
from prefrontal.api.cli.doctor import doctor
from prefrontal.api.cli.look import look
from prefrontal.api.cli.reembed import reembed
from prefrontal.api.cli.serve import serve
from prefrontal.api.cli.trace import trace
from prefrontal.graph import __version__

app = typer.Typer(
    name="prefrontal",
    help="An agent's prefrontal cortex as a service: one Neo4j graph behind one GraphQL API.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command()(serve)
app.command()(doctor)
app.command()(admin.migrate)
app.command()(admin.token)
app.command()(compact)
app.command()(reembed)
app.command()(context)
app.command()(trace)
app.command()(look)
app.command("backup")(make_backup)
app.command()(restore)
app.add_typer(db.app, name="db")
app.add_typer(admin.org_app, name="org")
app.add_typer(admin.agent_app, name="agent")
app.add_typer(export.app, name="export")
app.add_typer(imports.app, name="import")
app.add_typer(demo.app, name="demo")
app.add_typer(fixture.app, name="fixture")
app.add_typer(registry.app, name="registry")
app.add_typer(outbox.app, name="outbox")


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
