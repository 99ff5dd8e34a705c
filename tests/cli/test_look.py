"""`prefrontal look`: a copy of one organisation, with all that it has and nothing of another."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import neo4j
import pytest

from prefrontal.api.cli.look import copy_of
from prefrontal.api.demo.load import tell_story
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.errors import NotFound
from prefrontal.graph.storage.driver import connect
from tests.cli.conftest import Cli
from tests.support.database import embedded
from tests.support.world import World

WHOLE = """CYPHER 25 MATCH (n) WHERE $org IS NULL OR n.org_id = $org
RETURN collect({
    uid: n.uid, properties: properties(n),
    labels: COLLECT { UNWIND labels(n) AS label RETURN label ORDER BY label }
  }) AS nodes,
  COLLECT {
    MATCH (a)-[r]->(b) WHERE $org IS NULL OR a.org_id = $org
    RETURN {source: a.uid, type: type(r), target: b.uid, properties: properties(r)}
  } AS edges"""
VECTORS = ("embedding_a", "embedding_b", "task_embedding", "digest")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scratch(settings: Settings) -> Iterator[EmbeddedNeo4j]:
    with embedded(settings) as server:
        yield server


def comparable(things: list[dict[str, Any]]) -> Counter[str]:
    """Nodes or edges as texts that can be compared, without vectors."""
    return Counter(
        repr(
            sorted(
                (each | {"properties": sorted(
                    (name, value) for name, value in each["properties"].items() if name not in VECTORS
                )}).items()
            )
        )
        for each in things
    )  # fmt: skip


def inside(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.mark.nightly("it is the file of an export: tests/graph/test_transfer.py")
async def test_the_copy_is_one_organisation_whole_and_nothing_else(
    world: World, settings: Settings, scratch: EmbeddedNeo4j
) -> None:
    other = f"{world.org}-story"
    await tell_story(world.services, other)
    await world.services.goals.service.create(await world.caller(), CreateGoal(title="of the others"))
    (row,) = await world.rows("MATCH (o:Organisation {key: $key}) RETURN o.uid AS uid", key=other)
    driver = world.services.database.driver
    (before,), _, _ = await driver.execute_query(WHOLE, org=row["uid"])

    async with connect(settings, scratch.bolt_uri, scratch.user, scratch.password) as target:
        seen: list[tuple[int, int]] = []
        nodes, edges = await copy_of(
            world.services,
            other,
            build_services(settings, target).database,
            lambda done, total, _: seen.append((done, total)),
        )
        (copied,), _, _ = await target.execute_query(WHOLE, org=None)

    assert (nodes, edges) == (len(before["nodes"]), len(before["edges"]))
    assert nodes > 400
    assert edges > 600
    assert comparable(copied["nodes"]) == comparable(before["nodes"])
    assert comparable(copied["edges"]) == comparable(before["edges"])
    assert not any(name in each["properties"] for each in copied["nodes"] for name in VECTORS)
    assert {each["properties"]["org_id"] for each in copied["nodes"]} == {row["uid"]}
    assert seen[-1] == (2 * nodes, 2 * nodes)


async def test_an_unknown_organisation_is_told(world: World) -> None:
    with pytest.raises(NotFound, match="there is no organisation 'nobody'"):
        await copy_of(world.services, "nobody", world.services.database)


def test_a_key_that_is_none_is_refused_before_anything_starts(cli: Cli) -> None:
    done = cli("look", "--org", "it's")
    assert done.returncode == 1
    assert "letters, digits" in done.stderr
    assert "Starting" not in done.stderr


def test_an_organisation_that_is_not_there_is_told_before_anything_starts(cli: Cli) -> None:
    done = cli("look", "--org", "nobody")
    assert done.returncode == 1
    assert "there is no organisation 'nobody'" in done.stderr
    assert "Starting" not in done.stderr


@pytest.mark.nightly("the copy that it shows is above")
async def test_the_command_shows_it_without_a_password_and_deletes_it(
    cli: Cli, world: World, tmp_path: Path
) -> None:
    await world.services.goals.service.create(await world.caller(), CreateGoal(title="look at me"))
    command = (sys.executable, "-m", "prefrontal.api.cli", "look", "--org", world.org)
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=cli.env | {"TMPDIR": str(tmp_path)}, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    lines: list[str] = []
    async with asyncio.timeout(240):
        while not lines or "/browser/?" not in lines[-1]:
            line = (await process.stderr.readline()).decode()
            assert line, "".join(lines)
            lines.append(line.strip())
    link = httpx.URL(lines[-1])
    assert link.params["preselectAuthMethod"] == "NO_AUTH"
    assert any(line.startswith("Copied: ") for line in lines)
    assert len(inside(tmp_path)) == 1

    async with httpx.AsyncClient() as http:
        guide = await http.get(link.params["arg"].removeprefix(":play "))
    assert f"<code>{world.org}</code>" in guide.text
    async with neo4j.AsyncGraphDatabase.driver(link.params["dbms"]) as driver:
        found, _, _ = await driver.execute_query("MATCH (g:Goal) RETURN collect(g.title) AS titles")
    assert found[0]["titles"] == ["look at me"]

    process.send_signal(signal.SIGINT)
    rest = (await process.stderr.read()).decode()
    assert await process.wait() == 0
    assert "The copy is deleted." in rest
    assert inside(tmp_path) == []
