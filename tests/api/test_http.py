"""GraphQL over HTTP itself: bodies, methods, media types, sizes, headers, other origins, log lines."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import structlog

from tests.api.conftest import Api

ME = json.dumps({"query": "{ me { organisation } }"})
UNREADABLE: dict[str, bytes] = {
    "empty": b"",
    "not json": b"me",
    "not text": b"\xff\xfe\x00",
    "a number": b"5",
    "null": b"null",
    "a text": b'"{ me { organisation } }"',
    "an empty list": b"[]",
    "a batch": f"[{ME}, {ME}]".encode(),
    "no query": b"{}",
    "query is null": b'{"query": null}',
    "query is a number": b'{"query": 5}',
    "variables are a list": b'{"query": "{ me { organisation } }", "variables": []}',
    "extensions are a number": b'{"query": "{ me { organisation } }", "extensions": 5}',
    "operation name is half a pair": b'{"query": "{ me { organisation } }", "operationName": "\\ud800"}',
    "no such operation": b'{"query": "query A { me { organisation } }", "operationName": "B"}',
    "fragments only": b'{"query": "fragment A on Me { organisation }"}',
    "nested too deep": b'{"query": "{ me { organisation } }", "variables": ' + b'{"a":' * 100_000,
    "a number of many digits": b'{"query": "{ me { organisation } }", "variables": {"a": %s}}'
    % (b"9" * 9_999),
}


def only_error(response: httpx.Response) -> dict[str, Any]:
    body = response.json()
    assert list(body) == ["errors"]
    (error,) = body["errors"]
    return error


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_body_that_is_no_operation_is_a_coded_400(api: Api, body: bytes) -> None:
    before = await api.world.counts()
    response = await api.client().send(body)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/json"
    assert only_error(response)["extensions"]["code"] == "invalid"
    assert "Traceback" not in response.text
    assert await api.world.counts() == before


@pytest.mark.parametrize("query", ["{", "{ nope }", "{ me { organisation } } #\ud800", "subscription { x }"])
async def test_a_document_that_is_no_operation_is_a_coded_error(api: Api, query: str) -> None:
    response = await api.client().post(query)
    assert response.status_code == 200
    assert only_error(response)["extensions"]["code"] == "invalid"


async def test_of_two_operations_one_has_to_be_named(api: Api) -> None:
    body = {"query": "query A { me { orgId } } query B { me { organisation } }"}
    unnamed = await api.client().send(json.dumps(body))
    assert unnamed.status_code == 200
    assert "operationName" in only_error(unnamed)["message"]
    assert only_error(unnamed)["extensions"]["code"] == "invalid"
    own = await api.client().send(json.dumps(body), Accept="application/graphql-response+json")
    assert own.status_code == 400
    named = await api.client().send(json.dumps({**body, "operationName": "B"}))
    assert named.json() == {"data": {"me": {"organisation": api.world.org}}}


@pytest.mark.parametrize("given", [None, "text/plain", "application/graphql", "multipart/form-data", "json"])
async def test_another_content_type_is_415(api: Api, given: str | None) -> None:
    client = api.client()
    headers = {"Authorization": f"Bearer {client.token}", **({"Content-Type": given} if given else {})}
    response = await api.http.post("/graphql", content=ME.encode(), headers=headers)
    assert response.status_code == 415
    assert only_error(response)["extensions"]["code"] == "invalid"


async def test_a_content_type_may_have_parameters(api: Api) -> None:
    for given in ("application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/json;"):
        response = await api.client().send(ME, **{"Content-Type": given})
        assert response.json()["data"]["me"]["organisation"] == api.world.org


async def test_another_encoding_than_utf_8_is_415(api: Api) -> None:
    given = {"Content-Type": "application/json; charset=utf-16"}
    response = await api.client().send(ME.encode("utf-16"), **given)
    assert response.status_code == 415
    assert "UTF-8" in only_error(response)["message"]


async def test_get_reads_and_never_writes(api: Api) -> None:
    client = api.client()
    await client.run("{ me { orgId } }")
    before = await api.world.counts()
    headers = {"Authorization": f"Bearer {client.token}"}
    read = await api.http.get("/graphql", params={"query": "{ me { organisation } }"}, headers=headers)
    assert read.json()["data"]["me"]["organisation"] == api.world.org
    mutation = 'mutation { addObservation(input: {content: "x"}) { __typename } }'
    write = await api.http.get("/graphql", params={"query": mutation}, headers=headers)
    assert write.status_code == 400
    assert "not allowed" in only_error(write)["message"]
    # Two operations in one document: the one that is named decides, not the first.
    both = f"query A {{ me {{ orgId }} }} mutation B {mutation.removeprefix('mutation ')}"
    sneaky = await api.http.get("/graphql", params={"query": both, "operationName": "B"}, headers=headers)
    assert sneaky.status_code == 400
    assert (await api.http.get("/graphql", headers=headers)).status_code == 400
    assert await api.world.counts() == before


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
async def test_other_methods_are_405(api: Api, method: str) -> None:
    headers = {"Authorization": f"Bearer {api.client().token}"}
    response = await api.http.request(method, "/graphql", headers=headers)
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, POST"


async def test_graphqls_own_media_type_says_by_status_whether_it_was_executed(api: Api) -> None:
    client = api.client()
    accept = {"Accept": "application/graphql-response+json, application/json;q=0.9"}
    good = await client.send(ME, **accept)
    assert good.status_code == 200
    assert good.headers["content-type"] == "application/graphql-response+json; charset=utf-8"
    unread = await client.send(json.dumps({"query": "{ nope }"}), **accept)
    assert unread.status_code == 400
    assert list(unread.json()) == ["errors"]
    failed = await client.send(json.dumps({"query": "{ goals(first: 0) { totalCount } }"}), **accept)
    assert failed.status_code == 200
    assert failed.json()["data"] is None


async def test_a_body_over_the_limit_is_413_announced_or_not(api: Api) -> None:
    client = api.client()
    await client.run("{ me { orgId } }")
    before = await api.world.counts()
    most = api.world.services.settings.max_body_bytes
    read: list[int] = []

    async def drip() -> AsyncIterator[bytes]:
        for _ in range(100):
            read.append(1)
            yield b" " * 100_000

    announced = await client.send(b" " * (most + 1))
    assert announced.status_code == 413
    chunked = await client.send(drip())
    assert "content-length" not in chunked.request.headers
    assert chunked.status_code == 413
    for response in (announced, chunked):
        assert only_error(response)["extensions"]["code"] == "too_large"
        assert response.headers["x-request-id"]
    assert len(read) <= most // 100_000 + 2, "the rest was not waited for"
    padded = ME + " " * (most - len(ME))
    assert (await client.send(padded)).status_code == 200, "exactly the limit is allowed"
    lying = await client.send(drip(), **{"Content-Length": "10"})
    assert lying.status_code == 413
    assert await api.world.counts() == before


@pytest.mark.parametrize("path", ["/graphql", "/healthz", "/readyz", "/metrics", "/no-such-page"])
async def test_every_answer_has_its_headers_and_lets_no_other_origin_in(api: Api, path: str) -> None:
    response = await api.http.get(path, headers={"Origin": "https://evil.example"})
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert len(bytes.fromhex(response.headers["x-request-id"])) == 8
    assert not [name for name in response.headers if name.startswith("access-control-")]


async def test_a_preflight_is_refused(api: Api) -> None:
    headers = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    for path in ("/graphql", "/readyz"):
        response = await api.http.options(path, headers=headers)
        assert response.status_code in (401, 405)
        assert not [name for name in response.headers if name.startswith("access-control-")]


async def test_answers_are_not_kept_by_caches_and_request_ids_differ(api: Api) -> None:
    client = api.client()
    first, second = await client.send(ME), await client.send(ME)
    assert first.headers["cache-control"] == "no-store"
    assert first.headers["x-request-id"] != second.headers["x-request-id"]


async def test_log_lines_hold_no_content_no_token_and_no_query(
    api: Api, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    client = api.client()
    add = "mutation ($i: AddObservationInput!) { addObservation(input: $i) { ... on Problem { code } } }"
    with structlog.testing.capture_logs() as lines:
        await client.run(add, i={"content": "canary content", "tags": ["canary tag"]})
        await client.run(add, i={"content": "canary content", "metadata": ["canary"]})
        await client.errors(add, i={"content": ["canary content"], "canary": 1})
        await client.errors("{ canaryField }")
        await client.errors('{ observations(after: "canary") { totalCount } }')
        await client.send(b"canary")
        await api.http.get("/canary?canary=1", headers={"Authorization": "Bearer canary"})
        await api.http.get("/graphql?query={canary}", headers={"Authorization": "Bearer canary"})
    requests = [line for line in lines if line["event"] == "request"]
    assert [line["status"] for line in requests] == [200, 200, 200, 200, 200, 400, 404, 401]
    assert {key for line in requests for key in line} == {
        "event", "log_level", "method", "route", "status", "ms",
    }  # fmt: skip
    assert {line["event"] for line in lines} == {"request"}, "nothing of ours is a defect"
    out, err = capfd.readouterr()
    for text in (json.dumps(lines), out, err, caplog.text):
        assert "canary" not in text
        assert client.token not in text
        assert "addObservation" not in text
