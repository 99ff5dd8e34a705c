"""How often a statement reads the store: the database hits of its profile, the same on any machine."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.storage.queries import one_parameter
from prefrontal.graph.storage.rows import to_parameters
from tests.support.world import World


def hits(plan: dict[str, Any]) -> int:
    """Return how often the store was read in a profiled plan."""
    return int(plan.get("dbHits", 0)) + sum(hits(child) for child in plan.get("children", ()))


async def profiled(world: World, name: str, **given: Any) -> tuple[dict[str, Any], int]:
    """Run a named statement with those of the values that it has parameters for.

    Returns its first row, and how often it read the store.
    """
    query = world.services.database.queries[name]
    records, summary, _ = await world.services.database.driver.execute_query(
        "PROFILE " + one_parameter(query.text), to_parameters({key: given[key] for key in query.params})
    )
    return records[0].data(), hits(summary.profile)
