"""A plain strawberry server with a small schema: the baseline for `bench.load`.

It has no tokens, spaces, limits, log or metrics, and reads one observation as in a tutorial.
`python -m bench.stock PORT` serves it with the same web server settings as the API.
"""

from __future__ import annotations

import sys
from typing import Any

import strawberry
import uvicorn
from neo4j import AsyncDriver, AsyncManagedTransaction
from starlette.applications import Starlette
from starlette.routing import Route
from strawberry.asgi import GraphQL

from prefrontal.api.server import run_fast, server_config
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.driver import connect

_READ = """MATCH (o:Observation {uid: $uid})
RETURN o.uid AS id, o.content AS content, o.confidence AS confidence, o.tags AS tags"""


@strawberry.type(name="Observation")
class StockObservation:
    """The fields that the load test selects."""

    id: strawberry.ID
    content: str
    confidence: float
    tags: list[str]


def stock_app(driver: AsyncDriver) -> Starlette:
    """Return the application; `node` queries the database only for ids of observations."""

    async def read(tx: AsyncManagedTransaction, uid: str) -> dict[str, Any] | None:
        record = await (await tx.run(_READ, uid=uid)).single()
        return None if record is None else record.data()

    @strawberry.type
    class Query:
        @strawberry.field
        async def node(self, id: strawberry.ID) -> StockObservation | None:  # noqa: A002 - the name in the API
            if not id.startswith("obs_"):
                return None
            async with driver.session() as session:
                row = await session.execute_read(read, id)
            return None if row is None else StockObservation(**row)

    return Starlette(routes=[Route("/graphql", GraphQL[None, None](strawberry.Schema(query=Query)))])


async def _serve(port: int) -> None:
    settings = load_settings()
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
    async with connect(settings, str(settings.neo4j_uri), settings.neo4j_user, password) as driver:
        await uvicorn.Server(server_config(stock_app(driver), "127.0.0.1", port)).serve()


if __name__ == "__main__":
    run_fast(_serve(int(sys.argv[1])))
