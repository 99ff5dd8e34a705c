"""What was forgotten does not come back as an observation, and takes the observations that say it along."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import Forgotten
from prefrontal.graph.memory.record import (
    Forget,
    ForgottenMemories,
    Memory,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    Remember,
    Supersede,
)
from prefrontal.graph.scratch.record import (
    Observation,
    ObservationDraft,
    ObservationFilter,
    ObservationStatus,
    ObservationUpdate,
    PinObservation,
    ResolveObservation,
    UpdateObservation,
    UpdateObservations,
)
from prefrontal.graph.turns.record import CommitAtTurnEnd, TurnMemory, TurnObservation
from tests.support.integrity import halves
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World


def fact(content: str, **fields: Any) -> MemoryDraft:
    return MemoryDraft(kind=MemoryKind.FACT, content=content, **fields)


async def remember(world: World, caller: Caller, *drafts: MemoryDraft) -> list[Memory]:
    return list((await world.services.memory.remember(caller, Remember(memories=drafts))).memories)


async def add(world: World, caller: Caller, *drafts: str | ObservationDraft) -> tuple[Observation, ...]:
    made = [ObservationDraft(content=each) if isinstance(each, str) else each for each in drafts]
    return await world.services.scratch.service.add(caller, made)


async def forgotten(world: World, caller: Caller, *texts: str) -> list[ForgottenMemories]:
    """Remember texts and forget them."""
    memory = world.services.memory
    made = await remember(world, caller, *(fact(text) for text in texts))
    return [await memory.forget(caller, Forget(id=each.uid)) for each in made]


async def about(world: World, uid: str) -> list[str]:
    rows = await world.rows(
        "MATCH (n {uid: $uid})-[on:ON]->(t:Topic {org_id: $org}) "
        "WHERE on.from_uid = n.uid AND on.topic_uid = t.uid AND on.scope_id = n.scope_id "
        "RETURN t.key AS key ORDER BY key",
        uid=uid,
    )
    return [row["key"] for row in rows]


async def test_adding_names_every_forgotten_text_and_stores_nothing(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    (known,) = await add(world, caller, ObservationDraft(content="Gin is 9", client_key="g"))
    await forgotten(world, caller, "PIN 7", "Gin is 9")
    before = await world.counts()

    with pytest.raises(Forgotten) as caught:
        await add(
            world,
            caller,
            ObservationDraft(content="A new tag", tags=("new",)),
            ObservationDraft(content="pin  7", context={"user_id": "ann"}),
            ObservationDraft(content="Gin is 9", client_key="g"),
            "GIN is 9",
        )

    # The draft of the known client key adds nothing.
    assert [problem.field for problem in caught.value.problems] == [
        "observations[1].content",
        "observations[3].content",
    ]
    assert {problem.code for problem in caught.value.problems} == {"forgotten"}
    assert await world.counts() == before
    (again,) = await add(world, caller, ObservationDraft(content="Gin is 9", client_key="g"))
    assert (again.uid, again.status) == (known.uid, ObservationStatus.ARCHIVED)
    # In another space it is another's.
    (theirs,) = await add(world, other, "PIN 7")
    assert theirs.status is ObservationStatus.ACTIVE
    assert await halves(world) == []


async def test_changing_to_a_forgotten_text_is_refused(world: World) -> None:
    caller = await world.caller()
    await forgotten(world, caller, "PIN 7")
    one, two, three = await add(world, caller, "one", "two", "three")
    before = await world.counts()
    service = world.services.scratch.service

    with pytest.raises(Forgotten) as alone:
        await service.change(caller, UpdateObservation(id=one.uid, content="Pin 7"))
    with pytest.raises(Forgotten) as bulk:
        await service.change_all(
            caller,
            UpdateObservations(
                observations=(
                    ObservationUpdate(id=one.uid, content="pin 7"),
                    ObservationUpdate(id=two.uid, content="fine", tags=("new",)),
                    ObservationUpdate(id=three.uid, content="PIN 7"),
                )
            ),
        )

    assert alone.value.field == "content"
    assert [problem.field for problem in bulk.value.problems] == [
        "observations[0].content",
        "observations[2].content",
    ]
    assert await world.counts() == before
    assert await service.get(caller, [one.uid, two.uid, three.uid]) == {o.uid: o for o in (one, two, three)}
    changed = await service.change(caller, UpdateObservation(id=one.uid, content="PIN 8"))
    assert changed.content == "PIN 8"


async def test_the_end_of_a_turn_refuses_each_by_itself(world: World) -> None:
    caller = await world.caller()
    await forgotten(world, caller, "PIN 7")

    results = await world.services.turns.commit.commit(
        caller,
        CommitAtTurnEnd(
            turn_id="t",
            observations=(
                TurnObservation(content="Wine", client_key="w"),
                TurnObservation(content="PIN  7", client_key="p"),
                TurnObservation(content="Tea"),
            ),
            memories=(TurnMemory(kind=MemoryKind.FACT, content="pin 7"),),
        ),
    )

    told = [
        (entry.observation and entry.observation.content, entry.problem and entry.problem.code)
        for entry in results
    ]
    assert told == [("Wine", None), (None, "forgotten"), ("Tea", None), (None, "forgotten")]
    assert await halves(world) == []


async def test_forgetting_archives_the_observations_with_the_same_text(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    service, memory = world.services.scratch.service, world.services.memory
    plain, person, pinned, settled, kept = await add(
        world,
        caller,
        ObservationDraft(content="Ann's PIN is 7", tags=("secret",)),
        ObservationDraft(content="ann's pin  is 7", context={"user_id": "ann"}),
        ObservationDraft(content="Ann's PIN is 7", ttl_minutes=5),
        ObservationDraft(content="Ann's PIN is 7"),
        ObservationDraft(content="Ann's PIN is 8", tags=("secret",)),
    )
    (theirs,) = await add(world, other, "Ann's PIN is 7")
    await service.change(caller, PinObservation(id=pinned.uid))
    await service.change(caller, ResolveObservation(id=settled.uid))
    (short,) = await add(world, caller, ObservationDraft(content="Ann's PIN is 7", ttl_minutes=1))
    evidence = (EvidenceDraft(observation_id=plain.uid),)
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Call", evidence=evidence))
    (said,) = await remember(world, caller, fact("Ann's PIN is 7"))
    (made,) = await remember(world, caller, fact("A PIN is 7", derived_from=(person.uid,)))
    world.clock.advance(minutes=2)

    done = await memory.forget(caller, Forget(id=said.uid))

    gone = [plain.uid, person.uid, pinned.uid, settled.uid, short.uid]
    assert done.observations == tuple(gone)
    assert [each.uid for each in done.others] == [made.uid]
    found = await service.get(caller, [*gone, kept.uid])
    archived, expired, active = (
        ObservationStatus.ARCHIVED,
        ObservationStatus.EXPIRED,
        ObservationStatus.ACTIVE,
    )
    assert [found[uid].status for uid in gone] == [archived] * 4 + [expired]
    assert found[kept.uid].status is active
    assert (await service.get(other, [theirs.uid]))[theirs.uid].status is active
    page = await service.find(caller, ObservationFilter(query="Ann's PIN"))
    assert [o.uid for o in page.items] == [kept.uid]
    # Nothing else is kept of the text: no vector, no terms, no topics.
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) WHERE o.uid IN $uids RETURN o.uid AS uid, "
        "[key IN keys(o) WHERE key STARTS WITH 'embed' OR key IN ['terms', 'searchable_in']] AS kept, "
        "COUNT { (o)-[:ON]->() } AS topics, o:Unembedded AS waiting",
        uids=gone,
    )
    assert len(rows) == 5
    for row in rows:
        assert (row["kept"], row["topics"], row["waiting"]) == ([], 0, False)
    assert "secret" in await about(world, kept.uid)
    # The goal that it is evidence of stays.
    assert goal.uid in await world.services.goals.service.get(caller, [goal.uid])
    # One version, one trace entry with the reason, and one event each.
    traces = await world.rows(
        "MATCH (t:TraceEvent {org_id: $org}) WHERE $uid IN t.ids RETURN t.details AS details ORDER BY t.uid",
        uid=plain.uid,
    )
    assert '"reason": "forgotten"' in traces[-1]["details"]
    assert await halves(world) == []
    assert await memory.forget(caller, Forget(id=said.uid)) == ForgottenMemories(
        memory=done.memory, others=(), observations=()
    )


async def test_observations_are_added_side_by_side_also_with_the_same_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    await forgotten(world, caller, "PIN 7")
    # A word that is new to the space locks its key.
    await add(world, caller, "Tea is ready")

    async with open_transaction(world, monkeypatch, add(world, caller, "Tea is ready")) as first:
        # Who waited for the first would be late.
        await add(world, caller, "Tea is ready")
        assert not first.done()
    await first


async def test_forgetting_waits_for_those_who_add_and_takes_what_they_added(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    (said,) = await remember(world, caller, fact("PIN 7"))
    memory = world.services.memory

    async with open_transaction(world, monkeypatch, add(world, caller, "PIN 7", "Tea")) as first:
        forgetting = asyncio.create_task(memory.forget(caller, Forget(id=said.uid)))
        assert await blocked(world, forgetting, caller)
        assert not first.done()
    (added, tea), done = await asyncio.gather(first, forgetting)

    assert done.observations == (added.uid,)
    found = await world.services.scratch.service.get(caller, [added.uid, tea.uid])
    assert found[added.uid].status is ObservationStatus.ARCHIVED
    assert found[tea.uid].status is ObservationStatus.ACTIVE


@pytest.mark.parametrize("way", ["add", "change"])
async def test_who_adds_or_changes_while_a_text_is_forgotten_waits_and_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    caller = await world.caller()
    (said,) = await remember(world, caller, fact("PIN 7"))
    (old,) = await add(world, caller, "Tea")

    async def write() -> None:
        if way == "add":
            await add(world, caller, "PIN 7")
        else:
            command = UpdateObservation(id=old.uid, content="PIN 7")
            await world.services.scratch.service.change(caller, command)

    async with open_transaction(
        world, monkeypatch, world.services.memory.forget(caller, Forget(id=said.uid))
    ) as first:
        second = asyncio.create_task(write())
        assert await blocked(world, second, caller, "texts")
        assert not first.done()
    await first

    with pytest.raises(Forgotten):
        await second


async def test_many_forget_and_add_at_once(world: World) -> None:
    caller = await world.caller()
    texts = [f"PIN {number}" for number in range(4)]
    made = await remember(world, caller, *(fact(text) for text in texts))

    await asyncio.gather(
        *(world.services.memory.forget(caller, Forget(id=each.uid)) for each in made),
        *(add(world, caller, text) for text in texts for _ in range(3)),
        *(remember(world, caller, fact(text)) for text in texts),
        return_exceptions=True,
    )

    assert (await world.services.scratch.service.find(caller, ObservationFilter())).items == ()
    assert (await world.services.memory.list(caller, MemoryFilter())).items == ()
    (gate,) = await world.rows(
        "MATCH (n:KeyLock {scope_id: $space}) RETURN collect(n.key) AS keys", space=caller.home
    )
    assert gate["keys"] == ["texts"]


async def test_durable_memories_have_topics_until_they_are_forgotten(world: World) -> None:
    caller = await world.caller()
    text = "The cellars hold Burgundy wines, bottles, corks and labels"
    wine, same, tea = await remember(
        world, caller, fact(text, tags=("Red Wine", "wines")), fact("Burgundy wine"), fact("Tea and wine")
    )
    kept = ["burgundi", "cellar", "hold", "red win", "wine"]
    assert await about(world, wine.uid) == kept
    assert await about(world, same.uid) == ["burgundi", "wine"]
    assert await about(world, tea.uid) == ["tea", "wine"]
    assert await halves(world) == []

    newer = await world.services.memory.supersede(caller, Supersede(id=same.uid, memory=fact("Chablis")))
    assert await about(world, newer.newer.uid) == ["chabli"]
    assert await about(world, same.uid) == ["burgundi", "wine"]
    await world.services.memory.forget(caller, Forget(id=wine.uid))

    assert await about(world, wine.uid) == []
    rows = await world.rows("MATCH (t:Topic {org_id: $org}) RETURN t.key AS key ORDER BY key")
    assert [row["key"] for row in rows] == ["burgundi", "chabli", "tea", "wine"]
    assert await halves(world) == []
