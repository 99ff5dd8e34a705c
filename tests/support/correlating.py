"""What the jobs of related sessions do. They serve every organisation of the server."""

from __future__ import annotations

from tests.support.world import World


async def compare(world: World) -> None:
    """Compare sessions until none of this test waits."""
    correlations, now = world.services.session_correlations, world.clock.now()
    waiting = "MATCH (s:Session {org_id: $org}) WHERE s.uncorrelated_since IS NOT NULL RETURN s.uid"
    while await world.rows(waiting):
        await world.services.database.write(lambda tx: correlations.compare_due_in(tx, now, 20))


async def expire(world: World) -> None:
    """Delete the digests whose look-back is over."""
    correlations, now = world.services.session_correlations, world.clock.now()
    await world.services.database.write(lambda tx: correlations.expire_in(tx, now, 1000))
