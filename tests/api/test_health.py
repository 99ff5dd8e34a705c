"""Whether the process lives, whether it can serve, and what its metrics say."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.storage.driver import connect
from tests.api.conftest import Api, in_process


async def test_ready_says_the_number_of_the_schema_without_a_token(api: Api) -> None:
    ready = await api.http.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {"ready": True, "schema": len(api.world.services.migrations)}
    assert (await api.http.get("/healthz")).text == "ok"


async def test_not_ready_while_nothing_listens_where_the_database_should_be(api: Api) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: nobody else gets the port meanwhile
        settings = api.world.services.settings.model_copy(update={"retry_time_s": 0.0})
        uri = f"bolt://127.0.0.1:{taken.getsockname()[1]}"
        async with (
            connect(settings, uri, "neo4j", "wrong password") as driver,
            in_process(build_services(settings, driver), api.tokens) as http,
        ):
            ready = await http.get("/readyz")
            assert (await http.get("/healthz")).status_code == 200
    assert ready.status_code == 503
    assert ready.json()["ready"] is False
    assert ready.json()["code"] == "unavailable"
    assert ready.json()["reason"]
    assert "wrong password" not in ready.text


async def test_not_ready_while_a_migration_is_pending(api: Api) -> None:
    services = api.world.services
    last = services.migrations[-1]
    later = replace(last, number=last.number + 1)
    async with in_process(replace(services, migrations=(*services.migrations, later)), api.tokens) as http:
        ready = await http.get("/readyz")
    assert ready.status_code == 503
    assert ready.json() == {
        "ready": False,
        "code": "migration",
        "reason": "the schema is not up to date; run: prefrontal migrate",
    }


@pytest.mark.parametrize("path", ["/graphql", "/no/such/page"])
async def test_metrics_name_queries_and_routes_and_nothing_a_client_wrote(api: Api, path: str) -> None:
    client = api.client()
    add = """mutation ($c: String!) { addObservation(input: {content: $c}) {
        ... on AddObservationPayload { observation { id } } ... on Problem { code } } }"""
    uid = (await client.run(add, c="canary"))["addObservation"]["observation"]["id"]
    assert (await client.run(add, c=""))["addObservation"]["code"] == "invalid"
    await client.run("query ($id: ID!) { observation(id: $id) { id } }", id=uid)
    await api.http.get(f"{path}/{uid}?canary=1")
    response = await api.http.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = response.text.splitlines()
    queries = api.world.services.database.queries
    assert (
        'prefrontal_query_seconds_count{mode="write",outcome="ok",query="scratch/create_observations"} 1.0'
        in lines
    )
    named = {line.split('query="')[1].split('"')[0] for line in lines if 'query="' in line}
    assert named <= set(queries)
    assert 'prefrontal_request_seconds_count{route="/graphql",status="200"} 3.0' in lines
    assert 'prefrontal_request_seconds_count{route="other",status="404"} 1.0' in lines
    assert 'prefrontal_problems_total{code="invalid"} 1.0' in lines
    for text in ("canary", uid, api.world.org, api.world.org_id, client.token):
        assert text not in response.text
