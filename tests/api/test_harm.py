"""Requests that are made to do harm, against production mode: the list of graphql-cop, and some of ours.

Each name is a check of that tool; what each gives is explained in docs/graphql.md.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from graphql import build_schema, get_named_type, is_object_type

from prefrontal.api.graphql.schema import build_schema as api_schema
from prefrontal.graph.config.settings import Settings
from tests.api.conftest import Api, Client, in_process

ME = "{ me { organisation } }"
WRITE = 'mutation { addObservation(input: {content: "x"}) { __typename } }'
SUGGESTION = "Did you mean"


@pytest.fixture
async def production(api: Api) -> AsyncIterator[Client]:
    services = api.world.services
    services = replace(services, settings=services.settings.model_copy(update={"production": True}))
    async with in_process(services, api.tokens) as http:
        yield Client(http, api.client().token)


def refusal(response: httpx.Response) -> str:
    """The message of a refusal that ran nothing at all."""
    body = response.json()
    assert list(body) == ["errors"]
    assert {error["extensions"]["code"] for error in body["errors"]} == {"invalid"}
    return body["errors"][0]["message"]


async def test_alias_overloading(api: Api, production: Client) -> None:
    api.world.statements.clear()
    many = await production.post("{ " + " ".join(f"a{n}: me {{ orgId }}" for n in range(101)) + " }")
    assert "aliases may be at most 20" in refusal(many)
    assert api.world.statements.names == []


async def test_array_based_query_batching(production: Client) -> None:
    response = await production.send(json.dumps([{"query": ME}] * 10))
    assert response.status_code == 400
    assert refusal(response) == "Batching is not enabled"


async def test_directive_overloading(api: Api, production: Client) -> None:
    # Unknown directives are named once each; what is said is bounded, however many there are.
    api.world.statements.clear()
    response = await production.post("query { __typename " + "@aa" * 500 + " }")
    assert refusal(response)
    assert len(response.content) < 20_000
    more = await production.post("query { __typename " + "@aa" * 5_000 + " }")
    assert "2000 tokens" in refusal(more)
    known = await production.post("{ me { orgId " + "@skip(if: false)" * 200 + " } }")
    assert refusal(known)
    assert api.world.statements.names == []


async def test_field_duplication(api: Api, production: Client) -> None:
    # The same field many times is one field: it is looked up once and sent once.
    response = await production.post("{ me { " + "organisation " * 500 + "} }")
    assert response.json() == {"data": {"me": {"organisation": api.world.org}}}
    more = await production.post("{ me { " + "organisation " * 5_000 + "} }")
    assert "2000 tokens" in refusal(more)


async def test_introspection(production: Client) -> None:
    assert "introspection" in refusal(await production.post("{ __schema { types { name } } }"))
    assert "introspection" in refusal(await production.post('{ __type(name: "Goal") { name } }'))


async def test_circular_introspection(api: Api, production: Client) -> None:
    circle = "{ __schema { types { " + "fields { type { " * 20 + "name" + " } }" * 20 + " } } }"
    assert refusal(await production.post(circle))
    # Where introspection is allowed it does not go round in circles either.
    assert "introspection depth" in refusal(await api.client().post(circle))


@pytest.mark.parametrize(
    "query",
    [
        "{ goalz { totalCount } }",
        "{ goals { totalCont } }",
        "{ goals(frist: 1) { totalCount } }",
        '{ node(id: "x") { ... on Gaol { id } } }',
        "query ($a: Goall) { me { orgId } }",
        'mutation { addObservation(input: {contnt: "x"}) { __typename } }',
        'mutation { revokeAccess(input: {space: "s", actor: {kind: AGENTT, key: "k"}}) { __typename } }',
    ],
)
async def test_field_suggestions(api: Api, production: Client, query: str) -> None:
    helped = await api.client().post(query)
    assert SUGGESTION in helped.text, "in development it helps"
    response = await production.post(query)
    assert refusal(response)
    assert SUGGESTION not in response.text


async def test_field_suggestions_in_variables(production: Client) -> None:
    query = "mutation ($i: AddObservationInput!) { addObservation(input: $i) { __typename } }"
    response = await production.post(query, i={"contnt": "x"})
    assert refusal(response)
    assert SUGGESTION not in response.text


@pytest.mark.parametrize("path", ["/graphiql", "/graphql", "/playground", "/console", "/"])
async def test_graphiql_is_not_there(production: Client, path: str) -> None:
    headers = {"Accept": "text/html", "Authorization": f"Bearer {production.token}"}
    response = await production.http.get(path, headers=headers)
    assert response.status_code in (400, 404)
    assert "graphiql" not in response.text.lower()


async def test_get_method_query_support_is_reading_alone(api: Api, production: Client) -> None:
    headers = {"Authorization": f"Bearer {production.token}"}
    read = await production.http.get("/graphql", params={"query": ME}, headers=headers)
    assert read.status_code == 200
    before = await api.world.counts()
    write = await production.http.get("/graphql", params={"query": WRITE}, headers=headers)
    assert write.status_code == 400
    assert await api.world.counts() == before


FORMS: dict[str, tuple[str, str]] = {
    "urlencoded": ("application/x-www-form-urlencoded", urlencode({"query": WRITE})),
    "plain": ("text/plain", json.dumps({"query": WRITE})),
    "multipart": (
        "multipart/form-data; boundary=b",
        '--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n'
        + json.dumps({"query": WRITE})
        + "\r\n--b--\r\n",
    ),
    "two types": ("text/plain, application/json", json.dumps({"query": WRITE})),
}


@pytest.mark.parametrize(("given", "body"), FORMS.values(), ids=FORMS)
async def test_post_of_a_form_of_another_page(api: Api, production: Client, given: str, body: str) -> None:
    await production.run(ME)
    before = await api.world.counts()
    response = await production.send(body, **{"Content-Type": given})
    assert response.status_code == 415
    assert await api.world.counts() == before


async def test_another_page_sends_no_token_along(production: Client) -> None:
    # Identity is a header that only a script with the token sets; a cookie counts for nothing.
    response = await production.http.post(
        "/graphql",
        json={"query": WRITE},
        headers={"Cookie": f"token={production.token}; Authorization=Bearer {production.token}"},
    )
    assert response.status_code == 401
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    "step",
    [
        "children(first: 100) { nodes { %s } }",
        "evidence(first: 100) { nodes { goals(first: 100) { nodes { %s } } } }",
        "space { goals(first: 100) { nodes { %s } } }",
    ],
)
async def test_circular_queries_are_limited(production: Client, step: str) -> None:
    def around(times: int) -> str:
        text = "id"
        for _ in range(times):
            text = step % text
        return f'{{ node(id: "none") {{ ... on Goal {{ {text} }} }} }}'

    assert (await production.post(around(1))).json() == {"data": {"node": None}}
    # An answer would multiply at each step.
    assert "nodes may be at most 50000" in refusal(await production.post(around(3)))


def test_every_page_has_a_size_that_the_limit_counts() -> None:
    schema = build_schema(api_schema(Settings()).as_str())
    pages = {
        f"{name}.{field}": "first" in shown.args
        for name, kind in schema.type_map.items()
        if is_object_type(kind)
        for field, shown in kind.fields.items()
        if get_named_type(shown.type).name.endswith("Connection")
    }
    assert {"Query.goals", "Goal.children", "Space.observations"} <= pages.keys()
    assert [name for name, sized in pages.items() if not sized] == []


async def test_trace_mode(production: Client) -> None:
    for headers in ({}, {"X-Apollo-Tracing": "1", "X-Debug": "1"}):
        body: dict[str, Any] = (await production.send(json.dumps({"query": ME}), **headers)).json()
        assert list(body) == ["data"]


async def test_unhandled_errors_tell_nothing(production: Client) -> None:
    response = await production.send(json.dumps({"query": "query { aaaaaaaaa", "variables": {"a": None}}))
    assert refusal(response)
    for word in ("Traceback", "strawberry", "graphql-core", 'File "', "neo4j"):
        assert word not in response.text
