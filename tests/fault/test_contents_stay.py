"""The logs of the database's server hold no contents, also of transactions that ran too long."""

from __future__ import annotations

import asyncio

import pytest
from neo4j.exceptions import ClientError

from prefrontal.graph.storage.driver import translate
from tests.fault.conftest import Site

HELD = "MATCH (n:Organisation {uid: $uid}) SET n.held = $content REMOVE n.held"


@pytest.mark.nightly("which loggers there are changes with the version of Neo4j alone")
async def test_a_transaction_that_ran_too_long_leaves_no_contents_in_the_logs(site: Site) -> None:
    driver, uid = site.world.services.database.driver, site.world.org_id

    async def wait(seconds: float) -> str:
        async with driver.session() as session:
            waiting = await session.begin_transaction(timeout=seconds)
            with pytest.raises(ClientError) as caught:
                await (await waiting.run(HELD, uid=uid, content="a secret that waits")).consume()
        error = translate(caught.value)
        assert error is not None
        return error.code

    async with driver.session() as one:
        holding = await one.begin_transaction()
        await (await holding.run(HELD, uid=uid, content="a secret that holds")).consume()
        # Two watches of the server look every two seconds, and only one of them tells parameters. Which one
        # is first depends on when a transaction is late.
        codes = await asyncio.gather(*(wait(0.5 + number / 4) for number in range(8)))
        await holding.rollback()
    # The server stops a transaction that waits for a lock with a code that the driver does not retry.
    assert codes == ["timeout"] * 8
    logs = site.server.config.log_dir
    # The next lines of the log come after those of the time-out.
    await asyncio.to_thread(site.server.stop)

    found = {path.name: path.read_text("utf-8", "replace") for path in logs.iterdir() if path.is_file()}
    assert [name for name, text in found.items() if "a secret that" in text] == []
    assert len(found["debug.log"]) > 1000
