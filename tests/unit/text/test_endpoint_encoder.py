"""The encoder behind an endpoint: a real one on this machine, what is sent to it, and what it may answer."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pydantic import SecretStr

from prefrontal.graph.errors import EncoderUnavailable, SettingsError
from prefrontal.graph.text.encoder import HashEncoder
from prefrontal.graph.text.encoders import encoder_of
from prefrontal.graph.text.endpoint_encoder import MOST_CHARACTERS, MOST_TEXTS, EndpointEncoder

KEY = "k-123"


class Endpoint(ThreadingHTTPServer):
    """Answers with the vectors of the hash encoder, the last text first, three times as long."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.answer: bytes | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Answering(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers["Authorization"])
        assert self.path == "/v1/embeddings"
        vectors = asyncio.run(HashEncoder().passages(body["input"]))
        found = [
            {"index": place, "embedding": [3 * part for part in vector]}
            for place, vector in enumerate(vectors)
        ]
        answer = self.server.answer or json.dumps({"data": found[::-1]}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests free of it."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running(Endpoint()) as found:
        yield found


@contextmanager
def running(server: Endpoint) -> Iterator[Endpoint]:
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def encoder(endpoint: Endpoint) -> EndpointEncoder:
    found = encoder_of(f"{endpoint.address}#small", Path(), 1, SecretStr(KEY))
    assert isinstance(found, EndpointEncoder)
    return found


async def test_each_text_gets_its_vector_of_unit_length(endpoint: Endpoint) -> None:
    asking = encoder(endpoint)
    texts = ["The cellar key is brass", "🚀", "Der Schlüssel hängt hinter der Tür", ""]

    first, rocket, second, nothing = await asking.passages(texts)

    assert (rocket, nothing) == (None, None)
    one, two = await HashEncoder().passages([texts[0], texts[2]])
    assert first == pytest.approx(one)
    assert second == pytest.approx(two)
    assert math.hypot(*(first or ())) == pytest.approx(1)
    assert endpoint.asked == [{"model": "small", "input": [texts[0], texts[2]]}]
    assert endpoint.keys == [f"Bearer {KEY}"]
    assert (asking.name, asking.dimensions) == (f"127.0.0.1:{endpoint.server_port}/small", len(one))
    assert await asking.questions(texts[:1]) == [first]


async def test_many_texts_are_sent_in_parts_each_once_and_cut_off(endpoint: Endpoint) -> None:
    texts = [f"note {number}" for number in range(MOST_TEXTS + 1)]
    found = await encoder(endpoint).passages([*texts, texts[0], "long " * MOST_CHARACTERS])

    assert [len(each["input"]) for each in endpoint.asked] == [MOST_TEXTS, 2]
    assert found[0] == found[len(texts)]
    assert len(endpoint.asked[1]["input"][1]) == MOST_CHARACTERS


async def test_nothing_known_is_not_sent(endpoint: Endpoint) -> None:
    assert await encoder(endpoint).questions(["🚀", ""]) == [None, None]
    assert endpoint.asked == []


@pytest.mark.parametrize("status", [401, 404, 429, 500])
async def test_a_refusal_is_said_without_what_was_sent(endpoint: Endpoint, status: int) -> None:
    endpoint.status, endpoint.answer = status, b"you sent: secret text, k-123"

    with pytest.raises(EncoderUnavailable, match=f"answers {status}") as caught:
        await encoder(endpoint).load()

    assert "secret" not in caught.value.message
    assert KEY not in caught.value.message


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 1, "embedding": [1.0]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": ["a"]}]}',
        b'{"data": [{"index": null, "embedding": [1.0]}]}',
    ],
)
async def test_what_is_no_vector_is_no_answer(endpoint: Endpoint, answer: bytes) -> None:
    endpoint.answer = answer

    with pytest.raises(EncoderUnavailable, match="no vectors"):
        await encoder(endpoint).questions(["Where is the key?"])


async def test_an_endpoint_that_is_not_there_can_be_had_later() -> None:
    endpoint = Endpoint()
    asking = encoder(endpoint)
    endpoint.server_close()
    with pytest.raises(EncoderUnavailable, match="does not answer"):
        await asking.load()


def test_one_encoder_serves_several_event_loops(endpoint: Endpoint) -> None:
    asking = encoder(endpoint)
    found = [asyncio.run(asking.questions(["key"])) for _ in range(2)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "address", ["https://host/v1", "https://host/v1#", "https://#model", "https://me:secret@host/v1#model"]
)
def test_an_address_without_a_model_or_with_a_user_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="a model behind a #") as caught:
        encoder_of(address, Path(), 1)
    assert "secret" not in caught.value.message
