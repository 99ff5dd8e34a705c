"""Clients that go away or send slowly, and what an operator can close."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import uvicorn
from structlog.testing import capture_logs

from prefrontal.api.app import create_app
from prefrontal.api.server import server_config
from tests.api.conftest import Api, in_process, schema_of

SECONDS = 0.2


@asynccontextmanager
async def listening(api: Api) -> AsyncIterator[int]:
    """A real server with short times for requests; its port."""
    services = api.world.services
    settings = services.settings.model_copy(update={"request_timeout_s": SECONDS, "jobs": False})
    services = replace(services, settings=settings)
    app = create_app(services, tokens=api.tokens, schema=schema_of(services.settings))
    # The lifespan is not entered: it would close the driver that all tests share.
    config = server_config(app, "127.0.0.1", 0, SECONDS)
    config.lifespan = "off"
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
        assert not task.done()
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


def head(api: Api, length: int) -> bytes:
    token = api.client().token
    lines = [
        "POST /graphql HTTP/1.1",
        "Host: test",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.mark.parametrize("sent", [b"", b"POST /graphql HTTP/1.1\r\nHost: te"])
async def test_a_connection_without_a_whole_head_is_closed(api: Api, sent: bytes) -> None:
    async with listening(api) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert await reader.read() == b""
        writer.close()


@pytest.mark.nightly("the head of a first request is cut off with each change")
async def test_the_head_of_a_second_request_has_no_more_time(api: Api) -> None:
    async with listening(api) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\nGET /healthz HTT")
        said = await reader.read()
        writer.close()
    assert said.count(b"HTTP/1.1 200 OK") == 1


async def test_a_body_that_does_not_arrive_is_refused_and_the_connection_closed(api: Api) -> None:
    async with listening(api) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(api, 1000) + b'{"query": ')
        said = await reader.read()
        writer.close()
    assert said.startswith(b"HTTP/1.1 408")
    assert b"has to arrive within 0.2 seconds" in said


async def test_a_client_that_goes_away_is_no_defect(api: Api) -> None:
    app: Any = in_process(api.world.services, api.tokens)._transport.app
    headers = [
        (b"authorization", f"Bearer {api.client().token}".encode()),
        (b"content-type", b"application/json"),
    ]
    scope = {
        "type": "http", "method": "POST", "path": "/graphql", "raw_path": b"/graphql", "query_string": b"",
        "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("test", 80), "root_path": "",
        "client": ("test", 1), "asgi": {"version": "3.0"},
    }  # fmt: skip
    messages = [
        {"type": "http.request", "body": b'{"query": ', "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    with capture_logs() as logs:
        await app(scope, receive, send)

    assert sent == []
    assert [(entry["event"], entry.get("status")) for entry in logs] == [("request", 499)]


async def test_metrics_and_the_browser_kit_can_be_closed(api: Api) -> None:
    services = api.world.services
    for name, path in (("metrics", "/metrics"), ("browser_kit", "/browser-kit/guide.html")):
        assert (await api.http.get(path)).status_code == 200
        settings = services.settings.model_copy(update={name: False})
        async with in_process(replace(services, settings=settings), api.tokens) as http:
            assert (await http.get(path)).status_code == 404
            assert (await http.get("/healthz")).status_code == 200
