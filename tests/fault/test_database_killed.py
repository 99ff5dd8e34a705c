"""`kill -9` of Neo4j in the middle of a stream of writes, while the API lives."""

from __future__ import annotations

import asyncio
import time

import httpx

from prefrontal.graph.config.settings import Settings
from tests.fault.conftest import Site, client_of
from tests.fault.test_api_killed import WRITERS, nothing_lost_and_each_once, stream_on
from tests.fault.test_server_lost import kill
from tests.support.server_process import ApiProcess


async def until_ready(http: httpx.AsyncClient) -> None:
    """Wait until the API says that it can serve again: it has to find out by itself."""
    deadline = time.monotonic() + 60
    while (ready := await http.get("/readyz")).status_code != httpx.codes.OK:
        assert time.monotonic() < deadline, f"it did not come back: {ready.text}"
        await asyncio.sleep(0.1)


async def test_nothing_acknowledged_is_lost_when_the_database_is_killed(
    site: Site, settings: Settings, api: ApiProcess
) -> None:
    pid = api.process.pid
    stream = await stream_on(site.world)

    async with client_of(api, settings, site.world) as http:
        writing = asyncio.create_task(stream.run([http] * WRITERS, lambda: False))
        while len(stream.acknowledged) < 40:  # in the middle of the stream, not at its beginning
            await asyncio.sleep(0.005)
            assert not writing.done(), stream.failures
        await kill(site)
        await writing
        # Every client was told, in GraphQL; none was left without an answer, and none got a defect.
        assert {type(error).__name__ for error in stream.failures.values()} == {"Refused"}
        # A kill between a commit and the reading of its answer is `answer_lost`: the change is there.
        assert {error.code for error in stream.refused.values()} <= {"unavailable", "answer_lost"}
        assert len(stream.refused) == len(stream.unsure) == WRITERS

        await asyncio.to_thread(site.server.start)
        await until_ready(http)

    assert (api.process.pid, api.process.poll()) == (pid, None)
    assert await stream.untruths(site.world) == []
    await nothing_lost_and_each_once(stream, api, settings, site.world)
    assert '"defect"' not in api.log_text()
