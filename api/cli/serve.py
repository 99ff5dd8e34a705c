"""The work of `prefrontal serve`: Neo4j, the schema migrations, the demo story and the API."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from datetime import timedelta

import structlog
from rich.markup import escape
from rich.panel import Panel

from prefrontal.api import demo
from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.browser.links import (
    BrowserEndpoint,
    browser_endpoint,
    browser_url,
    guide_url,
    lineage_query,
)
from prefrontal.api.cli.console import bar, err, fail, program, say, shown_secret, waiting
from prefrontal.api.cli.session import open_services
from prefrontal.api.cli.worker import Server, ended, workers_on
from prefrontal.api.issuer import IssuerTokens, tokens_of
from prefrontal.api.logs import configure_logs
from prefrontal.api.server import run_fast, server_config, settle
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.bootstrap.warmup import ready_to_encode, warm_up
from prefrontal.graph.caller import Principal
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded import port_holder
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import PortTaken, PrefrontalError

_DEMO_TOKEN = timedelta(days=7)
_COLD_TIMEOUT_S = 60.0
_WARM_AGAIN_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""After a restart the warm-up is tried again after so long, if it fails."""


def serve(*, host: str | None, port: int | None, with_demo: bool, workers: int) -> None:
    """Run the API in `workers` processes until Ctrl-C; a host or port of None is that of the settings."""
    try:
        settings = load_settings()
        given = {"host": host, "port": port}
        settings = settings.model_copy(update={k: v for k, v in given.items() if v is not None})
        configure_logs(settings)
        # Lines for people would stand between the lines of JSON that a machine reads.
        err.quiet = settings.log_format == "json"
        check_port(settings.host, settings.port)
        with contextlib.suppress(KeyboardInterrupt):
            run_fast(_serve(settings, with_demo=with_demo, processes=workers))
    except PrefrontalError as error:
        if err.quiet:
            structlog.get_logger().error("stopped", code=error.code, reason=error.message)
        fail(error)
    say("Stopped. The data is kept; run the command again to continue.")


async def _serve(settings: Settings, *, with_demo: bool, processes: int) -> None:
    async with open_services(settings) as (services, endpoint):
        shown = with_demo and not settings.production
        # A freshly started database plans statements slowly, and more slowly on a small machine.
        with services.database.extended_timeout(_COLD_TIMEOUT_S):
            if shown and not await demo.is_loaded(services):
                with bar("Loading the demo story") as progress:
                    await demo.load(services, lambda done, total: progress(done, total, ""))
            if not settings.fast_start:
                with waiting("Warming up …"):
                    await warm_up(services)
                if endpoint.keeper is not None:
                    endpoint.keeper.on_start = warms_up_again(services)
        tokens = tokens_of(settings, services.clock)
        app = create_app(services, tokens=tokens)
        config = server_config(app, settings.host, settings.port, settings.request_timeout_s)
        server = Server(config)
        settle()
        async with contextlib.AsyncExitStack() as further:
            if services.encoder is not None and not settings.fast_start:
                loading = asyncio.create_task(ready_to_encode(services, _fetching))
                further.push_async_callback(ended, loading)
            sockets = None
            if processes > 1:
                listening = config.bind_socket()
                sockets = [listening]
                await further.enter_async_context(workers_on(listening, processes - 1))
            task = asyncio.create_task(server.serve(sockets=sockets))
            while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.02)
            if server.started:
                if err.quiet:
                    structlog.get_logger().info("ready", host=settings.host, port=settings.port)
                _welcome(services, endpoint, tokens, with_demo=shown)
            await task


def _fetching(done: int, total: int, file: str) -> None:
    """Say that the sentence encoder is fetched, beside what the running server says."""
    say(f"{'Fetching' if done < total else 'Fetched'} {file} for the sentence encoder (once) …")


def warms_up_again(services: Services) -> Callable[[], None]:
    """Return what another thread calls after a restart of the database: this loop then warms the server up.

    Meanwhile requests have the time that a cold server takes, instead of the deadline of a warm one.
    """
    loop, tasks = asyncio.get_running_loop(), set[asyncio.Task[None]]()

    async def warm() -> None:
        with services.database.extended_timeout(_COLD_TIMEOUT_S):
            for wait in (*_WARM_AGAIN_S, None):
                try:
                    await warm_up(services)
                except PrefrontalError as error:
                    # The server answers, but maybe not on all of the old connections yet.
                    if wait is None:
                        structlog.get_logger().warning("not_warmed_up", code=error.code)
                        return
                    await asyncio.sleep(wait)
                else:
                    structlog.get_logger().info("warmed_up")
                    return

    def begin() -> None:
        task = loop.create_task(warm())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def restarted() -> None:
        loop.call_soon_threadsafe(begin)

    return restarted


def check_port(host: str, port: int) -> None:
    """Check that the port is free.

    Raises:
        PortTaken: If another process listens on the port; the message names the process and a free choice.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"port {port} on {host} is taken by {port_holder(port)}; stop it, or use another port: "
                f"{program()} serve --port {port + 1}"
            ) from error


def _welcome(
    services: Services, endpoint: Endpoint, tokens: Tokens | IssuerTokens, *, with_demo: bool
) -> None:
    settings = services.settings
    base = f"http://{settings.host}:{settings.port}"
    lines: list[str] = []
    if settings.production:
        lines.append(f"[bold]GraphQL[/]   {base}/graphql")
    elif with_demo and isinstance(tokens, Tokens) and err.is_terminal:
        agent, person = demo.ACTORS
        principal = Principal(org=demo.ORGANISATION, agent=agent, person=person, roles=("writer",))
        token, _ = tokens.issue(principal, _DEMO_TOKEN)
        lines += ["[bold]Workbench[/], signed in to the demo for a week:", f"{base}/#token={token}"]
    else:
        lines.append(f"[bold]Workbench[/]   {base}/")
    if not settings.production:
        lines.append(f"[bold]GraphiQL[/], for queries of your own: {base}/graphiql")
    if endpoint.browser_url is not None:
        place: BrowserEndpoint | None = BrowserEndpoint(endpoint.browser_url, endpoint.uri, endpoint.user)
    else:
        place = browser_endpoint(settings)
    if place is not None:
        password = escape(shown_secret(endpoint.password))
        if settings.browser_kit:
            lines += [
                "",
                "[bold]Neo4j Browser[/], with colours and a guide to the graph:",
                guide_url(place, base),
            ]
        lines += [
            "",
            "[bold]Neo4j Browser[/], with a query of a goal's lineage (press Ctrl+Enter to run it):",
            browser_url(place, lineage_query()),
            f"user [bold]{escape(place.user)}[/]   password [bold]{password}[/]",
            "Whoever knows it reads and changes every organisation: see docs/neo4j-browser.md.",
        ]
    lines += [
        "",
        "[bold]To import your own notes[/], text, Markdown, JSON Lines or an exported chat:",
        f"  {program()} import notes.md --org me --agent assistant",
        "[bold]To get a token[/] that can read them:",
        f"  {program()} token --org me --agent assistant",
        "",
        "Ctrl-C stops everything; the data is kept.",
    ]
    # Links are printed outside the panel, on one line, so that terminals make them clickable.
    err.print(Panel.fit("Prefrontal is ready", border_style="green"))
    for line in lines:
        err.print(line)
