"""Loading of the demo story: a graph fixture, and then the commit of its last turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from prefrontal.api.demo.turn_end import end_turn
from prefrontal.api.fixtures.build import build_graph
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.api.fixtures.load import load_fixture
from prefrontal.graph.errors import PrefrontalError

if TYPE_CHECKING:
    from prefrontal.api.fixtures.built import BuiltGraph
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.storage.unit_of_work import Tx

FILE = Path(__file__).with_name("demo.fixture.yaml")

ORGANISATION = "demo"
ACTORS = ("sommelier", "ann")
"""The agent and the person in the token that reads the story."""


async def is_loaded(services: Services) -> bool:
    """Return whether the demo organisation exists."""

    async def work(tx: Tx) -> bool:
        return await tx.optional("demo/find_organisation", org_key=ORGANISATION) is not None

    return await services.database.read(work)


async def load(services: Services, progress: Callable[[int, int], None] | None = None) -> int:
    """Load the story into the demo organisation and return the number of nodes in its fixture.

    Raises:
        Duplicate: If the demo organisation exists already; clear it first.
    """
    graph = await tell_story(services, ORGANISATION, progress=progress)
    return len(graph.file.fixture.nodes)


async def tell_story(
    services: Services,
    org_key: str,
    *,
    now: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BuiltGraph:
    """Load the story into a new organisation, ending at `now`, and return the graph.

    After an error nothing of the story is left.

    Raises:
        Duplicate: If the organisation exists already.
    """
    graph = await build_graph(
        services, load_fixture(FILE), org_key, now=now or services.clock.now(), progress=progress
    )
    try:
        await end_turn(graph)
    except BaseException:
        with suppress(PrefrontalError):
            await asyncio.shield(clear_organisation(services, org_key))
        raise
    return graph


async def clear(services: Services, progress: Callable[[int], None] | None = None) -> int:
    """Delete the demo organisation with all its data and return the number of deleted nodes."""
    return await clear_organisation(services, ORGANISATION, progress)
