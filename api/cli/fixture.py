"""Commands for graph fixtures."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from prefrontal.api.cli.console import bar, fail, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.errors import Duplicate, PrefrontalError
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.api.fixtures.built import BuiltGraph
    from prefrontal.api.fixtures.load import FixtureFile
    from prefrontal.graph.bootstrap.services import Services

app = typer.Typer(
    help="Graph fixtures: YAML files with a graph, steps and the expected results.", no_args_is_help=True
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Fixture files, *.fixture.yaml.")],
    as_json: Json = False,
) -> None:
    """Check fixture files and show errors by file and line. Needs no database. Exit status 1 on errors."""
    read = _read(files, as_json=as_json)
    counts = [
        {"file": str(f.path), "nodes": len(f.fixture.nodes), "steps": len(f.fixture.steps)} for f in read
    ]
    listed = "\n".join(
        f"{escape(str(f.path))}: {counted(len(f.fixture.nodes), 'node')}, "
        f"{counted(len(f.fixture.steps), 'step')}"
        for f in read
    )
    result({"fixtures": counts}, f"{listed}\nNothing is wrong.", as_json=as_json)


@app.command()
def load(
    file: Annotated[Path, typer.Argument(help="A fixture file, *.fixture.yaml.")],
    org: Annotated[
        str | None, typer.Option(help="Key of the organisation to create; default: the file's name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Build a fixture's graph, without its steps, so that you can explore it.

    All times are shifted so that the fixture's `now` is the moment of loading; intervals stay the same.
    """
    from prefrontal.api.fixtures.build import build_graph
    from prefrontal.api.fixtures.load import SUFFIX

    (fixture,) = _read([file], as_json=as_json)
    key = org or file.name.removesuffix(SUFFIX).replace("_", "-")

    async def work(services: Services) -> BuiltGraph:
        with bar("Building the graph") as progress:
            try:
                return await build_graph(
                    services,
                    fixture,
                    key,
                    now=services.clock.now(),
                    progress=lambda done, total: progress(done, total, ""),
                )
            except Duplicate as error:
                raise Duplicate(f"{error.message}; choose another with --org KEY") from error

    graph = run(work, as_json=as_json)
    commands = {name: _token_command(graph, name) for name in fixture.fixture.actors}
    value: dict[str, Any] = {"org": key, "org_id": graph.org_id, "ids": graph.keys.uids, "tokens": commands}
    number = len(fixture.fixture.nodes)
    tokens = "\n".join(f"  {escape(command)}" for command in commands.values())
    result(
        value,
        f"Organisation [bold]{escape(key)}[/] is created, with {counted(number, 'node')}.\n"
        f"A token for GraphiQL:\n{tokens}\n"
        f"In Neo4j Browser:\n  MATCH (n {{org_id: '{graph.org_id}'}}) RETURN n",
        as_json=as_json,
    )


@app.command()
def schema() -> None:
    """Print the JSON Schema of fixture files, for editors."""
    from prefrontal.api.fixtures.json_schema import file_schema

    typer.echo(json.dumps(file_schema(), indent=2, ensure_ascii=False))


def _read(files: list[Path], *, as_json: bool) -> list[FixtureFile]:
    from prefrontal.api.fixtures.validation import read_fixture
    from prefrontal.graph.config.settings import load_settings

    try:
        settings = load_settings()
        return [read_fixture(file, settings) for file in files]
    except PrefrontalError as error:
        fail(error, as_json=as_json)


def _token_command(graph: BuiltGraph, actor: str) -> str:
    principal = graph.principal(actor)
    words = [program(), "token", "--org", principal.org]
    for kind, name in principal.actors:
        words += [f"--{kind.value}", name]
    for role in principal.roles:
        words += ["--role", role] if principal.roles != ("writer",) else []
    return shlex.join(words)
