"""The app over HTTP, in this process, for one organisation per test."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
import strawberry
import uvicorn

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from tests.support.world import World, with_long_queries

SECRET = "a secret of a test, of at least 32 bytes"


@dataclass
class Client:
    """Sends GraphQL as one principal."""

    http: httpx.AsyncClient
    token: str

    async def send(self, body: Any, **headers: str) -> httpx.Response:
        """A body as it is, `bytes` or a stream of them."""
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return await self.http.post("/graphql", content=body, headers={**sent, **headers})

    async def post(self, query: str, **variables: Any) -> httpx.Response:
        # ASCII, because httpx's own JSON cannot say half of a surrogate pair; NaN stays as Python says it.
        return await self.send(json.dumps({"query": query, "variables": variables}))

    async def run(self, query: str, **variables: Any) -> Any:
        """The data of an operation that has no errors."""
        response = await self.post(query, **variables)
        body = response.json()
        assert "errors" not in body, body
        return body["data"]

    async def errors(self, query: str, **variables: Any) -> list[dict[str, Any]]:
        """The errors of an operation that has some."""
        body = (await self.post(query, **variables)).json()
        assert body.get("errors"), body
        return body["errors"]


@dataclass
class Api:
    world: World
    http: httpx.AsyncClient
    tokens: Tokens

    def client(self, agent: str | None = "bot", **kwargs: Any) -> Client:
        token, _ = self.tokens.issue(self.world.principal(agent, **kwargs), timedelta(hours=1))
        return Client(self.http, token)


@functools.lru_cache(maxsize=4)
def schema_of(settings: Settings) -> strawberry.Schema:
    """The schema, built once in each process of the run: it costs as much as a test."""
    return build_schema(settings)


def in_process(services: Services, tokens: Tokens) -> httpx.AsyncClient:
    # The lifespan is not entered: it would close the driver that all tests share.
    app = create_app(services, tokens=tokens, schema=schema_of(services.settings))
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(transport=transport, base_url="http://test")


@pytest.fixture
async def api(world: World) -> AsyncIterator[Api]:
    services: Services = world.services
    tokens = Tokens(SECRET, services.settings, world.clock)
    async with in_process(services, tokens) as http:
        yield Api(world, http, tokens)


@pytest.fixture
async def served(api: Api, neo4j: Endpoint) -> AsyncIterator[tuple[str, Services]]:
    # A real uvicorn on a real socket, with the lifespan and a driver of its own. Jobs work for others too.
    settings = api.world.services.settings.model_copy(update={"jobs": False})
    driver = connect(settings, neo4j.uri, neo4j.user, neo4j.password)
    services = with_long_queries(build_services(settings, driver, clock=api.world.clock))
    app = create_app(services, tokens=api.tokens, schema=schema_of(settings))
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False, server_header=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
        assert not task.done()
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"127.0.0.1:{port}", services
    server.should_exit = True
    await task
