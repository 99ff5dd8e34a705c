"""The migrations to topics link what was stored before, and nothing else, also when killed half-way."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.bootstrap import topics_step
from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.memory.record import STORED_KINDS, Forget, MemoryDraft, Remember
from prefrontal.graph.scratch.record import Observation, ObservationDraft
from prefrontal.graph.storage.unit_of_work import Tx
from tests.support.integrity import halves
from tests.support.world import World

# The migration walks every organisation.
pytestmark = pytest.mark.alone

TEXTS = ("Burgundy wine", "Wine and bread", "The train leaves", "Nothing else")


async def write(world: World) -> Caller:
    """Two actors write the same texts into their spaces, each with goals that they are evidence of."""
    for name in ("other", "bot"):
        caller = await world.caller(name)
        seen = await world.services.scratch.service.add(
            caller, [ObservationDraft(content=text, tags=("Red Wine",)) for text in TEXTS]
        )
        await create(world, caller, "Choose a wine", *seen[:2], goal_type="house_hold")
        await create(world, caller, "Travel")
    return caller


async def create(world: World, caller: Caller, title: str, *evidence: Observation, **more: Any) -> str:
    drafts = tuple(EvidenceDraft(observation_id=o.uid) for o in evidence)
    made = await world.services.goals.service.create(caller, CreateGoal(title=title, evidence=drafts, **more))
    return made.uid


async def age(world: World) -> None:
    """Take the graph back to the shape that the service wrote before the migration."""
    await world.rows(
        "MATCH (g:Goal {org_id: $org}) "
        "SET g.topic_keys = COLLECT { MATCH (g)-[on:ON]->(t) WHERE on.evidence RETURN t.key ORDER BY t.key }"
    )
    await world.rows("MATCH (t:Topic {org_id: $org}) DETACH DELETE t")


async def about(world: World) -> list[tuple[Any, ...]]:
    """What is about each topic, with all of both that does not depend on when it was written."""
    rows = await world.rows(
        "MATCH (n {org_id: $org})-[on:ON]->(t:Topic {org_id: $org}) "
        "WHERE on.topic_uid = t.uid AND on.from_uid = n.uid AND on.scope_id = n.scope_id "
        "RETURN n.uid AS uid, t.scope_id AS space, t.key AS key, t.name AS name, t.by_uid AS by_uid, "
        "on.own AS own, on.evidence AS evidence ORDER BY uid, key"
    )
    return [tuple(row.values()) for row in rows]


async def migrate(world: World, number: int = 17) -> None:
    """Run the migration, as the next start does after one that was killed."""
    (migration,) = [each for each in world.services.migrations if each.number == number]
    for statement in migration.statements:
        await world.services.database.implicit(statement)
    assert migration.step
    await migration.step(world.services.database)


async def lists(world: World) -> int:
    (row,) = await world.rows(
        "MATCH (g:Goal {org_id: $org}) WHERE g.topic_keys IS NOT NULL RETURN count(g) AS number"
    )
    return int(row["number"])


async def test_what_was_stored_before_is_linked_as_if_it_were_stored_now(world: World) -> None:
    await write(world)
    wanted = await about(world)
    await age(world)
    assert (await lists(world), await about(world)) == (4, [])

    await migrate(world)
    once = await about(world)
    await migrate(world)

    assert len(wanted) == 2 * (3 + 3 + 3 + 2 + 6 + 1)
    assert once == await about(world) == wanted
    assert await lists(world) == 0
    assert await halves(world) == []


@pytest.mark.parametrize("kill_at", range(1, 5))
async def test_a_migration_that_was_killed_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    await write(world)
    wanted = await about(world)
    monkeypatch.setattr(topics_step, "_OBSERVATIONS", 3)
    monkeypatch.setattr(topics_step, "_GOALS", 2)
    batches, most = 0, 100

    def counted(link: Any) -> Any:
        async def run(tx: Tx, *, items: Any, **more: Any) -> None:
            nonlocal batches
            # The store also holds what other tests left.
            if any(item["org_id"] == world.org_id for item in items):
                if batches == most:
                    raise KeyboardInterrupt
                batches += 1
            await link(tx, items=items, **more)

        return run

    for name in ("_link_observations", "_link_goals"):
        monkeypatch.setattr(topics_step, name, counted(getattr(topics_step, name)))
    await age(world)
    await migrate(world)
    whole, batches, most = batches, 0, kill_at
    assert whole >= 5

    await age(world)
    with pytest.raises(KeyboardInterrupt):
        await migrate(world)
    half = await about(world)
    batches, most = 0, 100
    await migrate(world)

    assert 0 < len(half) < len(wanted)
    assert await about(world) == wanted
    assert await lists(world) == 0
    # The batches that were done before are left out.
    assert batches == whole - kill_at


async def test_a_goal_keeps_no_word_of_another_space(world: World) -> None:
    """Before, evidence of any space gave its words to the goal."""
    caller = await write(world)
    team = await world.services.access.create_space(caller, CreateSpace(name="team"))
    caller = await world.caller()
    (secret,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="Secret wine offer")]
    )
    (known,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="Public offer")], space=team
    )
    uid = await create(world, caller, "Plan", secret, known, space=team)
    wanted = await about(world)
    await age(world)
    await world.rows(
        "MATCH (g:Goal {uid: $uid}) SET g.topic_keys = ['offer', 'public', 'secret', 'wine']", uid=uid
    )

    await migrate(world)

    assert await about(world) == wanted
    assert [(key, own, by_evidence) for at, _, key, _, _, own, by_evidence in wanted if at == uid] == [
        ("offer", False, True),
        ("plan", True, False),
        ("public", False, True),
    ]


async def write_memories(world: World) -> str:
    """Add two observations, remember texts of every kind and forget one; return its id."""
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content="Tea"), ObservationDraft(content="tea", context={"user_id": "ann"})]
    )
    drafts = [
        MemoryDraft(kind=kind, content=f"{text} by {kind}") for kind in STORED_KINDS for text in TEXTS[:2]
    ]
    stored = await world.services.memory.remember(caller, Remember(memories=drafts))
    await world.services.memory.forget(caller, Forget(id=stored.memories[-1].uid))
    return stored.memories[-1].uid


async def keys(world: World) -> list[tuple[Any, ...]]:
    """The digest of each memory's text, observations too."""
    rows = await world.rows(
        "MATCH (m:Memory {org_id: $org}) RETURN m.uid AS uid, m.text_key AS key ORDER BY uid"
    )
    return [tuple(row.values()) for row in rows]


async def age_memories(world: World) -> None:
    """Take memories back to the shape that the service wrote before migration 0027."""
    await world.rows("MATCH (m:Remembered {org_id: $org})-[on:ON]->(t) DELETE on")
    await world.rows("MATCH (t:Topic {org_id: $org}) WHERE NOT EXISTS { ()-[:ON]->(t) } DELETE t")
    await world.rows("MATCH (o:Observation {org_id: $org}) SET o.text_key = left(o.text_key, 32)")
    await world.rows("MATCH (m:Mandate {org_id: $org}) SET m.text_key = m.uid")
    await world.rows("MATCH (s:Space {org_id: $org}) MATCH (k:KeyLock {scope_id: s.uid}) DELETE k")


async def locks(world: World) -> list[str]:
    rows = await world.rows(
        "MATCH (s:Space {org_id: $org}) MATCH (k:KeyLock {scope_id: s.uid}) RETURN k.key AS key"
    )
    return [row["key"] for row in rows]


async def test_memories_of_before_get_their_topics_and_the_digest_of_their_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics_step, "_MEMORIES", 3)
    gone = await write_memories(world)
    wanted, digests, spaces = await about(world), await keys(world), await locks(world)
    assert set(spaces) == {"texts"}
    await age_memories(world)
    assert (len(await about(world)), await keys(world) != digests, await locks(world)) == (2, True, [])

    await migrate(world, 27)
    once = await about(world)
    await migrate(world, 27)

    assert once == await about(world) == wanted
    assert gone not in {row[0] for row in wanted}
    assert await keys(world) == digests
    assert await locks(world) == spaces
    assert await halves(world) == []


@pytest.mark.parametrize("kill_at", range(1, 4))
async def test_a_migration_of_memories_that_was_killed_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    await write_memories(world)
    wanted, digests = await about(world), await keys(world)
    monkeypatch.setattr(topics_step, "_MEMORIES", 3)
    link, done, most = topics_step._link_memories, 0, kill_at

    async def killed(tx: Tx, *, items: Any, **more: Any) -> None:
        nonlocal done
        # The store also holds what other tests left.
        if any(item["org_id"] == world.org_id for item in items):
            if done == most:
                raise KeyboardInterrupt
            done += 1
        await link(tx, items=items, **more)

    monkeypatch.setattr(topics_step, "_link_memories", killed)
    await age_memories(world)

    with pytest.raises(KeyboardInterrupt):
        await migrate(world, 27)
    half = await about(world)
    most = 100
    await migrate(world, 27)

    assert len(half) < len(wanted)
    assert await about(world) == wanted
    assert await keys(world) == digests
