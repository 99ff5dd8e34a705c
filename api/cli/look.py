"""The work of `prefrontal look`: one organisation in a Neo4j Browser of its own, where all may be spoiled."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette

from prefrontal.api.browser.links import BrowserEndpoint, guide_url
from prefrontal.api.browser.routes import browser_routes
from prefrontal.api.cli.console import bar, fail, say, waiting
from prefrontal.api.cli.session import open_services
from prefrontal.api.cli.worker import Server, ended
from prefrontal.api.logs import configure_logs
from prefrontal.api.server import run_fast
from prefrontal.graph.access.rules import checked_key
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded import EmbeddedNeo4j, ServerConfig, ensure_jars
from prefrontal.graph.embedded.config import HOST
from prefrontal.graph.embedded.processes import free_port
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_BATCH = 500
_PATIENCE_S = 120.0

Progress = Callable[[int, int, str], None]


def look(org: str) -> None:
    """Copy an organisation into a scratch Neo4j, and print a link to it; delete the copy at Ctrl-C."""
    try:
        checked_key(org, "org")
        settings = load_settings().model_copy(update={"query_timeout_s": _PATIENCE_S})
        configure_logs(settings)
        with contextlib.suppress(KeyboardInterrupt):
            run_fast(_look(settings, org))
    except PrefrontalError as error:
        fail(error)
    say("The copy is deleted.")


async def copy_of(
    source: Services, org_key: str, target: Database, progress: Progress | None = None
) -> tuple[int, int]:
    """Copy an organisation into an empty database; return how many nodes and relationships it has.

    Raises:
        NotFound: If there is no such organisation.
    """
    org_id = (await source.access.operator(org_key)).org_id
    refs = (await _read(source.database, "look/find_refs", org_id=org_id))["refs"]
    copies: dict[str, str] = {}
    total = 2 * len(refs)
    for page in _pages(refs):
        found = (await _read(source.database, "look/list_nodes", org_id=org_id, refs=page))["items"]
        rows = [
            {
                "labels": each["labels"],
                "properties": {
                    name: value for name, value in each["properties"].items() if not _is_vector(name)
                },
            }
            for each in found
        ]
        written = (await _write(target, "look/write_nodes", copies=rows))["refs"]
        copies |= dict(zip((each["ref"] for each in found), written, strict=True))
        if progress is not None:
            progress(len(copies), total, "nodes")
    edges = 0
    for number, page in enumerate(_pages(refs), 1):
        found = (await _read(source.database, "look/list_edges", org_id=org_id, refs=page))["items"]
        # What was written since the nodes were read is in no copy.
        rows = [
            each | {"source": copies[each["source"]], "target": copies[each["target"]]}
            for each in found
            if each["source"] in copies and each["target"] in copies
        ]
        for part in _pages(rows):
            edges += (await _write(target, "look/write_edges", copies=part))["number"]
        if progress is not None:
            progress(min(len(refs) + number * _BATCH, total), total, "relationships")
    return len(copies), edges


def _pages(items: list[Any]) -> list[list[Any]]:
    return [items[start : start + _BATCH] for start in range(0, len(items), _BATCH)]


def _is_vector(name: str) -> bool:
    return name.startswith("embedding_") or name in {"task_embedding", "digest"}


async def _read(database: Database, name: str, **params: Any) -> dict[str, Any]:
    async def work(tx: Tx) -> dict[str, Any]:
        return await tx.one(name, **params)

    return await database.read(work)


async def _write(database: Database, name: str, **params: Any) -> dict[str, Any]:
    async def work(tx: Tx) -> dict[str, Any]:
        return await tx.one(name, **params)

    return await database.write(work, timeout_s=_PATIENCE_S)


async def _look(settings: Settings, org: str) -> None:
    with tempfile.TemporaryDirectory(prefix="prefrontal-look-") as folder:
        kit = f"http://{HOST}:{free_port()}"
        config = ServerConfig(
            home=Path(folder),
            bolt_port=0,
            http_port=0,
            kit_url=f"{kit}/browser-kit",
            # On loopback, while the command runs: whoever is on this machine can open it.
            auth=False,
            fast_start=True,
        )
        jars = await asyncio.to_thread(ensure_jars, settings.cache_dir)
        scratch = EmbeddedNeo4j(config, jars=jars)
        try:
            async with open_services(settings) as (services, _):
                # Nobody waits for a server to hear that there is no such organisation.
                await services.access.operator(org)
                with waiting("Starting a scratch Neo4j …"):
                    await asyncio.to_thread(scratch.start)
                async with connect(settings, scratch.bolt_uri, scratch.user, None) as driver:
                    target = build_services(settings, driver).database
                    with bar(f"Copying {org}") as progress:
                        nodes, edges = await copy_of(services, org, target, progress)
            say(f"Copied: {counted(nodes, 'node')} and {counted(edges, 'relationship')}, without vectors.")
            await _serve(scratch, kit, org)
        finally:
            await asyncio.to_thread(scratch.stop)


async def _serve(scratch: EmbeddedNeo4j, kit: str, org: str) -> None:
    """Serve the guides for the scratch server until Ctrl-C."""
    port = int(kit.rpartition(":")[2])
    app = Starlette(routes=browser_routes([scratch.http_url], org=org))
    server = Server(
        uvicorn.Config(app, host=HOST, port=port, log_config=None, log_level="warning", lifespan="off")
    )
    serving = asyncio.create_task(server.serve())
    try:
        say("\nNeo4j Browser, with colours and a guide to this organisation alone; no password is needed:")
        say(guide_url(BrowserEndpoint(scratch.http_url, scratch.bolt_uri, ""), kit))
        say("\nWhat you change there changes the copy alone. Ctrl-C deletes it.")
        await serving
    finally:
        await ended(serving)
