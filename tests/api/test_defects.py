"""Our own mistakes and a database that is away: what a client sees, what the log holds, how it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import structlog

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from tests.api.conftest import Api, Client, in_process
from tests.support.proxy import Proxy, serving

ADD = """mutation { addObservation(input: {content: "x"}) {
    __typename ... on Problem { code message field } } }"""
FIND = "{ observations { nodes { id } } me { orgId } }"
LINKED = "{ observations { nodes { id linkedToGoal } } }"


async def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("secret of the house")


def lines_of(lines: list[Any], event: str) -> list[Any]:
    return [line for line in lines if line["event"] == event]


@pytest.mark.parametrize("query", [ADD, FIND, '{ node(id: "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD") { id } }'])
async def test_a_defect_is_masked_and_logged_with_its_traceback(api: Api, query: str) -> None:
    scratch = SimpleNamespace(add=broken, find=broken, get=broken, linked_goals=broken)
    grouped = SimpleNamespace(service=scratch)
    services = replace(api.world.services, scratch=grouped, evaluation=SimpleNamespace(add=broken))
    async with in_process(services, api.tokens) as http:
        with structlog.testing.capture_logs() as lines:
            response = await Client(http, api.client().token).post(query)
    assert response.status_code == 200
    (error,) = response.json()["errors"]
    assert error["message"] == "internal error"
    assert error["extensions"] == {"code": "internal"}
    assert "secret" not in response.text
    assert "RuntimeError" not in response.text
    (line,) = lines_of(lines, "defect")
    assert str(line["exc_info"]) == "secret of the house"
    assert line["exc_info"].__traceback__ is not None


async def test_a_defect_of_one_field_leaves_the_process_and_the_next_request_alone(api: Api) -> None:
    client = api.client()
    await client.run(ADD)
    real = api.world.services.scratch.service
    scratch = SimpleNamespace(
        add=real.add, find=real.find, get=real.get, count=real.count, linked_goals=broken
    )
    grouped = SimpleNamespace(service=scratch)
    async with in_process(replace(api.world.services, scratch=grouped), api.tokens) as http:
        errors = await Client(http, client.token).errors(LINKED)
        assert {error["message"] for error in errors} == {"internal error"}
        assert (await Client(http, client.token).run(FIND))["observations"]["nodes"]


async def test_a_defect_outside_graphql_is_a_500_without_a_word_of_it(api: Api) -> None:
    def text() -> bytes:
        raise RuntimeError("secret of the house")

    metrics = api.world.services.metrics
    doctored = SimpleNamespace(text=text, requests=metrics.requests, problems=metrics.problems)
    async with in_process(replace(api.world.services, metrics=doctored), api.tokens) as http:
        with structlog.testing.capture_logs() as lines:
            response = await http.get("/metrics")
    assert response.status_code == 500
    assert response.json()["errors"][0] == {
        "message": "internal error",
        "extensions": {"code": "internal", "field": None},
    }
    assert response.headers["x-content-type-options"] == "nosniff"
    assert lines_of(lines, "defect")[0]["exc_info"]
    assert lines_of(lines, "request")[0]["status"] == 500


@asynccontextmanager
async def behind_a_proxy(api: Api, neo4j: Endpoint) -> AsyncIterator[tuple[Proxy, Services]]:
    address = urlsplit(neo4j.uri)
    settings = api.world.services.settings.model_copy(update={"retry_time_s": 0.0})
    async with serving(Proxy(address.hostname or "", address.port or 0)) as proxy:
        uri = f"bolt://{proxy.address}"
        async with connect(settings, uri, neo4j.user, neo4j.password) as driver:
            yield proxy, build_services(settings, driver, clock=api.world.clock)


@pytest.mark.covers("OBS-64")
async def test_while_the_database_is_away_it_is_unavailable_and_afterwards_all_is_well(
    api: Api, neo4j: Endpoint
) -> None:
    token = api.client().token
    async with behind_a_proxy(api, neo4j) as (proxy, services), in_process(services, api.tokens) as http:
        client = Client(http, token)
        assert (await client.run(ADD))["addObservation"]["__typename"] == "AddObservationPayload"
        before = await api.world.counts()
        proxy.go_away()
        problem = (await client.run(ADD))["addObservation"]
        assert (problem["__typename"], problem["code"]) == ("Problem", "unavailable")
        (error, *_) = await client.errors(FIND)
        assert error["extensions"]["code"] == "unavailable"
        not_ready = await http.get("/readyz")
        assert (not_ready.status_code, not_ready.json()["code"]) == (503, "unavailable")
        assert (await http.get("/healthz")).text == "ok"
        assert await api.world.counts() == before
        proxy.come_back()
        # One request in a quarter of a second tries whether it is back; the others are refused at once.
        for _ in range(200):
            if (await client.run(ADD))["addObservation"]["__typename"] == "AddObservationPayload":
                break
            await asyncio.sleep(0.05)
        assert (await http.get("/readyz")).status_code == 200
        assert (await api.world.counts())["Observation"] == 2


async def test_a_closed_driver_is_unavailable_not_a_defect(api: Api, neo4j: Endpoint) -> None:
    settings = api.world.services.settings
    driver = connect(settings, neo4j.uri, neo4j.user, neo4j.password)
    services = build_services(settings, driver, clock=api.world.clock)
    await services.close()
    async with in_process(services, api.tokens) as http:
        client = Client(http, api.client().token)
        problem = (await client.run(ADD))["addObservation"]
        assert problem["code"] == "unavailable"
        assert "bolt" not in json.dumps(problem)
        ready = await http.get("/readyz")
        assert (ready.status_code, ready.json()["code"]) == (503, "unavailable")
