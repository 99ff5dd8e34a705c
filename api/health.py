"""Whether the process lives, whether it can serve, and its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.storage.schema import applied_migrations, pending_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from prefrontal.graph.bootstrap.services import Services


def health_routes(services: Services) -> list[Route]:
    """Return `/healthz`, `/readyz` and `/metrics`."""

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok")

    async def readyz(_: Request) -> Response:
        """Ask the database for its schema version; 503 with a reason when it cannot serve."""
        try:
            # As patient as with a client's query: whoever asks wants to know whether to send some.
            patience = services.settings.query_timeout_s
            applied = await applied_migrations(services.database, timeout_s=patience)
            pending = pending_of(services.migrations, applied)
        except PrefrontalError as error:
            return JSONResponse({"ready": False, "code": error.code, "reason": error.message}, 503)
        if pending:
            reason = "the schema is not up to date; run: prefrontal migrate"
            return JSONResponse({"ready": False, "code": "migration", "reason": reason}, 503)
        said: dict[str, object] = {"ready": True, "schema": len(services.migrations)}
        if services.registry.watch.problem is not None:
            # Older types stay in force, so it serves; whoever changed the files wants to know.
            said["registry"] = services.registry.watch.problem
        return JSONResponse(said)

    async def metrics(_: Request) -> Response:
        return Response(services.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]
