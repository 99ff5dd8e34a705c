"""The migrations to locks on keys and to retention bring today's data along, also when killed half-way."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.context.record import AssembleContext, Constraints
from prefrontal.graph.entities.record import Entity, EntityFilter, EntityName
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.storage.schema_of_nodes import actual_rules
from tests.support.world import World

pytestmark = pytest.mark.alone

NUMBERS = (15, 16, 19)


async def migrate_again(world: World) -> None:
    """Run the statements of the migrations, as the next start does after one that was killed."""
    for migration in world.services.migrations:
        for statement in migration.statements if migration.number in NUMBERS else ():
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


async def test_what_turns_saw_goes_where_the_receipt_went_before(world: World) -> None:
    await world.rows(
        "CREATE (t:Turn {uid: 'turn_' + $org, org_id: $org, scope_id: $org, key: 't'})"
        "-[:RECEIVED]->(:ContextReceipt {uid: 'rcp_' + $org, org_id: $org}) "
        "CREATE (m:Memory {uid: 'obs_' + $org, org_id: $org}) "
        "CREATE (t)-[:SAW {receipt_uid: 'rcp_gone', rank: 1}]->(m) "
        "CREATE (t)-[:SAW {receipt_uid: 'rcp_' + $org, rank: 2}]->(m)"
    )

    await migrate_again(world)

    assert await world.rows("MATCH (:Turn {org_id: $org})-[saw:SAW]->() RETURN saw.rank AS rank") == [
        {"rank": 2}
    ]


async def test_events_have_the_indexes_that_are_read_and_spaces_no_lock(world: World) -> None:
    caller = await world.caller()
    await world.rows(
        "MATCH (s:Space {uid: $home}) SET s.locked_at = $now", home=caller.home, now=world.clock.now()
    )

    await migrate_again(world)

    events = {
        rule.properties for rule in await actual_rules(world.services.database) if rule.on == "OutboxEvent"
    }
    assert events == {
        ("scope_id", "uid"),
        ("scope_id", "by_uid", "uid"),
        ("scope_id", "type", "uid"),
        ("scope_id", "turn_uid", "uid"),
        ("aggregate", "uid"),
        ("org_id", "seq"),
        ("scope_id", "seq"),
    }
    assert await world.rows("MATCH (s:Space {org_id: $org}) WHERE s.locked_at IS NOT NULL RETURN s") == []


async def test_receipts_of_before_say_what_was_included(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content=f"tea {n}") for n in range(5)])
    command = AssembleContext(prompt="tea", budget=500, constraints=Constraints(max_items=3), turn_id="t")
    context = await world.services.context.assemble(caller, command)
    assert context.receipt is not None
    assert (len(context.receipt.included), len(context.receipt.excluded)) == (3, 2)
    await world.services.jobs.run_once(world.services.jobs.named["link_included"])
    # A receipt of before has relationships, and no lists.
    await world.rows(
        "MATCH (r:ContextReceipt {org_id: $org}) REMOVE r.excluded_uids, r.included_uids, "
        "r.included_sections, r.included_ranks, r.included_tokens, r.included_scores, r.included_reasons"
    )

    for _ in range(2):
        await migrate_again(world)

        assert await world.services.context.receipt(caller, "t") == context.receipt
    assert await world.rows("MATCH (r:ContextReceipt {org_id: $org}) RETURN r.link_at AS at") == [
        {"at": None}
    ]
