"""The database cannot write: its disk is full, or its store is read-only.

"Full" is made with a limit on the size of the server's files (RLIMIT_FSIZE), which needs no rights: writes
fail in the same place, Neo4j answers with the same codes and stops its database in the same way as on a
small tmpfs without space, which was compared once by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs

from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.embedded import server as server_module
from prefrontal.graph.embedded.config import neo4j_conf
from prefrontal.graph.embedded.keeper import Keeper
from tests.fault.conftest import Site, client_of, process_on
from tests.fault.test_database_killed import until_ready
from tests.support.database import endpoint_of
from tests.support.integrity import halves
from tests.support.server_process import ApiProcess
from tests.support.stream import Call, Refused

LIST = "{ observations(first: 100) { partial nodes { content } } }"


def call(number: int) -> Call:
    drafts = [{"content": f"note {number} " + "x" * 2000, "tags": ["disk"]}]
    return Call("addObservations", {"idempotencyKey": f"k{number}", "observations": drafts})


async def refusal(http: httpx.AsyncClient, number: int) -> Refused:
    with pytest.raises(Refused) as caught:
        await call(number).send(http)
    return caught.value


async def listed(http: httpx.AsyncClient) -> list[str]:
    while True:
        said = (await http.post("/graphql", json={"query": LIST})).json()
        if "errors" in said:
            return [error["extensions"]["code"] for error in said["errors"]]
        page = said["data"]["observations"]
        # A server that was just started may be too slow for the deadline of a page, which is partial then.
        if not page["partial"]:
            return sorted(" ".join(node["content"].split()[:2]) for node in page["nodes"])


@contextmanager
def full_disk(site: Site) -> Iterator[None]:
    """Little more fits into the newest transaction log."""
    logs = (site.server.config.home / "data" / "transactions" / "neo4j").glob("neostore.transaction.db.*")
    size = max(logs, key=lambda path: int(path.suffix[1:])).stat().st_size
    pid, (_, most) = site.server.pid, resource.prlimit(site.server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size + 15_000, most))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.nightly("a server that fails under an API and comes back: test_database_killed")
async def test_a_full_disk_is_unavailable_and_nothing_is_half_written(
    site: Site, settings: Settings, api: ApiProcess
) -> None:
    await site.world.caller()
    async with client_of(api, settings, site.world) as http:
        with full_disk(site):
            for number in range(100):
                try:
                    await call(number).send(http)
                except Refused as error:
                    first = error
                    break
            acknowledged = number
            second, reading = await refusal(http, 101), await listed(http)
        # There is space again, but Neo4j has stopped the database.
        third = await refusal(http, 102)
        ready = await http.get("/readyz")
        # A mere request to stop would let it write the rest of what did not fit, and tear its log.
        await asyncio.to_thread(site.server.stop)
        await asyncio.to_thread(site.server.start)
        await until_ready(http)
        numbers = [*range(acknowledged + 1), 101, 102]
        before = await listed(http)
        for again in numbers:
            await call(again).send(http)
        after = await listed(http)

    assert acknowledged > 0
    assert {error.code for error in (first, second, third)} == {"unavailable"}
    # Whether a commit that failed was written is known after the restart only; of the others it is certain.
    assert "may or may not have been written" in first.message
    assert "same idempotencyKey" in first.message
    for error in (second, third):
        assert "this attempt wrote nothing" in error.message
    for error in (first, second, third):
        assert "disk may be full" in error.message
    assert reading == ["unavailable"]
    assert (ready.status_code, ready.json()["code"]) == (503, "unavailable")
    assert {f"note {n}" for n in range(acknowledged)} <= set(before)
    assert set(before) <= {f"note {n}" for n in range(acknowledged + 1)}
    assert after == sorted(f"note {n}" for n in numbers)
    assert (await site.world.counts())["Observation"] == len(numbers)
    assert await halves(site.world) == []


@pytest.mark.nightly("a server that ends is started again: tests/embedded/test_keeper.py")
async def test_a_server_whose_disk_was_full_heals_by_itself(
    site: Site, settings: Settings, api: ApiProcess
) -> None:
    await site.world.caller()
    begun, space, looked, warmed = site.server.pid, [0], threading.Event(), threading.Event()

    def free(_: Path) -> int:
        looked.set()
        return space[0]

    async with client_of(api, settings, site.world) as http:
        keeper = Keeper(site.server, ask_s=0.1, free=free)
        keeper.on_start = warmed.set
        with capture_logs() as logs, keeper:
            with full_disk(site):
                for number in range(100):
                    try:
                        await call(number).send(http)
                    except Refused:
                        break
                assert await asyncio.to_thread(looked.wait, 60)
                assert site.server.pid == begun
            # Nobody does anything but make space.
            space[0] = 1 << 30
            assert await asyncio.to_thread(warmed.wait, 120)
        await until_ready(http)
        await call(number).send(http)
        after = await listed(http)

    assert site.server.pid != begun
    events = [entry["event"] for entry in logs if entry["event"].startswith("neo4j_")]
    assert events == ["neo4j_waits_for_space", "neo4j_ended", "neo4j_started_again"]
    assert after == sorted(f"note {n}" for n in range(number + 1))
    assert await halves(site.world) == []


def newer_schema(folder: Path) -> str:
    """The query files with one migration more."""
    queries = shutil.copytree(ROOT / "cypher", folder / "cypher")
    number = len(list((queries / "schema").iterdir())) + 1
    index = "CREATE INDEX later IF NOT EXISTS FOR (n:Later) ON (n.uid);\n"
    (queries / "schema" / f"{number:04d}_later.cypher").write_text(index)
    return str(queries)


@pytest.mark.nightly("a server that fails under an API and comes back: test_database_killed")
async def test_a_read_only_store_is_read_and_writes_are_unavailable(
    site: Site, settings: Settings, api: ApiProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await site.world.caller()
    async with client_of(api, settings, site.world) as http:
        await call(1).send(http)
        before = await site.world.counts()
        await asyncio.to_thread(site.server.stop)
        with monkeypatch.context() as patch:
            patch.setattr(
                server_module,
                "neo4j_conf",
                lambda *args: neo4j_conf(*args) + "server.databases.default_to_read_only=true\n",
            )
            await asyncio.to_thread(site.server.start)
        await until_ready(http)
        refused, reading = await refusal(http, 2), await listed(http)
        during = await site.world.counts()
        # A process that starts now serves reads as well, unless it would have to change the schema.
        endpoint = endpoint_of(site.server)
        late = process_on(endpoint, tmp_path / "late")
        newer = process_on(endpoint, tmp_path / "newer", PREFRONTAL_CYPHER_DIR=newer_schema(tmp_path))
        try:
            newer.spawn()
            await asyncio.to_thread(late.start)
            async with client_of(late, settings, site.world) as other:
                late_refused, late_reading = await refusal(other, 2), await listed(other)
            newer_status = await asyncio.to_thread(newer.process.wait, 60)
        finally:
            await asyncio.to_thread(late.stop)
            await asyncio.to_thread(newer.stop)
        late_during = await site.world.counts()
        await asyncio.to_thread(site.server.stop)
        await asyncio.to_thread(site.server.start)
        await until_ready(http)
        await call(2).send(http)
        after = await listed(http)

    assert refused.code == "unavailable"
    assert "this attempt wrote nothing" in refused.message
    assert "read-only" in refused.message
    assert reading == late_reading == ["note 1"]
    assert during == late_during == before
    assert (late_refused.code, late_refused.message) == (refused.code, refused.message)
    assert newer_status == 1
    assert "the schema cannot be brought up to date" in newer.log_text()
    assert "read-only" in newer.log_text()
    assert after == ["note 1", "note 2"]
    assert await halves(site.world) == []
