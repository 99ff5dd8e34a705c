"""Tells the demo story: a graph fixture like any other, and the end of its last turn."""

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
    from prefrontal.api.fixtures.build import BuiltGraph
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.storage.unit_of_work import Tx

FILE = Path(__file__).with_name("demo.fixture.yaml")

ORGANISATION = "demo"
ACTORS = ("sommelier", "ann")
"""The agent and the person whose token shows the story."""


async def is_loaded(services: Services) -> bool:
    """Tell whether the demo organisation is there."""

    async def work(tx: Tx) -> bool:
        return await tx.optional("demo/find_organisation", org_key=ORGANISATION) is not None

    return await services.database.read(work)


async def load(services: Services, progress: Callable[[int, int], None] | None = None) -> int:
    """Tell the story in an organisation of its own and return how many nodes of it were named.

    Raises:
        Duplicate: The demo organisation is there already; clear it first.
    """
    told = await tell_story(services, ORGANISATION, progress=progress)
    return len(told.file.fixture.nodes)


async def tell_story(
    services: Services,
    org_key: str,
    *,
    now: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BuiltGraph:
    """Tell the story in a new organisation, up to now, and return it; when it fails, nothing of it is left.

    Raises:
        Duplicate: There is such an organisation already.
    """
    told = await build_graph(
        services, load_fixture(FILE), org_key, now=now or services.clock.now(), progress=progress
    )
    try:
        await end_turn(told)
    except BaseException:
        with suppress(PrefrontalError):
            await asyncio.shield(clear_organisation(services, org_key))
        raise
    return told


async def clear(services: Services, progress: Callable[[int], None] | None = None) -> int:
    """Delete the demo organisation with all it has and return how many nodes are gone."""
    return await clear_organisation(services, ORGANISATION, progress)
