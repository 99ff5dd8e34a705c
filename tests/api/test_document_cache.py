"""An operation that passed its checks is not checked again; what depends on the request is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import strawberry
import structlog
from strawberry.extensions import SchemaExtension
from strawberry.schema import schema as framework

from prefrontal.api.graphql.document_cache import QuickSchema
from tests.api.conftest import Api, Client, in_process

NODE = "query Node($id: ID!) { node(id: $id) { id ... on Observation { content } } }"
ADD = """mutation Add($text: String!) { addObservation(input: {content: $text}) {
    ... on AddObservationPayload { observation { id content } } ... on Problem { code field } } }"""
BOTH = "query One { me { orgId } } query Two { me { roles } }"


@pytest.fixture
def read_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed."""
    texts: list[str] = []
    parse = framework.parse

    def watched(query: str, **options: Any) -> Any:
        texts.append(query)
        return parse(query, **options)

    monkeypatch.setattr(framework, "parse", watched)
    return texts


async def added(client: Client, text: str) -> dict[str, Any]:
    return (await client.run(ADD, text=text))["addObservation"]


async def test_a_known_operation_is_not_read_again_and_answers_what_it_is_asked(
    api: Api, read_texts: list[str]
) -> None:
    client = api.client()
    found = [(await added(client, text))["observation"] for text in ("one", "two", "three")]
    assert [each["content"] for each in found] == ["one", "two", "three"]
    for each in found:
        assert (await client.run(NODE, id=each["id"]))["node"] == each
    assert (await client.run(NODE, id="none"))["node"] is None
    assert read_texts == [ADD, NODE]


async def test_who_asks_is_looked_at_each_time(api: Api) -> None:
    writer, reader, other = api.client(), api.client(roles=("reader",)), api.client("scout")
    mine = (await added(writer, "mine"))["observation"]
    assert (await writer.run(NODE, id=mine["id"]))["node"] == mine
    assert (await other.run(NODE, id=mine["id"]))["node"] is None
    before = await api.world.counts()
    assert await added(reader, "not mine") == {"code": "forbidden", "field": None}
    assert await api.world.counts() == before
    assert (await api.http.post("/graphql", json={"query": NODE})).status_code == 401


async def test_a_known_mutation_is_refused_to_get(api: Api) -> None:
    client = api.client()
    write = 'mutation { addObservation(input: {content: "x"}) { __typename } }'
    await client.run(write)
    before = await api.world.counts()
    headers = {"Authorization": f"Bearer {client.token}"}
    assert (await api.http.get("/graphql", params={"query": write}, headers=headers)).status_code == 400
    assert await api.world.counts() == before


async def test_variables_are_checked_each_time(api: Api) -> None:
    client = api.client()
    await added(client, "x")
    for _ in range(2):
        (error,) = await client.errors(ADD, text=5)
        assert error["message"].startswith("Variable '$text' has invalid value")
        assert error["extensions"]["code"] == "invalid"
    (error,) = await client.errors(ADD)
    assert error["extensions"]["code"] == "invalid"


async def test_what_did_not_pass_is_checked_again(api: Api, read_texts: list[str]) -> None:
    client = api.client()
    wrong = "{ me { nothing } }"
    first, second = [await client.errors(wrong) for _ in range(2)]
    assert first == second
    assert read_texts == [wrong, wrong]


async def test_each_operation_of_a_document_is_known_by_its_name(api: Api) -> None:
    client = api.client()

    async def named(name: Any) -> dict[str, Any]:
        return (
            await client.http.post(
                "/graphql",
                json={"query": BOTH, "operationName": name},
                headers={"Authorization": f"Bearer {client.token}"},
            )
        ).json()

    for _ in range(2):
        assert set((await named("One"))["data"]["me"]) == {"orgId"}
        assert set((await named("Two"))["data"]["me"]) == {"roles"}
        assert "operationName" in (await named(None))["errors"][0]["message"]
        assert "errors" in await named("Three")


@pytest.mark.parametrize("name", [["One"], {"One": 1}, 1, True])
async def test_a_name_that_is_no_text_is_no_defect_of_ours(api: Api, name: Any) -> None:
    client = api.client()
    headers = {"Authorization": f"Bearer {client.token}"}
    body = {"query": "query One { me { orgId } }", "operationName": name}
    with structlog.testing.capture_logs() as lines:
        for _ in range(2):
            response = await client.http.post("/graphql", json=body, headers=headers)
    assert response.status_code in (200, 400)
    assert "errors" in response.json()
    assert [line for line in lines if line["event"] == "defect"] == []


async def test_defects_of_a_known_operation_are_hidden_too(api: Api) -> None:
    async def broken(*_: Any) -> Any:
        raise RuntimeError("secret of the house")

    services = replace(api.world.services, scratch=SimpleNamespace(service=SimpleNamespace(get=broken)))
    async with in_process(services, api.tokens) as http:
        client = Client(http, api.client().token)
        await client.run(NODE, id="none")
        with structlog.testing.capture_logs() as lines:
            (error,) = await client.errors(NODE, id="obs_01JBXM3Z8K0QF3W4T9V2C7H5RD")
    assert error["message"] == "internal error"
    assert error["extensions"] == {"code": "internal"}
    (line,) = [line for line in lines if line["event"] == "defect"]
    assert str(line["exc_info"]) == "secret of the house"


async def test_a_known_token_is_refused_once_it_has_expired(api: Api) -> None:
    token, _ = api.tokens.issue(api.world.principal("bot"), timedelta(seconds=10))
    client = Client(api.http, token)
    for _ in range(2):
        assert (await client.post("{ __typename }")).status_code == 200
    api.world.clock.advance(seconds=10)
    for _ in range(2):
        response = await client.post("{ __typename }")
        assert response.status_code == 401
        assert "expired" in response.json()["errors"][0]["message"]


class Counting(SchemaExtension):
    def on_execute(self) -> Iterator[None]:
        yield


def test_an_extension_that_would_be_left_out_is_refused() -> None:
    @strawberry.type
    class Query:
        one: int = 1

    with pytest.raises(TypeError, match=r"Counting\.on_execute would not run"):
        QuickSchema(query=Query, extensions=[Counting])
