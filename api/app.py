"""The web application: its routes, middleware and background tasks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute

from prefrontal.api.browser.routes import browser_origins, browser_routes
from prefrontal.api.browser.signed import SignedGuides
from prefrontal.api.events import event_routes
from prefrontal.api.graphql.endpoint import GraphQLView
from prefrontal.api.graphql.schema import build_schema
from prefrontal.api.health import health_routes
from prefrontal.api.issuer import tokens_of
from prefrontal.api.middleware import BodyLimit, Observe
from prefrontal.api.web.routes import web_routes
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.registry.watch import EVERY_SECONDS

if TYPE_CHECKING:
    import strawberry

    from prefrontal.api.auth import Tokens
    from prefrontal.api.issuer import IssuerTokens
    from prefrontal.graph.bootstrap.services import Services

log = structlog.get_logger(__name__)


def create_app(
    services: Services,
    *,
    tokens: Tokens | IssuerTokens | None = None,
    schema: strawberry.Schema | None = None,
) -> Starlette:
    """Return the web application.

    While the application runs, it also runs the periodic jobs (setting `jobs`) and loads changed action
    types from the registry. When it ends, it closes the services.

    Args:
        services: The services to call.
        tokens: Verifies bearer tokens; by default chosen by the settings.
        schema: The GraphQL schema, which several applications of one process may share; built by default.
    """
    settings = services.settings
    tokens = tokens or tokens_of(settings, services.clock)
    view = GraphQLView(schema or build_schema(settings), services, tokens)
    routes = [
        Route("/graphql", view),
        WebSocketRoute("/graphql", view),
        *event_routes(services, tokens),
        *health_routes(services),
        *web_routes(settings),
        *(
            browser_routes(browser_origins(settings), signed=SignedGuides(services))
            if settings.browser_kit
            else ()
        ),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            # Before the first request: an action may have a type whose file is gone.
            await services.registry.definitions.keep()
        except PrefrontalError as error:
            # The loop below tries again.
            log.warning("registry_not_kept", code=error.code)
        jobs = asyncio.create_task(services.jobs.run_forever()) if settings.jobs else None
        watch = asyncio.create_task(watch_registry(services))
        # Each process writes what it notes, also one that runs no jobs.
        batchers = [asyncio.create_task(each.run_forever()) for each in services.batchers]
        # Also a process without jobs has streams.
        heads = asyncio.create_task(services.outbox.positions.run_forever())
        try:
            yield
        finally:
            for task in (jobs, watch, heads, *batchers):
                if task is not None:
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await task
            await services.close()

    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[
            Middleware(Observe, metrics=services.metrics),
            Middleware(BodyLimit, most=settings.max_body_bytes, seconds=settings.request_timeout_s),
        ],
    )
    # The server ends the streams first when it stops: it waits for what is under way.
    app.state.end_streams = services.outbox.streams.close
    return app


async def _pause() -> None:
    await asyncio.sleep(EVERY_SECONDS)


async def watch_registry(services: Services, pause: Callable[[], Awaitable[None]] = _pause) -> None:
    """Reload the registry whenever its files change, until cancelled; mark merged proposals.

    Args:
        services: The services.
        pause: Waits until the next check; every `EVERY_SECONDS` seconds by default.
    """
    followed = False
    while True:
        try:
            await follow_registry(services, again=not followed)
        except PrefrontalError as error:
            followed = False
            log.warning("registry_not_kept", code=error.code)
        except Exception:
            # A defect in one check must not end the loop.
            followed = False
            log.exception("registry_not_followed")
        else:
            followed = True
        await pause()


async def follow_registry(services: Services, *, again: bool = False) -> None:
    """Load changed registry files, keep them in the graph, and mark proposals that they contain as merged.

    Args:
        services: The services.
        again: Compare even if no file changed: at the start, and after a failure.

    Raises:
        PrefrontalError: If the graph could not be updated, e.g. because the database does not answer.
    """
    registry = services.registry
    if await asyncio.to_thread(registry.watch.look) or again:
        await registry.definitions.keep()
        await registry.proposals.merge.merge()
    await registry.definitions.follow()
