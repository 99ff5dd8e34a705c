"""What a session keeps of a text once the text has left, was forgotten or was redacted: nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import Forgotten, NotFound
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.sessions.record import (
    EndSession,
    EvictionReason,
    ItemContent,
    OperationResult,
    UpdateWorkingMemory,
)
from tests.graph.test_sessions import (
    ADD,
    EVICT,
    HIGH,
    REFRESH,
    UPDATE,
    change,
    items_of,
    offer,
    person,
    remembered,
    start,
)
from tests.support.correlating import compare, expire
from tests.support.open_transaction import blocked
from tests.support.open_transaction import open_transaction as held_open
from tests.support.world import World

WORD = "xylophone"
EVERYTHING = """
MATCH (n) WHERE n.org_id = $org OR n.uid = $org
WITH collect(n) AS nodes
CALL (nodes) {
  UNWIND nodes AS n UNWIND keys(n) AS key
  WITH n, key, [label IN labels(n) WHERE NOT label IN ['Memory', 'Remembered', 'Unembedded']] AS kinds
  RETURN kinds[0] AS where, key, n[key] AS value
  UNION ALL
  UNWIND nodes AS n MATCH (n)-[r]->() UNWIND keys(r) AS key
  RETURN type(r) AS where, key, r[key] AS value
}
WITH where, key, CASE WHEN value IS :: LIST<ANY> THEN value ELSE [value] END AS values
WHERE any(value IN values WHERE toLower(toStringOrNull(value)) CONTAINS $word)
RETURN DISTINCT where + '.' + key AS place ORDER BY place
"""


async def places(world: World, word: str = WORD) -> list[str]:
    """Return every property of a node or relationship of the organisation that has a word."""
    return [row["place"] for row in await world.rows(EVERYTHING, word=word)]


async def indexed(world: World, word: str = WORD) -> list[str]:
    """Return the labels of this organisation's nodes that a full-text index finds by a word."""
    rows = await world.rows("SHOW FULLTEXT INDEXES YIELD name RETURN name ORDER BY name")
    found = []
    for row in rows:
        found += await world.rows(
            "CALL db.index.fulltext.queryNodes($index, $word) YIELD node "
            "WITH node WHERE node.org_id = $org RETURN head(labels(node)) AS label",
            index=row["name"],
            word=word,
        )
    return [row["label"] for row in found]


async def vectors(world: World) -> int:
    (row,) = await world.rows(
        "MATCH (f:Fragment {org_id: $org}) WHERE f.embedding_a IS NOT NULL OR f.embedding_b IS NOT NULL "
        "OR f.text_key IS NOT NULL RETURN count(f) AS number"
    )
    return int(row["number"])


async def alone(world: World) -> Caller:
    """Return the caller whose own space is that of the sessions of `person`."""
    return await world.caller(agent=None, person="alice", device="laptop")


async def forget(world: World, caller: Caller, text: str) -> Any:
    uid = await remembered(world, caller, text)
    return await world.services.memory.forget(caller, Forget(id=uid))


async def evicted(world: World, caller: Caller, session: str) -> None:
    await change(world, caller, session, EVICT, "secret")


async def ended(world: World, caller: Caller, session: str) -> None:
    await world.services.sessions.end(caller, EndSession(id=session))


async def crowded_out(world: World, caller: Caller, session: str) -> None:
    world.clock.advance(hours=9)
    for number in range(2):
        await offer(world, caller, session, f"The flight {number}", item_id=f"flight {number}")


async def replaced(world: World, caller: Caller, session: str) -> None:
    await change(
        world, caller, session, UPDATE, "secret", content="The flight", entities=("Lisbon",), source="me"
    )


Leaves = Callable[[World, Caller, str], Awaitable[None]]


@pytest.mark.covers("SEC-08", "SEC-09")
@pytest.mark.parametrize("leaves", [evicted, ended, crowded_out, replaced])
async def test_a_text_that_has_left_is_in_no_property_index_or_log_line(world: World, leaves: Leaves) -> None:
    caller = await person(world)
    session = await start(world, caller, max_capacity=2)
    with capture_logs() as logged:
        content = ItemContent(
            item_id="secret",
            content=f"The {WORD} is hidden",
            entities=(f"{WORD} of Ann",),
            source=f"{WORD} list",
        )
        await world.services.sessions.update(
            caller,
            UpdateWorkingMemory(
                session_id=session.uid, operation=ADD, content=content, salience=HIGH, idempotency_key="k"
            ),
        )
        assert await places(world) == [
            "Fragment.content",
            "HOLDS.entities",
            "HOLDS.item_source",
            "HOLDS.themes",
            "Session.dominant_themes",
        ]
        assert await vectors(world) == 1
        await compare(world)
        assert "ON.name" in await places(world)

        await leaves(world, caller, session.uid)
        if leaves is ended:
            # What the session was about is kept for the look-back.
            assert await places(world) == ["ON.name"]
            world.clock.advance(hours=24, seconds=1)
            await expire(world)

    assert await places(world) == []
    # The key of a topic is a stem.
    assert await places(world, WORD[:-1]) == []
    assert await indexed(world) == []
    assert WORD not in str(logged)
    history = await world.services.sessions.history(caller, session.uid)
    assert WORD not in str(history)


async def test_a_memory_that_leaves_is_named_by_its_slot_no_longer(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    fact = await remembered(world, caller, f"The {WORD} is hidden")
    await offer(world, caller, session.uid, None, item_id=fact, entities=(WORD,), source=f"{WORD} list")

    await change(world, caller, session.uid, EVICT, fact)

    assert [place for place in await places(world) if place.startswith(("HOLDS", "Session"))] == []


async def test_a_forgotten_text_is_destroyed_in_the_sessions_of_its_space_at_once(world: World) -> None:
    caller, mine, other = await person(world), await alone(world), await person(world, "bob")
    session, theirs = await start(world, caller), await start(world, other)
    for whose, uid in ((caller, session.uid), (other, theirs.uid)):
        await offer(world, whose, uid, f"The {WORD} is hidden", item_id="secret", entities=(WORD,))
    await offer(world, caller, session.uid, "The flight to Lisbon", item_id="flight")
    flight = (await items_of(world, caller, session.uid))[0]
    assert WORD in (await world.services.sessions.get(caller, [session.uid]))[session.uid].dominant_themes

    await forget(world, mine, f"the {WORD.upper()}  is hidden")

    (row,) = await world.rows(
        "MATCH (s:Session {uid: $uid})-[h:HOLDS {item_id: 'secret'}]->(f:Fragment) "
        "RETURN f.content AS content, "
        "f.live AS live, f.text_key AS key, f.embedding_a AS a, f.embedding_b AS b, h.entities AS entities, "
        "h.themes AS themes, h.until AS until, s.dominant_themes AS dominant",
        uid=session.uid,
    )
    assert WORD not in str(row["dominant"])
    assert "flight" in str(row["dominant"])
    assert {name: row[name] for name in row if name != "dominant"} == {
        "content": "",
        "live": False,
        "key": None,
        "a": None,
        "b": None,
        "entities": [],
        "themes": [],
        "until": None,
    }
    # The other item stays, and the same text of another person is another's.
    assert [each.item_id for each in await items_of(world, caller, session.uid)] == [flight.item_id]
    assert [each.content for each in await items_of(world, other, theirs.uid)] == [f"The {WORD} is hidden"]
    done = await change(world, caller, session.uid, REFRESH, "flight")
    assert [(each.item_id, each.reason) for each in done.evicted_items] == [("secret", EvictionReason.GONE)]
    assert done.session.items == 1
    with pytest.raises(Forgotten):
        await offer(world, caller, session.uid, f"The {WORD} is hidden")


async def test_what_a_session_copied_of_a_forgotten_memory_goes_with_it(world: World) -> None:
    caller, mine = await person(world), await alone(world)
    session = await start(world, caller)
    fact = await remembered(world, mine, f"The {WORD} is hidden")
    draft = MemoryDraft(kind=MemoryKind.FACT, content=f"So the {WORD} is there", derived_from=(fact,))
    (derived,) = (await world.services.memory.remember(mine, Remember(memories=(draft,)))).memories
    for uid in (fact, derived.uid):
        await offer(world, caller, session.uid, None, item_id=uid, source=f"{WORD} list")

    await world.services.memory.forget(mine, Forget(id=fact))

    assert [each for each in await places(world) if not each.startswith(("Fact", "Version"))] == []
    done = await offer(world, caller, session.uid, "The flight to Lisbon")
    assert {each.item_id for each in done.evicted_items} == {fact, derived.uid}
    assert WORD not in str(done.session.dominant_themes)


async def test_a_text_that_is_added_while_it_is_forgotten_is_forgotten_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, mine = await person(world), await alone(world)
    session = await start(world, caller)
    fact = await remembered(world, mine, f"The {WORD} is hidden")

    adding = offer(world, caller, session.uid, f"The {WORD} is hidden", item_id="secret")
    async with held_open(world, monkeypatch, adding) as added:
        forgetting = asyncio.create_task(world.services.memory.forget(mine, Forget(id=fact)))
        assert await blocked(world, forgetting, mine)
    assert (await added).operation_result is OperationResult.ADDED
    await forgetting

    assert await items_of(world, caller, session.uid) == []
    assert [each for each in await places(world) if not each.startswith(("Fact", "Version"))] == []


async def test_a_memory_that_is_held_while_it_is_forgotten_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, mine = await person(world), await alone(world)
    session = await start(world, caller)
    fact = await remembered(world, mine, f"The {WORD} is hidden")

    forgetting = world.services.memory.forget(mine, Forget(id=fact))
    async with held_open(world, monkeypatch, forgetting) as forgotten:
        adding = asyncio.create_task(offer(world, caller, session.uid, None, item_id=fact))
        assert await blocked(world, adding, caller)
    await forgotten
    with pytest.raises(NotFound):
        await adding

    assert [each for each in await places(world) if not each.startswith(("Fact", "Version"))] == []
