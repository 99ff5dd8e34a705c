"""The process that imports an organisation is killed after any of its statements; another one goes on.

Nobody sees anything of the organisation until it is whole, and then it is the graph that was exported.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.transfer import importing
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft
from tests.graph.test_transfer import dump
from tests.support.failing import failing
from tests.support.forked import forked
from tests.support.registry import registry_of
from tests.support.world import World, forget

LINES = 20
"""How many lines a transaction takes here, so that an import has many."""


def _import(endpoint: tuple[str, str, str | None], path: Path, limit: int) -> None:
    """Import a file; be killed after so many statements."""
    importing._BATCH = LINES
    counted = 0

    def count(*_: Any, **__: Any) -> None:
        nonlocal counted
        counted += 1
        if counted == limit:
            os.kill(os.getpid(), signal.SIGKILL)

    async def run() -> None:
        settings = Settings()
        uri, user, password = endpoint
        async with connect(settings, uri, user, password) as driver:
            services = build_services(settings, driver, observers=[count], **registry_of(settings))
            await services.transfer.importing.read(path)

    asyncio.run(run())


async def killed_after(neo4j: Endpoint, path: Path, limit: int) -> bool:
    """Whether the process was killed before it was done."""
    process = forked.Process(target=_import, args=((neo4j.uri, neo4j.user, neo4j.password), path, limit))
    process.start()
    await asyncio.to_thread(process.join, 60)
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode != 0


@pytest.mark.slow
async def test_an_import_that_is_killed_anywhere_goes_on_and_brings_the_same_graph(
    neo4j: Endpoint, world: World, tmp_path: Path, *, nightly: bool
) -> None:
    caller = await world.caller()
    await world.services.goals.service.create(caller, CreateGoal(title="tea"))
    with failing(world.services, CommitStore.EPISODIC, times=4):
        await world.services.turns.finalization.commit(
            caller, CommitTurn(turn_id="t", events=[StateDraft(content="it boiled", importance=1)])
        )
    path = tmp_path / "whole.jsonl"
    await world.services.transfer.export.write(world.org_id, world.org, path)
    driver = world.services.database.driver
    before = await dump(driver, world.org_id)
    await forget(driver, world.org)
    assert await dump(driver, world.org_id) == Counter()

    # Each process goes a little further than the one before it, whatever that one has left.
    killed, step = 0, 1 if nightly else 3
    limit = 3 * step
    while await killed_after(neo4j, path, limit):
        killed += 1
        assert not await world.rows("MATCH (o:Organisation {uid: $org}) RETURN o.uid AS uid")
        assert killed < 100
        # An import that goes on to its labels checks first, which takes some statements.
        limit = (3 + killed % 6) * step
    assert killed > (5 if nightly else 1)
    assert await dump(driver, world.org_id) == before
    assert not await world.rows("MATCH (n:Importing) RETURN n.uid AS uid")
