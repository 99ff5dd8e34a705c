"""One caller cannot starve the others: what it may send, what a query may cost, how long it may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import structlog
from graphql import GraphQLObjectType, get_named_type, is_leaf_type, is_required_argument

from prefrontal.api.graphql import endpoint
from prefrontal.api.throttle import Throttle
from prefrontal.graph.config.settings import Settings
from tests.api.conftest import Api, Client, in_process
from tests.api.schema_inputs import SCHEMA

ME = "{ me { orgId } }"
NOTE = 'mutation { it: addObservation(input: {content: "c", idempotencyKey: "k"}) { __typename } }'


@asynccontextmanager
async def limited(api: Api, **settings: Any) -> AsyncIterator[Api]:
    """The app with other settings."""
    services = api.world.services
    changed = replace(services, settings=services.settings.model_copy(update=settings))
    async with in_process(changed, api.tokens) as http:
        yield Api(api.world, http, api.tokens)


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time pass for the limits."""
    monkeypatch.setattr(endpoint, "Throttle", partial(Throttle, clock=lambda: 0.0))


@pytest.mark.usefixtures("stopped")
async def test_who_sends_too_many_is_told_when_to_try_again_and_the_others_go_on(api: Api) -> None:
    async with limited(api, caller_requests_per_s=2, organisation_requests_per_s=3) as few:
        loud, quiet = few.client("loud"), few.client("quiet")
        with structlog.testing.capture_logs():
            answers = [await loud.post(ME) for _ in range(20)]
        assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 16
        assert answers[-1].json() == {
            "errors": [
                {
                    "message": "this caller may send 2 requests in a second; try again in 1 s",
                    "extensions": {"code": "rate_limited", "field": None, "retryAfter": 1},
                }
            ]
        }
        assert answers[-1].headers["Retry-After"] == "1"
        assert (await quiet.post(ME)).status_code == 200
        assert (await quiet.post(ME)).status_code == 200
        refused = await quiet.post(ME)
        assert "this organisation may send 3" in refused.json()["errors"][0]["message"]
        # An unauthenticated request counts for nobody.
        assert (await Client(few.http, "x").post(ME)).status_code == 401
        counted = api.world.services.metrics.problems.labels("rate_limited")._value.get()
        assert counted >= 17


async def test_so_many_at_once_and_no_more(api: Api) -> None:
    await api.client().run(ME)
    async with limited(api, caller_requests_at_once=2) as few:
        with structlog.testing.capture_logs():
            answers = await asyncio.gather(*(few.client().post(ME) for _ in range(12)))
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses[:2] == [200, 200]
        assert statuses[-1] == 429
        assert (await few.client().post(ME)).status_code == 200


async def test_a_request_that_takes_too_long_is_ended_and_the_next_one_is_served(api: Api) -> None:
    await api.client().run(ME)
    async with limited(api, max_request_s=1e-6) as hasty:
        with structlog.testing.capture_logs() as logs:
            late = [await hasty.client().post(query) for query in (ME, NOTE)]
    assert [answer.status_code for answer in late] == [504, 504]
    told = [error for answer in late for error in answer.json()["errors"]]
    assert [error["extensions"]["code"] for error in told] == ["timeout", "timeout"]
    usual = "the request took longer than 1e-06 s; request less"
    # The mutation had not begun.
    assert [error["message"] for error in told] == [usual, f"{usual}; nothing was written"]
    named = [(entry["operation"], entry["org"]) for entry in logs if entry["event"] == "timeout"]
    assert named == [("me", api.world.org), ("add_observation", api.world.org)]
    # The connection of the ended request is fit for use, and the key makes the note once.
    for _ in range(2):
        await api.client().run(NOTE)
    assert (await api.world.counts())["Observation"] == 1


async def test_a_mutation_that_has_begun_says_that_it_may_have_happened(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.client().run(ME)
    service = api.world.services.evaluation

    async def endless(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(type(service), "add", endless)
    async with limited(api, max_request_s=2) as hasty:
        with structlog.testing.capture_logs():
            answer = await hasty.client().post(NOTE)
    (error,) = answer.json()["errors"]
    assert error["message"] == (
        "the request took longer than 2 s; request less. A mutation in it may have happened: look, or "
        "repeat it with the same idempotencyKey"
    )


def everything_of(kind: GraphQLObjectType, depth: int) -> str:
    """All fields of a type that need no argument, and those of the single nodes in it."""
    found = []
    for name, field in kind.fields.items():
        inner = get_named_type(field.type)
        if any(is_required_argument(each) for each in field.args.values()):
            continue
        if is_leaf_type(inner):
            found.append(name)
        elif depth and isinstance(inner, GraphQLObjectType) and "pageInfo" not in inner.fields:
            found.append(f"{name} {{ {everything_of(inner, depth - 1)} }}")
    return " ".join(found)


@pytest.mark.parametrize("name", ["observations", "goals", "pendingActions"])
async def test_ten_full_pages_at_once_are_refused_before_anything_is_read(api: Api, name: str) -> None:
    client = api.client()
    await client.run(ME)
    assert SCHEMA.query_type
    connection = get_named_type(SCHEMA.query_type.fields[name].type)
    fields = everything_of(get_named_type(connection.fields["nodes"].type), 1)
    page = f"{name}(first: 100) {{ nodes {{ {fields} }} }}"
    # One such page is served.
    await client.run(f"{{ {page} }}")
    api.world.statements.clear()

    pages = " ".join(f"a{number}: {page}" for number in range(10))
    (error,) = await client.errors(f"{{ {pages} }}")

    assert error["extensions"]["code"] == "invalid"
    assert error["message"].startswith("the query's cost (its fields x the page sizes around them) is ")
    most = Settings().max_query_cost
    assert f"may be at most {most} (PREFRONTAL_MAX_QUERY_COST)" in error["message"]
    assert api.world.statements.names == []


@pytest.mark.parametrize(
    ("query", "cost"),
    [
        (ME, 2),
        ("{ me { ...A ...A } } fragment A on Me { orgId roles }", 5),
        # The field, the list of nodes, and the fields of three nodes.
        ("{ goals(first: 3) { nodes { id title } totalCount } }", 1 + 3 * (1 + 2 + 1)),
        ("query ($n: Int) { goals(first: $n) { nodes { id } } }", 1 + 100 * 2),
        ("{ goals { nodes { children(first: 5) { nodes { id } } } } }", 1 + 20 * (1 + (1 + 5 * 2))),
    ],
)
async def test_a_query_costs_its_fields_times_the_pages_around_them(api: Api, query: str, cost: int) -> None:
    async with limited(api, max_query_cost=cost) as enough:
        await enough.client().run(query)
    async with limited(api, max_query_cost=max(1, cost - 1)) as too_little:
        (error,) = await too_little.client().errors(query)
    assert f"is {cost} and may be at most {cost - 1} " in error["message"]
