"""Events over HTTP: a query, a stream of server-sent events, and a subscription over a socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from prefrontal.api.app import create_app
from prefrontal.api.cli.worker import Server
from prefrontal.api.server import server_config
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api, schema_of
from tests.support.events import event_of, messages, relayed, relaying
from tests.support.world import World

SUBSCRIBE = (
    "subscription ($after: Seq, $types: [Operation!]) { events(after: $after, types: $types) { seq type } }"
)


@dataclass
class Site:
    """A real server on a real socket."""

    api: Api
    server: Server
    task: asyncio.Task[None]
    http: httpx.AsyncClient

    @property
    def world(self) -> World:
        return self.api.world

    @property
    def base(self) -> str:
        return str(self.http.base_url).rstrip("/")

    def token(self, agent: str = "bot", **more: Any) -> str:
        minutes = more.pop("minutes", 60)
        return self.api.tokens.issue(self.world.principal(agent, **more), timedelta(minutes=minutes))[0]

    def headers(self, agent: str = "bot", **more: Any) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(agent, **more)}"}

    async def until_open(self, number: int) -> None:
        """Wait until the server has so many streams."""
        async with asyncio.timeout(30):
            while self.world.services.outbox.streams.number != number:  # noqa: ASYNC110 - another loop's turn
                await asyncio.sleep(0.001)

    @contextlib.asynccontextmanager
    async def following(
        self, path: str = "/events", agent: str = "bot", headers: dict[str, str] | None = None
    ) -> AsyncIterator[AsyncIterator[dict[str, str]]]:
        """The messages of a stream that has begun."""
        sent = headers or self.headers(agent)
        async with self.http.stream("GET", path, headers=sent) as response:
            assert (response.status_code, response.headers["content-type"]) == (
                200,
                "text/event-stream; charset=utf-8",
            )
            found = messages(response)
            assert await anext(found) == {"retry": "1000", "comment": "begun"}
            yield found

    @contextlib.asynccontextmanager
    async def socket(
        self, payload: Any = None, headers: dict[str, str] | None = None, over: socket.socket | None = None
    ) -> AsyncIterator[ClientConnection]:
        """A socket whose client has sent its first message, over a new connection or a given one."""
        url = self.base.replace("http", "ws", 1) + "/graphql"
        protocol = Subprotocol("graphql-transport-ws")
        async with connect(url, subprotocols=[protocol], additional_headers=headers, sock=over) as socket:
            await socket.send(json.dumps({"type": "connection_init", "payload": payload or {}}))
            yield socket

    @contextlib.asynccontextmanager
    async def subscribed(self, agent: str = "bot", **variables: Any) -> AsyncIterator[ClientConnection]:
        async with self.socket({"authorization": f"Bearer {self.token(agent)}"}) as socket:
            assert await received(socket) == {"type": "connection_ack"}
            number = self.world.services.outbox.streams.number
            await send(socket, SUBSCRIBE, **variables)
            await self.until_open(number + 1)
            yield socket


async def send(socket: ClientConnection, query: str, **variables: Any) -> None:
    payload = {"query": query, "variables": variables}
    await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))


async def received(socket: ClientConnection) -> Any:
    async with asyncio.timeout(30):
        return json.loads(await socket.recv())


async def noted(world: World, *contents: str, agent: str = "bot") -> None:
    caller = await world.caller(agent)
    for content in contents:
        await world.services.scratch.service.add(caller, [ObservationDraft(content=content)])


@contextlib.asynccontextmanager
async def serving(api: Api, head_timeout_s: float = 30) -> AsyncIterator[Site]:
    services = api.world.services
    table = services.catalog.outbox.model_copy(update={"silent_seconds": 0.05})
    services.outbox.streams._table = table
    services.outbox.streams._most = 3
    app = create_app(services, tokens=api.tokens, schema=schema_of(services.settings))
    config = server_config(app, "127.0.0.1", 0, head_timeout_s)
    # The lifespan would close the driver that all tests share.
    config.lifespan = "off"
    server = Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
        assert not task.done()
    port = server.servers[0].sockets[0].getsockname()[1]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        yield Site(api, server, task, http)
        server.should_exit = True
        await task


@pytest.fixture
async def site(api: Api) -> AsyncIterator[Site]:
    async with serving(api) as site:
        yield site


async def next_event(found: AsyncIterator[dict[str, str]]) -> dict[str, str]:
    """The next message that is no comment."""
    async for message in found:
        if "data" in message:
            return message
    raise AssertionError("the stream has ended")


@pytest.mark.alone
async def test_the_query_has_the_attributes_of_a_cloud_event(api: Api) -> None:
    await noted(api.world, "one", "two")
    await relayed(api.world)

    data = await api.client().run(
        "{ events(after: 1) { id source type subject subjectVersion time seq space by turn data } }"
    )

    caller = await api.world.caller()
    (event,) = data["events"]
    assert event == {
        "id": event["id"],
        "source": f"/organisations/{api.world.org}",
        "type": "observation.added",
        "subject": event["data"]["observation_id"],
        "subjectVersion": 1,
        "time": event["time"],
        "seq": 2,
        "space": caller.home,
        "by": caller.actor_id,
        "turn": None,
        "data": {"observation_id": event["subject"], "status": "active"},
    }
    assert event["id"].startswith("evt_")


@pytest.mark.parametrize("after", ["-1", "1.5", '"1"', "9007199254740992", "true"])
async def test_what_is_no_place_is_refused(api: Api, after: str) -> None:
    (error,) = await api.client().errors(f"{{ events(after: {after}) {{ seq }} }}")

    assert error["extensions"]["code"] == "invalid"


@pytest.mark.alone
async def test_a_stream_brings_cloud_events_and_goes_on_behind_the_last_one(site: Site) -> None:
    world = site.world
    async with relaying(world.services, world.clock):
        async with site.following() as found:
            await noted(world, "one")
            await noted(world, "not yours", agent="another")
            await noted(world, "two")
            first = [await next_event(found) for _ in range(2)]
        # The client is away.
        await noted(world, "three")
        last = {"Last-Event-ID": first[-1]["id"]}
        async with site.following(headers=site.headers() | last) as found:
            await noted(world, "four")
            again = [await next_event(found) for _ in range(2)]

    every = [*first, *again]
    assert [int(message["id"]) for message in every] == [1, 3, 4, 5]
    assert {message["event"] for message in every} == {"observation.added"}
    events = [JSONFormat().read(CloudEvent, message["data"]) for message in every]
    assert [event.get_extension("seq") for event in events] == [1, 3, 4, 5]
    assert len({event.get_id() for event in events}) == 4
    assert {event.get_source() for event in events} == {f"/organisations/{world.org}"}
    assert event_of(every[0])["specversion"] == "1.0"
    assert event_of(every[0])["data"]["status"] == "active"


async def test_a_client_that_goes_leaves_no_stream(site: Site) -> None:
    streams = site.world.services.outbox.streams
    async with site.following(), site.following():
        assert streams.number == 2
    async with site.subscribed():
        pass

    await site.until_open(0)


ACKNOWLEDGE = """mutation ($input: AcknowledgeEventsInput!) { it: acknowledgeEvents(input: $input) {
  problem { code field } ... on AcknowledgeEventsPayload {
    consumer { name acknowledged acknowledgedAt last lag } } } }"""


@pytest.mark.alone
async def test_a_consumer_goes_on_where_it_acknowledged_by_every_way(site: Site) -> None:
    client = site.api.client()
    await noted(site.world, "one", "two", "three", "four")
    await relayed(site.world)

    async with site.following("/events?consumer=mailer") as found:
        first = [int((await next_event(found))["id"]) for _ in range(3)]
    # The process died before it acknowledged the third.
    done = (await client.run(ACKNOWLEDGE, input={"consumer": "mailer", "seq": 2}))["it"]
    async with site.following("/events?consumer=mailer") as found:
        again = [int((await next_event(found))["id"]) for _ in range(2)]
    async with site.socket(headers=site.headers()) as socket:
        await received(socket)
        await send(socket, 'subscription { events(consumer: "mailer") { seq } }')
        pushed = [(await received(socket))["payload"]["data"]["events"]["seq"] for _ in range(2)]
    listed = await client.run('{ events(consumer: "mailer") { seq } eventConsumers { name lag } }')

    assert (first, again, pushed) == ([1, 2, 3], [3, 4], [3, 4])
    assert done == {
        "problem": None,
        "consumer": {
            "name": "mailer",
            "acknowledged": 2,
            "acknowledgedAt": site.world.clock.now().isoformat(),
            "last": 4,
            "lag": 2,
        },
    }
    assert listed == {
        "events": [{"seq": 3}, {"seq": 4}],
        "eventConsumers": [{"name": "mailer", "lag": 2}],
    }


@pytest.mark.alone
async def test_a_browser_that_connects_again_goes_on_behind_its_last_event(site: Site) -> None:
    """It has events that it has not acknowledged yet."""
    await noted(site.world, "one", "two", "three")
    await relayed(site.world)

    headers = site.headers() | {"Last-Event-ID": "2"}
    async with site.following("/events?consumer=mailer", headers=headers) as found:
        message = await next_event(found)

    assert message["id"] == "3"


@pytest.mark.alone
async def test_kinds_and_a_place_can_be_in_the_address(site: Site) -> None:
    await noted(site.world, "one", "two")
    await site.api.client().run(
        'mutation { createGoal(input: {title: "Ship"}) { ... on CreateGoalPayload { goal { id } } } }'
    )
    await relayed(site.world)

    async with site.following("/events?after=1&types=goal.created,goal.shared") as found:
        message = await next_event(found)

    assert (message["id"], message["event"]) == ("3", "goal.created")


@pytest.mark.parametrize(
    ("path", "headers", "status", "code"),
    [
        ("/events", {}, 401, "unauthenticated"),
        ("/events?token=TOKEN", {}, 401, "unauthenticated"),
        ("/events?access_token=TOKEN", {}, 401, "unauthenticated"),
        ("/events?types=goal.invented", {"Authorization": "Bearer TOKEN"}, 400, "invalid"),
        ("/events?after=-1", {"Authorization": "Bearer TOKEN"}, 400, "invalid"),
        ("/events?consumer=%20", {"Authorization": "Bearer TOKEN"}, 400, "invalid"),
        ("/events?after=9007199254740992", {"Authorization": "Bearer TOKEN"}, 400, "invalid"),
        ("/events", {"Authorization": "Bearer TOKEN", "Last-Event-ID": "x"}, 400, "invalid"),
        ("/events?after=" + "9" * 5000, {"Authorization": "Bearer TOKEN"}, 400, "invalid"),
    ],
)
async def test_what_is_wrong_is_told_before_the_stream_begins(
    site: Site, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    token = site.token()
    sent = {name: value.replace("TOKEN", token) for name, value in headers.items()}

    response = await site.http.get(path.replace("TOKEN", token), headers=sent)

    assert response.status_code == status
    assert response.json()["errors"][0]["extensions"]["code"] == code
    assert site.world.services.outbox.streams.number == 0


async def test_a_stream_ends_with_its_token(site: Site) -> None:
    async with site.following(headers=site.headers(minutes=5)) as found:
        alive = await anext(found)
        site.world.clock.advance(minutes=6)
        message = await next_event(found)
        rest = [each async for each in found]

    assert alive == {"comment": "alive"}
    assert message["event"] == "end"
    assert json.loads(message["data"])["code"] == "unauthenticated"
    assert rest == []


async def test_too_many_streams_are_refused(site: Site) -> None:
    async with site.following(), site.following(), site.following():
        response = await site.http.get("/events", headers=site.headers())
        async with site.following(agent="another"):
            pass

    assert (response.status_code, response.headers["retry-after"]) == (429, "1")


async def test_a_server_that_stops_ends_its_streams_and_says_so(site: Site) -> None:
    async with site.following() as found, site.subscribed() as socket:
        site.server.should_exit = True
        message = await next_event(found)
        await site.task
        told = []
        with contextlib.suppress(ConnectionClosed):
            while True:
                told.append(await received(socket))

    assert json.loads(message["data"])["code"] == "unavailable"
    assert site.world.services.outbox.streams.number == 0


@pytest.mark.alone
@pytest.mark.nightly("test_outbox_events streams events while others write")
async def test_a_slow_client_delays_no_commit_and_misses_nothing(site: Site) -> None:
    """Nothing is kept for it: it is read from the graph when the client takes it."""
    world = site.world
    async with relaying(world.services, world.clock), site.following() as found:
        await noted(world, *(f"note {number}" for number in range(120)))
        # All of it is committed before the client takes the first.
        places = [int((await next_event(found))["id"]) for _ in range(120)]

    assert places == list(range(1, 121))


@pytest.mark.alone
async def test_a_subscription_brings_each_event_once_and_goes_on_from_a_place(site: Site) -> None:
    world = site.world
    async with relaying(world.services, world.clock):
        async with site.subscribed() as socket:
            await noted(world, "one")
            await noted(world, "not yours", agent="another")
            await noted(world, "two")
            first = [await received(socket) for _ in range(2)]
        await noted(world, "three")
        async with site.subscribed(after=3, types=["OBSERVATION_ADDED"]) as socket:
            again = await received(socket)

    shown = [message["payload"]["data"]["events"] for message in (*first, again)]
    assert shown == [{"seq": seq, "type": "observation.added"} for seq in (1, 3, 4)]


@pytest.mark.alone
@pytest.mark.parametrize("asked_before", [False, True])
async def test_a_subscription_outlives_the_time_for_a_head(api: Api, asked_before: bool) -> None:
    world = api.world
    async with serving(api, head_timeout_s=0.5) as site, relaying(world.services, world.clock):
        host, port = "127.0.0.1", urlsplit(site.base).port
        connection = await asyncio.to_thread(socket.create_connection, (host, port))
        if asked_before:
            await asyncio.to_thread(answered, connection)
        async with site.socket(headers=site.headers(), over=connection) as subscriber:
            await received(subscriber)
            await send(subscriber, SUBSCRIBE)
            await site.until_open(1)
            # This connection began later: when its time is over, so is the time of the subscriber's.
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: te")
            assert await reader.read() == b""
            writer.close()
            await noted(world, "one")
            told = await received(subscriber)

    assert told["payload"]["data"]["events"] == {"seq": 1, "type": "observation.added"}


def answered(connection: socket.socket) -> None:
    """Send a request over a connection and read the answer; the connection stays open."""
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
    said = b""
    while not said.endswith(b"\r\n\r\nok"):
        more = connection.recv(1000)
        assert more
        said += more


@pytest.mark.alone
async def test_who_asks_for_the_last_event_reads_and_then_subscribes_misses_nothing(site: Site) -> None:
    client = site.api.client()
    before = await client.run("{ lastEvent }")
    await noted(site.world, "one", "two")
    await relayed(site.world)
    place = (await client.run("{ lastEvent }"))["lastEvent"]
    await noted(site.world, "three")
    await relayed(site.world)

    async with site.socket(headers=site.headers()) as socket:
        await received(socket)
        await send(socket, f"subscription {{ events(after: {place}) {{ seq }} }}")
        first = (await received(socket))["payload"]["data"]["events"]["seq"]

    assert (before, place, first) == ({"lastEvent": 0}, 2, 3)


async def test_a_subscription_ends_with_its_token(site: Site) -> None:
    async with site.socket({"Authorization": f"Bearer {site.token(minutes=5)}"}) as socket:
        await received(socket)
        await send(socket, SUBSCRIBE)
        await site.until_open(1)
        site.world.clock.advance(minutes=6)
        told = [await received(socket), await received(socket)]

    assert told[0]["payload"]["errors"][0]["extensions"]["code"] == "unauthenticated"
    assert told[1]["type"] == "complete"


@pytest.mark.parametrize("payload", [None, {"Authorization": "Bearer no"}, {"authorization": 3}])
async def test_a_socket_without_a_valid_token_is_closed(site: Site, payload: Any) -> None:
    async with site.socket(payload) as socket:
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403


async def test_the_header_of_the_handshake_is_a_token_too(site: Site) -> None:
    async with site.socket(headers=site.headers()) as socket:
        assert await received(socket) == {"type": "connection_ack"}


@pytest.mark.parametrize(
    "query", ["{ me { organisation } }", 'mutation { createGoal(input: {title: "x"}) { ok } }']
)
async def test_a_socket_is_for_subscriptions_alone(site: Site, query: str) -> None:
    before = await site.world.counts()
    async with site.socket(headers=site.headers()) as socket:
        await received(socket)
        await send(socket, query)
        with contextlib.suppress(ConnectionClosed):
            told = await received(socket)
            assert told["type"] == "error", told

    after = await site.world.counts()
    assert after.get("Goal", 0) == before.get("Goal", 0) == 0


async def test_too_many_subscriptions_are_refused(site: Site) -> None:
    async with site.following(), site.following(), site.following(), site.socket(headers=site.headers()) as s:
        await received(s)
        await send(s, SUBSCRIBE)
        told = await received(s)

    assert (told.get("payload"), told["type"]) != (None, "complete")
    assert "rate_limited" in json.dumps(told)
