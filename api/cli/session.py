"""Opening of the database and the services for one command."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from prefrontal.api.cli.console import bar, fail, waiting
from prefrontal.graph.errors import PrefrontalError

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.config.settings import Settings
    from prefrontal.graph.embedded.endpoint import Endpoint

T = TypeVar("T")


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[tuple[Services, Endpoint]]:
    """Provide services over a running, migrated database; a server started for it is stopped at the end."""
    import asyncio

    from prefrontal.api.logs import hide
    from prefrontal.graph.bootstrap.build import build_services
    from prefrontal.graph.embedded.endpoint import provide_database
    from prefrontal.graph.storage.driver import connect
    from prefrontal.graph.storage.schema import migrate

    with bar("Fetching Neo4j (once)") as fetched:
        provided = provide_database(settings, progress=fetched)
        with waiting("Getting Neo4j ready …"):
            endpoint = await asyncio.to_thread(provided.__enter__)
    hide(endpoint.password)
    try:
        async with connect(settings, endpoint.uri, endpoint.user, endpoint.password) as driver:
            services = build_services(settings, driver)
            with bar("Bringing the schema up to date") as migrated:
                await migrate(services.database, services.migrations, services.clock, migrated)
            yield services, endpoint
    finally:
        await asyncio.to_thread(provided.__exit__, None, None, None)


def run(work: Callable[[Services], Awaitable[T]], *, as_json: bool = False) -> T:
    """Run a command's `work` with the services and return its result; an error ends the command."""
    import asyncio

    from prefrontal.api.logs import configure_logs
    from prefrontal.graph.config.settings import load_settings

    async def main() -> T:
        async with open_services(settings) as (services, _):
            return await work(services)

    try:
        settings = load_settings().model_copy(update={"query_timeout_s": 60.0})
        configure_logs(settings)
        return asyncio.run(main())
    except PrefrontalError as error:
        fail(error, as_json=as_json)
