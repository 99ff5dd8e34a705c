"""Tells the demo story, which is a graph fixture like any other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graph.fixtures.clearing import clear_organisation
from graph.fixtures.load import load_fixture
from graph.fixtures.telling import tell

if TYPE_CHECKING:
    from graph.services import Services
    from graph.storage.unit_of_work import Tx

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
    file = load_fixture(FILE)
    await tell(services, file, ORGANISATION, now=services.clock.now(), progress=progress)
    return len(file.fixture.nodes)


async def clear(services: Services, progress: Callable[[int], None] | None = None) -> int:
    """Delete the demo organisation with all it has and return how many nodes are gone."""
    return await clear_organisation(services, ORGANISATION, progress)
