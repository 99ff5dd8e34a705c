"""Endpoints for operators: liveness, readiness and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.journal.commits import reported_read_error
from prefrontal.graph.storage.schema import applied_migrations, pending_of
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from starlette.requests import Request

    from prefrontal.graph.bootstrap.services import Services


async def _stalled(services: Services) -> str | None:
    """Return what is wrong with the delivery of events, or None.

    Raises:
        PrefrontalError: If the database does not answer.
    """
    backlog = await services.outbox.relay.backlog()
    if backlog.since is None:
        return None
    seconds = (services.clock.now() - backlog.since).total_seconds()
    if seconds < services.catalog.outbox.stalled_seconds:
        return None
    return (
        f"events have waited for {counted(round(seconds), 'second')} to be delivered: look for `job_failed` "
        "in the logs, and that a process runs with PREFRONTAL_JOBS=true"
    )


def health_routes(services: Services) -> list[Route]:
    """Return `/healthz`, `/readyz` and, unless the settings close it, `/metrics`."""

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok")

    async def readyz(_: Request) -> Response:
        """Read the schema version from the database; return 503 with a reason if it cannot serve."""
        try:
            # The same deadline as for a client's query: the probe decides whether to send such queries.
            patience = services.settings.query_timeout_s
            applied = await applied_migrations(services.database, timeout_s=patience)
            pending = pending_of(services.migrations, applied)
            if not pending:
                # An older schema may lack what this reads.
                relay = await _stalled(services)
        except PrefrontalError as error:
            reason = reported_read_error(error).message
            return JSONResponse({"ready": False, "code": error.code, "reason": reason}, 503)
        if pending:
            reason = "the schema is not up to date; run: prefrontal migrate"
            return JSONResponse({"ready": False, "code": "migration", "reason": reason}, 503)
        body: dict[str, object] = {"ready": True, "schema": len(services.migrations)}
        if relay is not None:
            # Requests are served and their events are kept: another process would serve no better.
            body["relay"] = relay
        if services.registry.watch.problem is not None:
            # The service still serves with the earlier action types; the maintainer needs the reason.
            body["registry"] = services.registry.watch.problem
        if services.registry.definitions.degraded:
            # Nothing is lost: the actions can be moved and completed. A maintainer decides what they become.
            body["degraded"] = services.registry.definitions.degraded
        return JSONResponse(body)

    async def metrics(_: Request) -> Response:
        return Response(services.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    routes = [Route("/healthz", healthz), Route("/readyz", readyz)]
    return [*routes, Route("/metrics", metrics)] if services.settings.metrics else routes
