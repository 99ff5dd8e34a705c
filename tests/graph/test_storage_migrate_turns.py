"""Migration 0022: turns from before they had a status."""

from __future__ import annotations

import pytest

from prefrontal.graph.turns.record import StartTurn
from tests.support.world import World

# The migration walks every organisation.
pytestmark = pytest.mark.alone


async def test_turns_of_before_get_a_status_by_their_age(world: World) -> None:
    bot = await world.caller()
    for name in ("old", "new", "done"):
        await world.services.turns.start.start(bot, StartTurn(turn_id=name))
    await world.rows(
        "MATCH (t:Turn {org_id: $org}) WHERE t.key <> 'done' REMOVE t.status "
        "SET t.created_at = datetime() - duration({hours: CASE t.key WHEN 'old' THEN 25 ELSE 23 END})"
    )
    await world.rows("MATCH (t:Turn {org_id: $org, key: 'done'}) SET t.status = 'ended'")
    (migration,) = [each for each in world.services.migrations if each.name.endswith("_turns")]
    wanted = {"done": "ended", "new": "open", "old": "ended"}

    for _ in range(2):
        for statement in migration.statements:
            await world.services.database.implicit(statement)
        rows = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN t.key AS key, t.status AS status")
        assert {row["key"]: row["status"] for row in rows} == wanted
