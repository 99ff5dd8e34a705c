"""Traces: what a real collector receives over OTLP, and that there is nothing without one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from tests.api.conftest import Api, Client, in_process
from tests.support.collector import Collector, attributes_of, collecting
from tests.support.world import with_long_queries

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
ADD = "mutation canary ($c: String!) { canary: addObservation(input: {content: $c}) { ok } }"


@pytest.fixture
async def traced(api: Api, neo4j: Endpoint) -> AsyncIterator[tuple[Collector, Services, Client]]:
    async with AsyncExitStack() as stack:
        collector = stack.enter_context(collecting())
        settings = api.world.services.settings.model_copy(update={"otlp_endpoint": f"{collector.url}/"})
        driver = await stack.enter_async_context(connect(settings, neo4j.uri, neo4j.user, neo4j.password))
        services = with_long_queries(build_services(settings, driver, clock=api.world.clock))
        http = await stack.enter_async_context(in_process(services, api.tokens))
        yield collector, services, Client(http, api.client().token)


async def flush_traces(services: Services) -> None:
    assert services.traces is not None
    await asyncio.to_thread(services.traces.close)


async def test_an_operation_is_a_span_below_its_clients_and_its_statements_are_below_it(
    traced: tuple[Collector, Services, Client],
) -> None:
    collector, services, client = traced
    body = json.dumps({"query": ADD, "variables": {"c": "a canary in the text"}})
    assert (await client.send(body, traceparent=TRACEPARENT)).json()["data"]["canary"]["ok"]
    await flush_traces(services)

    assert set(collector.paths) == {"/v1/traces"}
    assert collector.resource["service.name"] == "prefrontal"
    operation, *statements = collector.spans
    assert operation.name == "mutation add_observation"
    assert operation.kind == Span.SPAN_KIND_SERVER
    assert operation.trace_id.hex() == TRACE
    assert operation.parent_span_id.hex() == PARENT
    assert attributes_of(operation) == {"graphql.operation.type": "mutation", "prefrontal.outcome": "ok"}
    names = [span.name for span in statements]
    assert names[0] == "access/find_caller"
    # In one transaction, in this order.
    assert names.index("scratch/create_observations") < names.index("journal/append_entries")
    assert set(names) <= set(services.database.queries)
    for span in statements:
        assert span.parent_span_id == operation.span_id
        assert span.trace_id == operation.trace_id
        assert span.kind == Span.SPAN_KIND_CLIENT
        assert operation.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
        assert span.end_time_unix_nano <= operation.end_time_unix_nano
        assert attributes_of(span) == {
            "db.system.name": "neo4j",
            "db.query.summary": span.name,
            "prefrontal.mode": services.database.queries[span.name].mode.value,
        }
    # Nothing that a client or an organisation chose is in what was sent.
    for secret in (b"canary", client.token.encode(), client.token.split(".")[1].encode()):
        assert all(secret not in body for body in collector.bodies)


async def test_what_is_refused_and_what_fails_say_so(traced: tuple[Collector, Services, Client]) -> None:
    collector, services, client = traced
    await client.run(ADD, c="")
    await client.errors("{ canary }")
    await client.send("canary")
    await flush_traces(services)

    told = [
        (span.name, attributes_of(span).get("prefrontal.outcome"), span.status.code, span.parent_span_id)
        for span in collector.spans
        if span.kind == Span.SPAN_KIND_SERVER
    ]
    assert told == [
        ("mutation add_observation", "refused", Status.STATUS_CODE_UNSET, b""),
        ("query other", "failed", Status.STATUS_CODE_ERROR, b""),
        ("graphql", None, Status.STATUS_CODE_UNSET, b""),
    ]
    assert all(b"canary" not in body for body in collector.bodies)


@pytest.mark.alone
async def test_a_run_of_a_job_is_a_span_with_its_statements(
    traced: tuple[Collector, Services, Client],
) -> None:
    collector, services, client = traced
    await client.run(ADD, c="x")
    await services.jobs.run_once(services.jobs.named["relay_events"])
    # A look that belongs to no operation and to no job has no span.
    await services.outbox.positions.look()
    await services.outbox.relay.backlog()
    await flush_traces(services)

    spans = collector.spans
    (job,) = [span for span in spans if span.kind == Span.SPAN_KIND_INTERNAL]
    assert job.name == "job relay_events"
    said = attributes_of(job)
    assert said["prefrontal.outcome"] == "ok"
    assert said["prefrontal.done"] >= 1
    below = [span.name for span in spans if span.parent_span_id == job.span_id]
    assert below[0] == "storage/acquire_lease"
    assert below[-1] == "storage/release_lease"
    assert "outbox/stamp_events" in below
    assert not [span for span in spans if span.name == "outbox/measure_backlog"]


def test_without_a_collector_nothing_of_opentelemetry_is_imported() -> None:
    code = """
import asyncio, sys
from prefrontal.api.app import create_app
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.driver import connect

async def main():
    settings = load_settings()
    async with connect(settings, "bolt://127.0.0.1:1", "neo4j", None) as driver:
        services = build_services(settings, driver)
        create_app(services)
        print(services.traces, sorted(name for name in sys.modules if name.startswith("opentelemetry")))

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "None []", done.stderr


def test_without_the_packages_the_setting_is_refused_with_what_to_install() -> None:
    code = """
import sys
sys.modules["opentelemetry"] = None
from prefrontal.graph.bootstrap.traces import Traces
from prefrontal.graph.errors import SettingsError
try:
    Traces("http://127.0.0.1:4318")
except SettingsError as error:
    print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == (
        "OTEL_EXPORTER_OTLP_ENDPOINT needs the packages of traces: pip install 'prefrontal[traces]', "
        "or unset it\n"
    ), done.stderr
