"""Who wrote through one process reads it through another: bookmarks in headers and extensions.

The server is a single one, reached as a cluster is (`neo4j://`). No cluster was run: that a server waits
until it has come as far as a bookmark is shown with one of a transaction that does not exist yet.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from prefrontal.api.bookmarks import HEADER, Bookmarks
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import BEHIND, connect
from tests.api.conftest import SECRET, Api, Client, in_process
from tests.support.bookmarks import later
from tests.support.thinned import first_by_day
from tests.support.world import with_long_queries

ADD = 'mutation { addObservation(input: {content: "x"}) { ok problem { code message field } } }'
COUNT = "{ observations { totalCount } }"


class Process:
    """The app of a process of its own: with its own driver, on the address of a cluster."""

    def __init__(self, services: Services, client: Client) -> None:
        self.services = services
        self.client = client

    async def ask(self, query: str, bookmark: str | None = None, **more: Any) -> httpx.Response:
        headers = {} if bookmark is None else {HEADER: bookmark}
        return await self.client.send(json.dumps({"query": query, **more}), **headers)


@pytest.fixture
async def two(api: Api, neo4j: Endpoint) -> AsyncIterator[tuple[Process, Process]]:
    ours = api.world.services.settings
    settings = ours.model_copy(
        update={"jwt_secret": SecretStr(SECRET), "retry_time_s": 0.0, "query_timeout_s": 1.0}
    )
    uri = neo4j.uri.replace("bolt://", "neo4j://")
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(2):
            driver = await stack.enter_async_context(connect(settings, uri, neo4j.user, neo4j.password))
            services = with_long_queries(build_services(settings, driver, clock=api.world.clock))
            http = await stack.enter_async_context(in_process(services, api.tokens))
            made.append(Process(services, Client(http, api.client().token)))
        yield made[0], made[1]


def inside(api: Api, text: str) -> list[str]:
    settings = api.world.services.settings.model_copy(update={"jwt_secret": SecretStr(SECRET)})
    return sorted(Bookmarks(settings).of_header(text, api.world.org))


def outside(api: Api, *raw: str) -> str:
    settings = api.world.services.settings.model_copy(update={"jwt_secret": SecretStr(SECRET)})
    return Bookmarks(settings).text_of(raw, api.world.org)


async def test_a_write_gives_a_bookmark_and_a_read_gives_back_what_it_got(
    api: Api, two: tuple[Process, Process]
) -> None:
    one, other = two
    wrote = await one.ask(ADD)
    bookmark = wrote.headers[HEADER]
    (raw,) = inside(api, bookmark)
    assert raw.startswith("FB:")
    assert "extensions" not in wrote.json()

    read = await other.ask(COUNT, bookmark)
    assert read.json() == {"data": {"observations": {"totalCount": 1}}}
    assert inside(api, read.headers[HEADER]) == [raw]

    # The bookmark of a commit comes after those that it waited for.
    again = await other.ask(ADD, bookmark)
    assert inside(api, again.headers[HEADER]) != [raw]
    # Who neither wrote nor gave one has nothing to wait for.
    assert HEADER not in (await other.ask(COUNT)).headers
    # What was refused has committed nothing.
    refused = await one.ask('mutation { addObservation(input: {content: ""}) { ok } }')
    assert refused.json() == {"data": {"addObservation": {"ok": False}}}
    assert HEADER not in refused.headers


async def test_the_extension_says_the_same_to_those_who_ask_for_it(
    api: Api, two: tuple[Process, Process]
) -> None:
    one, other = two
    wrote = (await one.ask(ADD, extensions={"bookmark": None})).json()
    bookmark = wrote["extensions"]["bookmark"]
    read = await other.ask(COUNT, extensions={"bookmark": bookmark})
    assert read.json()["data"] == {"observations": {"totalCount": 1}}
    assert inside(api, read.json()["extensions"]["bookmark"]) == inside(api, bookmark)
    both = await other.ask(COUNT, bookmark, extensions={"bookmark": [(await one.ask(ADD)).headers[HEADER]]})
    assert len(inside(api, both.headers[HEADER])) == 2
    nothing = await other.ask(COUNT, extensions={"bookmark": None})
    assert nothing.json()["extensions"] == {"bookmark": None}


@pytest.mark.parametrize("query", first_by_day([ADD, COUNT], "a write that waits"), ids=["write", "read"])
async def test_who_gives_a_bookmark_waits_until_the_database_has_come_so_far(
    api: Api, two: tuple[Process, Process], query: str
) -> None:
    one, other = two
    for each in two:
        each.services.database.timeout_s = 60.0
    (raw,) = inside(api, (await one.ask(ADD)).headers[HEADER])
    waiting = asyncio.create_task(other.ask(query, outside(api, later(raw, 1))))
    # It waits at its first transaction, whatever others do.
    for _ in range(3):
        await one.ask(COUNT)
    assert not waiting.done()

    await one.ask(ADD)

    answer = (await waiting).json()["data"]
    assert answer == (
        {"observations": {"totalCount": 2}}
        if query is COUNT
        else {"addObservation": {"ok": True, "problem": None}}
    )


@pytest.mark.nightly("a bookmark that is given back is tried with each change")
@pytest.mark.parametrize("query", first_by_day([ADD, COUNT], "a write that waits"), ids=["write", "read"])
async def test_who_waits_in_vain_is_told_to_try_again_and_nobody_else_is_kept_out(
    api: Api, two: tuple[Process, Process], query: str
) -> None:
    one, other = two
    for each in two:
        each.services.database.timeout_s = 1.0
    (raw,) = inside(api, (await one.ask(ADD)).headers[HEADER])

    late = (await other.ask(query, outside(api, later(raw, 1_000_000)))).json()

    told = (
        late["errors"][0]["extensions"]["code"]
        if query is COUNT
        else late["data"]["addObservation"]["problem"]["code"]
    )
    assert told == "unavailable"
    assert "has not yet come as far as the `bookmark`" in json.dumps(late)
    assert BEHIND.count("try again") == 1
    # It is no outage, and nothing was written.
    assert not other.services.database.breaker.is_open
    assert (await other.ask(COUNT)).json() == {"data": {"observations": {"totalCount": 1}}}


async def test_a_bookmark_of_another_database_waits_for_nothing(
    api: Api, two: tuple[Process, Process]
) -> None:
    strange = outside(api, "FB:kcwQAAAAAAAAAAAAAAAAAAAAAMlAAJA=")
    assert (await two[0].ask(COUNT, strange)).json() == {"data": {"observations": {"totalCount": 0}}}


async def test_a_bookmark_that_the_database_cannot_read_is_refused_with_its_field(
    api: Api, two: tuple[Process, Process]
) -> None:
    strange = outside(api, "FB:xx")
    for query in (COUNT, ADD):
        answer = (await two[0].ask(query, strange)).json()
        problem = (
            {"message": answer["errors"][0]["message"], **answer["errors"][0]["extensions"]}
            if query is COUNT
            else answer["data"]["addObservation"]["problem"]
        )
        assert (problem["code"], problem["field"]) == ("invalid", "bookmark")
        assert problem["message"] == "the database cannot read this bookmark: leave it out"


async def test_a_bad_bookmark_is_refused_before_anything_is_done(
    api: Api, two: tuple[Process, Process]
) -> None:
    one, _ = two
    for given in ({"bookmark": "hello"}, {"extensions": {"bookmark": 7}}):
        refused = await one.ask(ADD, **given)  # type: ignore[arg-type]
        assert refused.status_code == 400
        (error,) = refused.json()["errors"]
        assert error["extensions"] == {"code": "invalid", "field": "bookmark"}
    assert (await one.ask(COUNT)).json() == {"data": {"observations": {"totalCount": 0}}}
