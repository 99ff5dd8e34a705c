"""The app behind a real uvicorn on a real socket: what only a socket can show."""

from __future__ import annotations

import asyncio
import json

import httpx

from prefrontal.graph.bootstrap.services import Services
from tests.api.conftest import Api

ME = json.dumps({"query": "{ me { organisation } }"}).encode()


async def talk(address: str, sent: bytes) -> bytes:
    """What the server says to these bytes until it closes the connection."""
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    await writer.drain()
    said = await reader.read()
    writer.close()
    await writer.wait_closed()
    return said


async def test_a_request_over_a_socket_and_the_end_of_the_process(
    api: Api, served: tuple[str, Services]
) -> None:
    address, _ = served
    headers = {"Authorization": f"Bearer {api.client().token}", "Content-Type": "application/json"}
    async with httpx.AsyncClient(base_url=f"http://{address}") as http:
        response = await http.post("/graphql", content=ME, headers=headers)
    assert response.json() == {"data": {"me": {"organisation": api.world.org}}}
    assert "server" not in response.headers


async def test_a_body_in_chunks_over_the_limit_is_413_before_it_ends(
    api: Api, served: tuple[str, Services]
) -> None:
    address, services = served
    head = (
        f"POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.client().token}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    chunk = b"186a0\r\n" + b" " * 100_000 + b"\r\n"
    enough = services.settings.max_body_bytes // 100_000 + 1
    said = await talk(address, head.encode() + chunk * enough)  # the last chunk is never sent
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"too_large"' in said


async def test_a_client_that_goes_away_leaves_the_server_well(api: Api, served: tuple[str, Services]) -> None:
    address, _ = served
    host, _, port = address.partition(":")
    for sent in (
        b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
        b"nonsense\r\n\r\n",
    ):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(sent)
        await writer.drain()
        writer.transport.abort()
    async with httpx.AsyncClient(base_url=f"http://{address}") as http:
        assert (await http.get("/healthz")).text == "ok"


async def test_a_web_socket_is_let_in_at_one_address_alone(api: Api, served: tuple[str, Services]) -> None:
    address, _ = served

    def upgrade(path: str) -> bytes:
        return (
            # `close`: the connection would be kept for the next request, and `talk` waits for its end.
            f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Authorization: Bearer {api.client().token}\r\n\r\n"
        ).encode()

    paths = ("/events", "/healthz", "/", "/nowhere")
    said = [(await talk(address, upgrade(path))).partition(b"\r\n")[0] for path in paths]

    # `tests/api/test_events.py` has what a socket at `/graphql` may say.
    assert said == [b"HTTP/1.1 403 Forbidden"] * len(paths)
