"""Commands for the embedded Neo4j server."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from prefrontal.api.cli.console import bar, fail, out, result, shown_secret, waiting
from prefrontal.graph.errors import PrefrontalError

app = typer.Typer(
    help="The embedded Neo4j: a real server on loopback, without Docker or Java.", no_args_is_help=True
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def start(as_json: Json = False) -> None:
    """Start Neo4j in the background; it runs until `prefrontal db stop`."""
    from prefrontal.graph.config.settings import load_settings
    from prefrontal.graph.embedded import EmbeddedNeo4j, ensure_jars, find_running
    from prefrontal.graph.embedded.endpoint import embedded_config, store_home

    try:
        settings = load_settings()
        home = store_home(settings)
        running = find_running(home)
        if running is None:
            with bar("Fetching Neo4j (once)") as fetched:
                jars = ensure_jars(settings.cache_dir, progress=fetched)
            with waiting("Starting Neo4j …"):
                EmbeddedNeo4j(embedded_config(settings), jars=jars).start(detached=True)
            running = find_running(home)
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    if running is None:  # pragma: no cover - the server ended right after its start
        raise typer.Exit(1)
    result(
        {"pid": running.pid, "uri": running.bolt_uri, "browser": f"{running.http_url}/browser/"},
        f"Neo4j is running (process {running.pid}) at {running.bolt_uri}\n"
        f"Browser {running.http_url}/browser/   user {running.user}   "
        f"password {escape(shown_secret(running.password, out))}",
        as_json=as_json,
    )


@app.command()
def stop(as_json: Json = False) -> None:
    """Stop the Neo4j that `prefrontal db start` started."""
    from prefrontal.graph.config.settings import load_settings
    from prefrontal.graph.embedded import stop_running
    from prefrontal.graph.embedded.endpoint import store_home

    try:
        stopped = stop_running(store_home(load_settings()))
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    result(
        {"stopped": stopped}, "Neo4j is stopped." if stopped else "Neo4j was not running.", as_json=as_json
    )


@app.command()
def status(as_json: Json = False) -> None:
    """Show whether Neo4j is running, its ports and the size of its store. Exit status 3 if not running."""
    from prefrontal.graph.config.settings import load_settings
    from prefrontal.graph.embedded import server_status
    from prefrontal.graph.embedded.endpoint import store_home

    try:
        found = server_status(store_home(load_settings()))
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    megabytes = found.store_bytes / 1_000_000
    text = (
        f"Neo4j {found.version} is running (process {found.pid}) on ports {found.bolt_port} (Bolt) and "
        f"{found.http_port} (Browser); store {megabytes:.1f} MB."
        if found.running
        else f"Neo4j is not running; store {megabytes:.1f} MB. Start it with: prefrontal db start"
    )
    result(
        {
            "running": found.running,
            "pid": found.pid,
            "bolt_port": found.bolt_port,
            "http_port": found.http_port,
            "version": found.version,
            "store_bytes": found.store_bytes,
        },
        text,
        as_json=as_json,
    )
    if not found.running:
        raise typer.Exit(3)
