"""The commands with much work behind them: what each takes. The work is imported when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: loopback.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port of the API.")] = None,
    with_demo: Annotated[
        bool, typer.Option("--demo/--no-demo", help="Load the demo story if it is missing.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", min=1, max=64, help="Processes that answer requests; one for each core, say."
        ),
    ] = 1,
) -> None:
    """Run the API, with an embedded Neo4j unless NEO4J_URI names one. Ctrl-C stops both."""
    from prefrontal.api.cli import serve as work

    work.serve(host=host, port=port, with_demo=with_demo, workers=workers)


def doctor(
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Check the stored sessions of working memory instead.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="With --sessions: repair them. The service may run meanwhile.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the installation and the spaces of records, and show what to do. Exit status 1 if a check fails.

    With --sessions, check the sessions of all organisations. Exit status 1 if something is wrong after it.
    """
    if repair and not sessions:
        raise typer.BadParameter("name what to repair: --sessions --repair")
    if sessions:
        from prefrontal.api.cli.session_check import check_sessions

        check_sessions(repair=repair, as_json=as_json)
    else:
        from prefrontal.api.cli.doctor import check_installation

        check_installation(as_json=as_json)


def look(org: Annotated[str, typer.Option(help="The organisation's key.")]) -> None:
    """Copy one organisation into a scratch Neo4j, and print a link to look at it there. Ctrl-C deletes it.

    The copy has the nodes and relationships of that organisation and of no other, without the vectors that
    searches use. What is changed in it changes nothing else.
    """
    from prefrontal.api.cli import look as work

    work.look(org)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to write; it must not exist.", dir_okay=False)],
    as_json: Json = False,
) -> None:
    """Back the embedded database up into one file, with checksums. Stop what uses it first.

    The file has all organisations, and no password or secret. It is not written over an earlier one.
    """
    from prefrontal.api.cli.backup import make_backup

    make_backup(path, as_json=as_json)


def restore(
    path: Annotated[Path, typer.Argument(help="A file of `backup`.", exists=True, dir_okay=False)],
    force: Annotated[
        bool, typer.Option("--force", help="Also if there is a database; it is kept in a folder beside.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Put a backup in the place of the embedded database, and migrate it to the schema of this program.

    A damaged file, one of a newer schema, and a folder that has a database already are refused, and nothing
    is changed. The backup is loaded into a folder of its own and compared with what it should have; only then
    it takes the place of the database, which is kept.
    """
    from prefrontal.api.cli import backup as work

    work.restore(path, force=force, as_json=as_json)
