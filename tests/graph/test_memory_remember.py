"""Mandates and capabilities: remembered until they are forgotten."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.errors import Conflict, Forbidden, InvalidInput, NotFound, TooLarge
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.lists import all_of
from tests.support.world import World

MANDATE, CAPABILITY = MemoryKind.MANDATE, MemoryKind.CAPABILITY


@pytest.mark.covers("CTX-07", "CTX-08")
async def test_they_are_stored_in_order_each_with_its_version(world: World) -> None:
    caller = await world.caller()
    drafts = [
        MemoryDraft(kind=MANDATE, content="Never lie"),
        MemoryDraft(kind=CAPABILITY, content="Can search"),
        MemoryDraft(kind=MANDATE, content="Be brief", essential=False),
        MemoryDraft(kind=CAPABILITY, content="Can book"),
    ]
    world.statements.clear()

    stored = (await world.services.memory.remember(caller, Remember(memories=drafts, turn_id="t"))).memories

    assert world.statements.names == [
        "memory/find_known",
        "memory/remember",
        "journal/append_entries",
        "memory/find_memories",
    ]
    assert [(m.kind, m.content, m.essential) for m in stored] == [
        (MANDATE, "Never lie", True),
        (CAPABILITY, "Can search", False),
        (MANDATE, "Be brief", False),
        (CAPABILITY, "Can book", False),
    ]
    assert [kind_of(m.uid) for m in stored] == [Kind.MANDATE, Kind.CAPABILITY] * 2
    assert {(m.scope_id, m.by_uid, m.version, m.created_at) for m in stored} == {
        (caller.home, caller.actor_id, 1, world.clock.now())
    }
    counts = await world.counts()
    assert {k: counts[k] for k in ("Mandate", "Capability", "Memory", "Version", "OutboxEvent")} == {
        "Mandate": 2,
        "Capability": 2,
        "Memory": 4,
        "Version": 4,
        "OutboxEvent": 4,
    }
    (entry,) = (await world.services.turns.trace.trace(caller, "t")).items
    assert (entry.kind, entry.message, entry.ids) == (
        TraceKind.REMEMBERED,
        "Remembered 4",
        tuple(m.uid for m in stored),
    )


@pytest.mark.parametrize(
    ("drafts", "error", "field"),
    [
        ([], InvalidInput, "memories"),
        ([MemoryDraft(kind=MANDATE, content="x")] * 501, TooLarge, "memories"),
        (
            [MemoryDraft(kind=MANDATE, content="x"), MemoryDraft(kind=MANDATE, content=" ")],
            InvalidInput,
            "memories[1].content",
        ),
        ([MemoryDraft(kind=CAPABILITY, content="x" * 1_000_000)], TooLarge, "memories[0].content"),
        ([MemoryDraft(kind=CAPABILITY, content="\udfff")], InvalidInput, "memories[0].content"),
    ],
    ids=["none", "many", "blank", "long", "surrogate"],
)
async def test_wrong_ones_are_refused_together(
    world: World, drafts: list[MemoryDraft], error: type[InvalidInput], field: str
) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(error) as caught:
        await world.services.memory.remember(caller, Remember(memories=drafts))

    assert caught.value.field == field
    assert await world.counts() == before


async def test_the_same_request_at_once_remembers_once(world: World) -> None:
    caller = await world.caller()
    drafts = [MemoryDraft(kind=MANDATE, content="Never lie")]

    answers = await asyncio.gather(
        *(
            world.services.memory.remember(caller, Remember(memories=drafts, idempotency_key="k"))
            for _ in range(8)
        )
    )

    assert len({memory.uid for answer in answers for memory in answer.memories}) == 1
    assert (await world.counts())["Mandate"] == 1
    with pytest.raises(Conflict):
        await world.services.memory.remember(
            caller, Remember(memories=[MemoryDraft(kind=MANDATE, content="Lie")], idempotency_key="k")
        )


@pytest.mark.covers("SEC-11")
async def test_borders(world: World) -> None:
    caller, other = await world.caller("bot"), await world.caller("other")
    reader = await world.caller("bot", roles=("reader",))
    drafts = [MemoryDraft(kind=MANDATE, content="secret")]
    (memory,) = (await world.services.memory.remember(other, Remember(memories=drafts))).memories
    before = await world.counts()

    async def refused(error: type[Exception], who: Any, **kwargs: Any) -> None:
        with pytest.raises(error):
            await world.services.memory.remember(who, Remember(memories=drafts, **kwargs))

    assert await world.services.memory.get(caller, [memory.uid, "man_x"]) == {}
    await refused(NotFound, caller, space=other.home)
    await refused(Forbidden, reader)
    with pytest.raises(Forbidden):
        await world.services.memory.get(await world.caller("bot", roles=()), [memory.uid])
    assert await world.counts() == before


async def test_what_is_remembered_of_an_entity_is_read_page_by_page_by_those_who_may(world: World) -> None:
    one, other = await world.caller("one"), await world.caller("other")
    ann = (EntityName(name="Ann"),)
    drafts = [
        MemoryDraft(kind=kind, content=f"{kind.value} {number}", entities=ann)
        for kind in (MemoryKind.EPISODE, MemoryKind.FACT, MemoryKind.SKILL)
        for number in range(2)
    ]
    await world.services.scratch.service.add(one, [ObservationDraft(content="seen", entities=ann)] * 3)
    mine = await world.services.memory.remember(one, Remember(memories=tuple(drafts)))
    theirs = await world.services.memory.remember(other, Remember(memories=(drafts[0],)))
    uid, reader = entity_id(world.org_id, "ann"), world.services.memory.of_entities

    # By kind, newest first; observations, whose ids lie between, are not among them.
    newest_first = sorted((memory.uid for memory in mine.memories), reverse=True)
    for size in (1, 2, 100):
        pages = await all_of(reader, one, [uid], size=size)
        assert [memory.uid for memory in pages[uid]] == newest_first
    assert (await all_of(reader, other, [uid]))[uid] == theirs.memories
    assert await all_of(reader, await world.caller("third"), [uid]) == {}
