"""Who is refused at the door, with what answer, and that nothing is written for them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest

from tests.api.conftest import SECRET, Api, Client

ME = """{ me { organisation roles permissions homeSpace { id }
    actor { id kind key } agent { id } person { id } device { id } } }"""
ADD = """mutation { addObservation(input: {content: "x"}) {
    __typename ... on Problem { code message field } } }"""


def encoded(api: Api, **changes: Any) -> str:
    now = api.world.clock.now()
    claims = {
        "org": api.world.org,
        "agent": "bot",
        "roles": ["writer"],
        "iss": "prefrontal",
        "aud": "prefrontal",
        "iat": now,
        "exp": now + timedelta(hours=1),
        **changes,
    }
    return jwt.encode({k: v for k, v in claims.items() if v is not None}, SECRET, algorithm="HS256")


async def post(api: Api, headers: dict[str, str], query: str = ADD) -> httpx.Response:
    return await api.http.post("/graphql", json={"query": query}, headers=headers)


@pytest.mark.covers("SEC-12")
@pytest.mark.parametrize(
    "scheme", ["", "Bearer ", "Basic ", "Bearer x.y.z ", "Bearer " + "a" * 9_000], ids=range(5)
)
async def test_without_a_valid_token_there_is_a_401_in_json_and_nothing_is_written(
    api: Api, scheme: str
) -> None:
    before = await api.world.counts()
    api.world.statements.clear()
    response = await post(api, {"Authorization": scheme} if scheme else {})
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.headers["content-type"] == "application/json"
    (error,) = response.json()["errors"]
    assert error["extensions"]["code"] == "unauthenticated"
    assert api.world.statements.names == [], "the database was not asked"
    assert await api.world.counts() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": 1},
        {"exp": None},
        {"iss": "somebody else"},
        {"aud": "somebody else"},
        {"org": 7},
        {"agent": ["bot"]},
        {"roles": "writer"},
    ],
    ids="-".join,
)
async def test_a_token_with_wrong_claims_is_a_401(api: Api, changes: dict[str, Any]) -> None:
    before = await api.world.counts()
    response = await post(api, {"Authorization": f"Bearer {encoded(api, **changes)}"})
    assert response.status_code == 401
    assert response.json()["errors"][0]["extensions"]["code"] == "unauthenticated"
    assert "somebody else" not in response.text
    assert await api.world.counts() == before


@pytest.mark.parametrize(
    "changes",
    [{"org": "no-such-organisation"}, {"roles": ["writer", "emperor"]}, {"agent": None}],
    ids=["organisation", "role", "no actor"],
)
async def test_what_only_the_graph_knows_is_unauthenticated_at_the_first_use(
    api: Api, changes: dict[str, Any]
) -> None:
    client = Client(api.http, encoded(api, **changes))
    before = await api.world.counts()
    problem = (await client.run(ADD))["addObservation"]
    assert (problem["__typename"], problem["code"]) == ("Problem", "unauthenticated")
    (error,) = await client.errors(ME)
    assert error["extensions"]["code"] == "unauthenticated"
    assert await api.world.counts() == before
    assert await api.world.rows("MATCH (o:Organisation {key: 'no-such-organisation'}) RETURN o") == []


async def test_a_good_token_says_who_asks_and_its_actors_appear_once(api: Api) -> None:
    client = api.client("bot", person="ada", roles=("writer", "reader"))
    first = (await client.run(ME))["me"]
    counted = await api.world.counts()
    assert first["organisation"] == api.world.org
    assert first["actor"] == {"id": first["agent"]["id"], "kind": "AGENT", "key": "bot"}
    assert first["agent"]["id"].startswith("agt_")
    assert first["person"]["id"].startswith("per_")
    assert first["device"] is None
    assert first["roles"] == ["reader", "writer"]
    assert first["permissions"] == ["read", "write"]
    assert (await client.run(ME))["me"] == first
    assert await api.world.counts() == counted


async def test_identity_comes_from_the_token_never_from_an_argument(api: Api) -> None:
    forged = Client(api.http, encoded(api, agent_id="agt_1", home="spc_1", org_id="org_1", permissions=["a"]))
    assert (await forged.run(ME))["me"] == (await api.client().run(ME))["me"]
