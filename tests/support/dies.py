"""A process that runs a job and is killed behind a statement: `python -m tests.support.dies JOB QUERY`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.unit_of_work import Tx


async def main(job: str, last: str) -> None:
    settings = load_settings()
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
    async with connect(settings, settings.neo4j_uri or "", settings.neo4j_user, password) as driver:
        services = build_services(settings, driver)
        runs = Tx._rows

        async def and_die(self: Tx, name: str, expected: Any, params: dict[str, Any]) -> Any:
            found = await runs(self, name, expected, params)
            if name == last:
                # Nothing is said goodbye to, and the transaction is open.
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        Tx._rows = and_die  # type: ignore[method-assign]
        await services.jobs.run_once(services.jobs.named[job])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
