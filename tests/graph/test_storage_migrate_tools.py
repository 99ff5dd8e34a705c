"""Migration 0037: turns from before they followed each other, and from before `complete`."""

from __future__ import annotations

import pytest

from prefrontal.graph.turns.record import StartTurn
from tests.support.world import World

# The migration walks every organisation.
pytestmark = pytest.mark.alone


async def test_turns_of_before_follow_each_other_and_those_that_ended_are_complete(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    for caller, name in ((bot, "one"), (other, "x"), (bot, "two"), (bot, "three")):
        world.clock.advance(seconds=1)
        await world.services.turns.start.start(caller, StartTurn(turn_id=name))
    await world.rows("MATCH (:Turn {org_id: $org})-[n:NEXT]->(:Turn) DELETE n")
    await world.rows("MATCH (t:Turn {org_id: $org, key: 'one'}) SET t.status = 'ended'")
    (migration,) = [each for each in world.services.migrations if each.name.endswith("_tools")]

    for _ in range(2):
        for statement in migration.statements:
            await world.services.database.implicit(statement)
        rows = await world.rows(
            "MATCH (t:Turn {org_id: $org}) OPTIONAL MATCH (last:Turn)-[:NEXT]->(t) "
            "RETURN t.key AS key, t.status AS status, collect(last.key) AS after"
        )
        assert {row["key"]: (row["status"], row["after"]) for row in rows} == {
            "one": ("complete", []),
            "two": ("open", ["one"]),
            "three": ("open", ["two"]),
            "x": ("open", []),
        }
