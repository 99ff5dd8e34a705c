"""The logs of the database's server hold no contents, also of transactions that ran too long."""

from __future__ import annotations

import asyncio

import pytest
from neo4j.exceptions import ClientError

from prefrontal.graph.storage.driver import translate
from tests.fault.conftest import Site

HELD = "MATCH (n:Organisation {uid: $uid}) SET n.held = $content REMOVE n.held"


async def test_a_transaction_that_ran_too_long_leaves_no_contents_in_the_logs(site: Site) -> None:
    driver, uid = site.world.services.database.driver, site.world.org_id
    async with driver.session() as one, driver.session() as other:
        holding = await one.begin_transaction()
        await (await holding.run(HELD, uid=uid, content="a secret that holds")).consume()
        waiting = await other.begin_transaction(timeout=0.5)
        with pytest.raises(ClientError) as caught:
            await (await waiting.run(HELD, uid=uid, content="a secret that waits")).consume()
        await holding.rollback()
    # The server stops a transaction that waits for a lock with a code that the driver does not retry.
    assert translate(caught.value).code == "timeout"
    logs = site.server.config.log_dir
    # The next lines of the log come after those of the time-out.
    await asyncio.to_thread(site.server.stop)

    found = {path.name: path.read_text("utf-8", "replace") for path in logs.iterdir() if path.is_file()}
    assert [name for name, text in found.items() if "a secret that" in text] == []
    assert len(found["debug.log"]) > 1000
