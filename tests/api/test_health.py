"""Whether the process lives, whether it can serve, and what its metrics say."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.storage.driver import connect
from tests.api.conftest import Api, in_process


@pytest.mark.alone
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


async def test_not_ready_with_a_schema_of_a_newer_version(api: Api) -> None:
    services = api.world.services
    known = len(services.migrations)
    async with in_process(replace(services, migrations=services.migrations[:-1]), api.tokens) as http:
        ready = await http.get("/readyz")
    assert ready.status_code == 503
    assert ready.json() == {
        "ready": False,
        "code": "migration",
        "reason": f"the database has schema {known:04d}, this code knows {known - 1:04d}: "
        "it was used by a newer version; update this one",
    }


@pytest.mark.alone
async def test_ready_says_when_events_wait_for_their_places(api: Api) -> None:
    await api.world.services.jobs.run_once(api.world.services.jobs.named["relay_events"])
    client = api.client()
    await client.run('mutation { addObservation(input: {content: "x"}) { ok } }')
    limit = api.world.services.catalog.outbox.stalled_seconds
    api.world.clock.advance(seconds=limit - 1)
    assert "relay" not in (await api.http.get("/readyz")).json()

    api.world.clock.advance(seconds=1)
    stalled = await api.http.get("/readyz")
    await api.world.services.jobs.run_once(api.world.services.jobs.named["relay_events"])

    # It serves, as any other process would.
    assert stalled.status_code == 200
    assert stalled.json()["ready"] is True
    assert stalled.json()["relay"] == (
        "events have waited for 60 seconds to be delivered: look for `job_failed` in the logs, and that a "
        "process runs with PREFRONTAL_JOBS=true"
    )
    assert "relay" not in (await api.http.get("/readyz")).json()


async def test_operations_are_counted_by_their_root_field_and_outcome(api: Api) -> None:
    client = api.client()
    add = "mutation ($c: String!) { canary: addObservation(input: {content: $c}) { ok } }"
    await client.run(add, c="x")
    await client.run(add, c="")
    await client.run("query canary { __typename }")
    await client.run("{ one: observations { totalCount } other: goals { totalCount } }")
    await client.run("{ one: goals { totalCount } other: goals { totalCount } }")
    await client.errors("{ canary }")
    counts = [
        line
        for line in (await api.http.get("/metrics")).text.splitlines()
        if line.startswith("prefrontal_operation_seconds_count")
    ]
    assert counts == [
        f'prefrontal_operation_seconds_count{{kind="{kind}",operation="{name}",outcome="{outcome}"}} 1.0'
        for name, kind, outcome in (
            ("add_observation", "mutation", "ok"),
            ("add_observation", "mutation", "refused"),
            ("other", "query", "ok"),
            ("several", "query", "ok"),
            ("goals", "query", "ok"),
            ("other", "query", "failed"),
        )
    ]
