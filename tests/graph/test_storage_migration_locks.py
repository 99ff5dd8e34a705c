"""The migration to locks on keys brings today's data along, also when it was killed half-way."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.entities.record import Entity, EntityFilter, EntityName
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World

pytestmark = pytest.mark.alone

NUMBER = 15


async def migrate_again(world: World) -> None:
    """Run the statements of the migration, as the next start does after one that was killed."""
    (migration,) = [each for each in world.services.migrations if each.number == NUMBER]
    for statement in migration.statements:
        await world.services.database.implicit(statement)


async def names(world: World) -> list[dict[str, Any]]:
    return await world.rows(
        "MATCH (n:Name {org_id: $org})-[:SPELLS]->(e:Entity {uid: n.entity_uid}) "
        "RETURN n.scope_id AS scope, n.key AS key, n.name AS name, n.kind AS kind, n.by_uid AS by_uid, "
        "n.uid AS uid, n.created_at AS since ORDER BY name"
    )


async def to_the_old_shape(world: World, *keys: str) -> None:
    """Give names the shape that they had before: a relationship from the entity to the space."""
    await world.rows(
        "MATCH (n:Name {org_id: $org})-[:SPELLS]->(e:Entity) WHERE n.key IN $keys "
        "MATCH (s:Space {uid: n.scope_id}) "
        "CREATE (e)-[:NAMED_IN {scope_id: n.scope_id, entity_uid: e.uid, key: n.key, name: n.name, "
        "kind: n.kind, since: n.created_at}]->(s) DETACH DELETE n",
        keys=keys,
    )


async def test_names_of_before_become_nodes_once(world: World) -> None:
    one, other = await world.caller("one"), await world.caller("other")
    for caller, named in ((one, "Ann"), (one, "Bob"), (one, "Cy"), (other, "ANN")):
        world.clock.advance(seconds=1)
        draft = ObservationDraft(content="x", entities=(EntityName(name=named, kind=f"of {named}"),))
        await world.services.scratch.service.add(caller, [draft])
    before = await names(world)
    # Killed half-way: one name was moved already, and everything is run again.
    await to_the_old_shape(world, "ann", "bob")

    await migrate_again(world)
    after = await names(world)
    await migrate_again(world)

    assert len(before) == 4
    assert [{**row, "uid": ""} for row in after] == [{**row, "uid": ""} for row in before]
    assert all(kind_of(row["uid"]) is Kind.NAME for row in after)
    assert len({row["uid"] for row in after}) == 4
    assert await names(world) == after
    assert await world.rows("MATCH (:Entity {org_id: $org})-[r:NAMED_IN]->() RETURN r") == []
    page = await world.services.entities.list(other, EntityFilter())
    uid = entity_id(world.org_id, "ann")
    assert page.items == (Entity(uid=uid, key="ann", name="ANN", kind="of ANN"),)
