"""Durable memories: kept until they are superseded or forgotten, known by their keys, shown in contexts."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import CandidateKind, Constraints, Request, Section
from prefrontal.graph.entities.record import EntityFilter, EntityName
from prefrontal.graph.errors import (
    Duplicate,
    Forbidden,
    Forgotten,
    IllegalTransition,
    InvalidInput,
    NotFound,
    VersionConflict,
)
from prefrontal.graph.memory.record import (
    STORED_KINDS,
    Forget,
    Memory,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    Remember,
    Supersede,
)
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.turns.record import CommitAtTurnEnd, TurnMemory
from tests.support.world import World

FACT, MESSAGE, EPISODE, SKILL = MemoryKind.FACT, MemoryKind.MESSAGE, MemoryKind.EPISODE, MemoryKind.SKILL
MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def fact(content: str, **fields: Any) -> MemoryDraft:
    return MemoryDraft(kind=FACT, content=content, **fields)


async def remember(world: World, caller: Caller, *drafts: MemoryDraft, **given: Any) -> list[Memory]:
    done = await world.services.memory.remember(caller, Remember(memories=drafts, **given))
    return list(done.memories)


async def seen(world: World, caller: Caller, prompt: str, **constraints: Any) -> dict[Section, list[str]]:
    """The contents of a context's items by section; mandates and capabilities are left out."""
    request = Request(prompt=prompt, budget=2000, constraints=Constraints(**constraints))
    context = await world.services.context.preview(caller, request)
    uids = [item.uid for item in context.selection.items]
    found = await world.services.memory.get(caller, uids)
    return {
        section.name: [found[item.uid].content for item in section.items if item.uid in found]
        for section in context.selection.sections
        if any(item.uid in found for item in section.items)
    }


async def nodes(world: World) -> dict[str, int]:
    counts = await world.counts()
    return {label: counts.get(label, 0) for label in ("Remembered", "Version", "OutboxEvent", "Tombstone")}


@pytest.mark.covers("CTX-09..11")
async def test_every_kind_is_stored_with_all_that_is_said_of_it(world: World) -> None:
    caller = await world.caller()
    drafts = [
        MemoryDraft(
            kind=kind,
            content=f"Tea is {kind}",
            confidence=0.75,
            tags=("Tea", "tea", "drink"),
            entities=(EntityName(name="Ann", kind="person"),),
            happened_at=MAY,
            speaker="Ann" if kind is MESSAGE else None,
            conversation="chat" if kind is MESSAGE else None,
            metadata={"line": 3},
            client_key=f"key of {kind}",
        )
        for kind in STORED_KINDS
    ]

    stored = await remember(world, caller, *drafts)

    assert [memory.kind for memory in stored] == list(STORED_KINDS)
    for memory, draft in zip(stored, drafts, strict=True):
        assert memory.model_dump(include=MemoryDraft.model_fields.keys() - {"essential"}) == {
            **draft.model_dump(exclude={"essential"}),
            "tags": ("Tea", "drink"),
        }
        assert (memory.essential, memory.status, memory.live, memory.version, memory.superseded_by) == (
            memory.kind is MemoryKind.MANDATE,
            MemoryStatus.ACTIVE,
            True,
            1,
            None,
        )
    (ann,) = (await world.services.entities.list(caller, EntityFilter())).items
    assert (ann.name, ann.kind) == ("Ann", "person")
    assert await world.services.entities.count_mentions(caller, [ann.uid]) == {ann.uid: len(stored)}


@pytest.mark.parametrize("field", ["speaker", "conversation"])
async def test_only_messages_are_said_by_somebody_in_a_conversation(world: World, field: str) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as caught:
        await remember(world, caller, fact("Tea"), fact("Wine", **{field: "x"}))

    assert (caught.value.field, caught.value.message) == (
        f"memories[1].{field}",
        "only a message has one, not a fact",
    )
    assert await world.counts() == before


async def test_what_a_client_key_names_is_known_and_stored_once(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    drafts = [fact("Tea", client_key="a", tags=("t",)), fact("Wine", client_key="b")]

    first = await world.services.memory.remember(caller, Remember(memories=drafts))
    again = await world.services.memory.remember(
        caller, Remember(memories=[*drafts, fact("Beer", client_key="c"), fact("Beer", client_key="c")])
    )
    theirs = await world.services.memory.remember(other, Remember(memories=drafts))

    assert first.created == {memory.uid for memory in first.memories}
    assert again.memories[:2] == first.memories
    assert again.memories[2] == again.memories[3]
    assert again.created == {again.memories[2].uid}
    # The key is one of a space.
    assert len(theirs.created) == 2
    before = await world.counts()
    with pytest.raises(Duplicate) as caught:
        await remember(world, caller, fact("Gin"), fact("Tea", client_key="b"))
    assert caught.value.field == "memories[1].clientKey"
    assert await world.counts() == before


async def test_all_entries_that_are_refused_are_named_at_once(world: World) -> None:
    caller = await world.caller()
    pin, _ = await remember(world, caller, fact("PIN 7"), fact("Tea", client_key="t"))
    await world.services.memory.forget(caller, Forget(id=pin.uid))
    before = await world.counts()

    with pytest.raises(Forgotten) as caught:
        await remember(
            world,
            caller,
            fact("fine"),
            fact("PIN 7"),
            fact("Gin", client_key="t"),
            fact("Rum", derived_from=("fact_x",)),
        )

    assert [(problem.code, problem.field) for problem in caught.value.problems] == [
        ("forgotten", "memories[1].content"),
        ("duplicate", "memories[2].clientKey"),
        ("not_found", "memories[3].derivedFrom[0]"),
    ]
    assert caught.value.message.endswith(" (and 2 more)")
    assert await world.counts() == before


async def test_a_client_key_that_many_send_at_once_is_stored_once(world: World) -> None:
    caller = await world.caller()

    answers = await asyncio.gather(
        *(remember(world, caller, fact("Tea", client_key="a"), fact(f"Wine {n}")) for n in range(6))
    )

    assert len({memory.uid for memory, _ in answers}) == 1
    assert (await world.counts())["Fact"] == 1 + 6


async def conversation(world: World, key: str) -> list[list[str]]:
    """The contents of the messages of a conversation along `NEXT`; several lists if it is broken."""
    rows = await world.rows(
        "MATCH (first:Message {org_id: $org, conversation: $key}) WHERE NOT EXISTS { ()-[:NEXT]->(first) } "
        "MATCH p = (first)-[:NEXT]->*(last) WHERE NOT EXISTS { (last)-[:NEXT]->() } "
        "RETURN [m IN nodes(p) | m.content] AS said ORDER BY said",
        key=key,
    )
    return [row["said"] for row in rows]


async def test_messages_follow_each_other_in_their_conversation(world: World) -> None:
    caller = await world.caller()

    def say(text: str, key: str | None) -> MemoryDraft:
        return MemoryDraft(kind=MESSAGE, content=text, speaker="ann", conversation=key)

    await remember(world, caller, say("1", "a"), say("I", "b"), say("2", "a"), say("alone", None), fact("x"))
    await remember(world, caller, say("3", "a"))
    await remember(world, caller, say("II", "b"), say("4", "a"))

    assert await conversation(world, "a") == [["1", "2", "3", "4"]]
    assert await conversation(world, "b") == [["I", "II"]]

    await asyncio.gather(*(remember(world, caller, say(f"{n}", "c"), say(f"{n}+", "c")) for n in range(6)))

    (said,) = await conversation(world, "c")
    assert len(said) == 12
    # What one call adds stays together.
    assert all(said[place + 1] == f"{said[place]}+" for place in range(0, 12, 2))
    page = await world.services.memory.list(caller, MemoryFilter(conversation="a"))
    assert [memory.content for memory in page.items] == ["4", "3", "2", "1"]


async def test_a_newer_memory_takes_the_place_of_an_older_one(world: World) -> None:
    caller = await world.caller()
    older, other = await remember(world, caller, fact("Ann drinks tea"), fact("Bob drinks tea"))
    noon = world.clock.now()
    world.clock.advance(hours=1)

    done = await world.services.memory.supersede(
        caller,
        Supersede(id=older.uid, expected_version=1, memory=fact("Ann drinks wine", client_key="ann")),
    )

    assert (done.older.status, done.older.live, done.older.superseded_by) == (
        MemoryStatus.SUPERSEDED,
        False,
        done.newer.uid,
    )
    recalled = await seen(world, caller, "what drinks")
    assert sorted(recalled.pop(Section.SEMANTIC_MEMORY)) == ["Ann drinks wine", "Bob drinks tea"]
    assert recalled == {}
    # Its text and its history stay, also as they were.
    past = await world.services.history.service.as_of(caller, older.uid, noon)
    assert (past.fields["content"], past.fields["status"]) == ("Ann drinks tea", "active")
    page = await world.services.history.service.history(caller, older.uid)
    assert [change.name for change in page.items[0].changes] == ["live", "status", "supersededBy"]
    rows = await world.rows(
        "MATCH (n:Fact {org_id: $org})-[:SUPERSEDES]->(o:Fact) RETURN n.content AS n, o.content AS o"
    )
    assert rows == [{"n": "Ann drinks wine", "o": "Ann drinks tea"}]
    statuses = (MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED)
    found = await world.services.memory.list(caller, MemoryFilter(statuses=statuses))
    assert {memory.uid for memory in found.items} == {older.uid, other.uid, done.newer.uid}


async def test_what_cannot_be_superseded_is_refused_and_nothing_is_written(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    tea, wine = await remember(world, caller, fact("Tea"), fact("Wine", client_key="w"))
    await world.services.memory.supersede(caller, Supersede(id=tea.uid, memory=fact("Green tea")))
    (theirs,) = await remember(world, other, fact("secret"))
    supersede = world.services.memory.supersede
    before = await world.counts()

    async def refused(error: type[Exception], field: str, uid: str, draft: MemoryDraft, **given: Any) -> str:
        with pytest.raises(error) as caught:
            await supersede(caller, Supersede(id=uid, memory=draft, **given))
        assert caught.value.field == field  # type: ignore[attr-defined]
        return str(caught.value)

    said = await refused(IllegalTransition, "id", tea.uid, fact("Black tea"))
    assert "was superseded by fact_" in said
    await refused(NotFound, "id", theirs.uid, fact("known"))
    await refused(NotFound, "id", "fact_x", fact("known"))
    await refused(InvalidInput, "memory.kind", wine.uid, MemoryDraft(kind=SKILL, content="Pour"))
    await refused(InvalidInput, "memory.content", wine.uid, fact(" "))
    await refused(Duplicate, "memory.clientKey", wine.uid, fact("Red wine", client_key="w"))
    await refused(NotFound, "memory.derivedFrom[0]", wine.uid, fact("Red", derived_from=(theirs.uid,)))
    await refused(VersionConflict, "expectedVersion", wine.uid, fact("Red"), expected_version=2)
    assert await world.counts() == before


async def test_a_stored_memory_takes_the_place_of_an_older_one(world: World) -> None:
    caller = await world.caller()
    older, newer = await remember(world, caller, fact("The port is 22"), fact("We moved SSH to 49222"))
    before = await world.counts()

    done = await world.services.memory.supersede(
        caller, Supersede(id=older.uid, expected_version=1, by=newer.uid)
    )

    assert (done.older.status, done.older.superseded_by) == (MemoryStatus.SUPERSEDED, newer.uid)
    assert done.newer == newer
    rows = await world.rows(
        "MATCH (n:Fact {org_id: $org})-[:SUPERSEDES]->(o:Fact) RETURN n.content AS n, o.content AS o"
    )
    assert rows == [{"n": "We moved SSH to 49222", "o": "The port is 22"}]
    after = await world.counts()
    assert (after["Fact"], after["Version"] - before["Version"]) == (2, 1)
    page = await world.services.history.service.history(caller, older.uid)
    assert [change.name for change in page.items[0].changes] == ["live", "status", "supersededBy"]


async def test_what_cannot_take_the_place_of_a_memory_is_refused_and_nothing_is_written(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    tea, wine, ended = await remember(world, caller, fact("Tea"), fact("Wine"), fact("Milk"))
    (skill,) = await remember(world, caller, MemoryDraft(kind=SKILL, content="Pour"))
    (shared,) = await remember(world, caller, fact("Juice"), space=caller.common)
    (theirs,) = await remember(world, other, fact("secret"))
    await world.services.memory.supersede(caller, Supersede(id=ended.uid, by=wine.uid))
    before = await world.counts()

    async def refused(error: type[Exception], field: str, **given: Any) -> None:
        with pytest.raises(error) as caught:
            await world.services.memory.supersede(caller, Supersede(id=tea.uid, **given))
        assert caught.value.field == field  # type: ignore[attr-defined]

    await refused(InvalidInput, "memory")
    await refused(InvalidInput, "memory", by=wine.uid, memory=fact("Cocoa"))
    await refused(InvalidInput, "by", by=tea.uid)
    await refused(InvalidInput, "by", by=skill.uid)
    await refused(InvalidInput, "by", by=shared.uid)
    await refused(NotFound, "by", by=theirs.uid)
    await refused(NotFound, "by", by="fact_x")
    await refused(IllegalTransition, "by", by=ended.uid)
    await refused(VersionConflict, "expectedVersion", by=wine.uid, expected_version=2)
    assert await world.counts() == before


async def test_of_two_memories_that_take_each_others_place_at_once_one_stays(world: World) -> None:
    caller = await world.caller()
    tea, wine = await remember(world, caller, fact("Tea"), fact("Wine"))
    supersede = world.services.memory.supersede

    answers = await asyncio.gather(
        supersede(caller, Supersede(id=tea.uid, by=wine.uid)),
        supersede(caller, Supersede(id=wine.uid, by=tea.uid)),
        return_exceptions=True,
    )

    assert sorted(type(answer).__name__ for answer in answers) == ["IllegalTransition", "Supersession"]
    assert (await world.services.memory.count(caller, MemoryFilter())) == 1


async def test_of_two_that_supersede_at_once_one_wins(world: World) -> None:
    caller = await world.caller()
    (tea,) = await remember(world, caller, fact("Tea"))

    answers = await asyncio.gather(
        *(
            world.services.memory.supersede(caller, Supersede(id=tea.uid, memory=fact(f"Tea {number}")))
            for number in range(4)
        ),
        return_exceptions=True,
    )

    assert sorted(type(answer).__name__ for answer in answers) == [*["IllegalTransition"] * 3, "Supersession"]
    assert (await world.counts())["Fact"] == 2


async def test_what_is_forgotten_goes_with_its_repetitions_and_with_what_was_made_of_it(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    note = (await world.services.scratch.service.add(caller, [ObservationDraft(content="Ann called")]))[0]
    said, same, kept = await remember(
        world, caller, fact("Ann's PIN is 7"), fact("ann's  pin is 7"), fact("Ann is kind")
    )
    (made,) = await remember(world, caller, fact("A PIN is 7", derived_from=(said.uid, note.uid)))
    (from_it,) = await remember(
        world, caller, MemoryDraft(kind=EPISODE, content="7!", derived_from=(made.uid,))
    )
    (theirs,) = await remember(world, other, fact("Ann's PIN is 7"))
    world.clock.advance(seconds=1)

    done = await world.services.memory.forget(caller, Forget(id=said.uid, expected_version=1))

    assert done.memory.status is MemoryStatus.FORGOTTEN
    assert {memory.uid for memory in done.others} == {same.uid, made.uid, from_it.uid}
    assert await seen(world, caller, "Ann's PIN 7 kind") == {Section.SEMANTIC_MEMORY: ["Ann is kind"]}
    assert await seen(world, other, "Ann's PIN 7 kind") == {Section.SEMANTIC_MEMORY: ["Ann's PIN is 7"]}
    assert (await world.services.memory.get(caller, [kept.uid]))[kept.uid].live
    # The texts do not come back, by no way in; in another space they are another's.
    before = await world.counts()
    for draft in (
        fact("ANN'S pin is 7"),
        MemoryDraft(kind=EPISODE, content="Ann's PIN is 7"),
        fact("A PIN is 7", client_key="new"),
        fact("7!"),
    ):
        with pytest.raises(Forgotten) as caught:
            await remember(world, caller, fact("fine"), draft)
        assert caught.value.field == "memories[1].content"
    with pytest.raises(Forgotten) as caught:
        await world.services.memory.supersede(caller, Supersede(id=kept.uid, memory=fact("Ann's PIN is 7")))
    assert caught.value.field == "memory.content"
    assert await world.counts() == before
    assert (await remember(world, other, fact("Ann's PIN is 7")))[0].uid != theirs.uid
    # A digest alone says what was forgotten.
    texts = await world.rows("MATCH (t:Tombstone {org_id: $org}) RETURN properties(t) AS p")
    assert len(texts) == 3
    assert "PIN" not in str(texts)


async def test_a_text_is_not_remembered_while_it_is_forgotten(world: World) -> None:
    caller = await world.caller()
    for number in range(5):
        (first,) = await remember(world, caller, fact(f"PIN {number}"))

        await asyncio.gather(
            world.services.memory.forget(caller, Forget(id=first.uid)),
            *(remember(world, caller, fact(f"PIN {number}")) for _ in range(3)),
            return_exceptions=True,
        )

        page = await world.services.memory.list(caller, MemoryFilter())
        assert [memory.content for memory in page.items] == []


async def test_a_turn_keeps_what_it_may_and_says_why_it_refuses_the_rest(world: World) -> None:
    caller = await world.caller()
    pin, tea = await remember(world, caller, fact("PIN 7"), fact("Tea", client_key="t"))
    await world.services.memory.forget(caller, Forget(id=pin.uid))

    results = await world.services.turns.commit.commit(
        caller,
        CommitAtTurnEnd(
            turn_id="t",
            memories=(
                TurnMemory(kind=FACT, content="pin 7"),
                TurnMemory(kind=FACT, content="Wine"),
                TurnMemory(kind=FACT, content="Tea", client_key="t"),
                TurnMemory(kind=FACT, content="Gin", client_key="t"),
                TurnMemory(kind=FACT, content="Gin", speaker="ann"),
                TurnMemory(kind=FACT, content="Rum", derived_from=("fact_x",)),
            ),
        ),
    )

    told = [
        (entry.memory and entry.memory.content, entry.problem and entry.problem.code) for entry in results
    ]
    assert told == [
        (None, "forgotten"),
        ("Wine", None),
        ("Tea", None),
        (None, "duplicate"),
        (None, "invalid"),
        (None, "not_found"),
    ]
    assert results[2].memory == tea


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_borders(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    (theirs,) = await remember(world, other, fact("secret tea", client_key="k"))
    (mine,) = await remember(world, caller, fact("my tea"))
    grant = GrantAccess(
        space=other.home, actor=Actor(kind=ActorKind.AGENT, key="bot"), permission=SpacePermission.READ
    )

    async def all_refused(error: type[Exception]) -> None:
        before = await world.counts()
        for call in (
            world.services.memory.forget(caller, Forget(id=theirs.uid)),
            world.services.memory.supersede(caller, Supersede(id=theirs.uid, memory=fact("x"))),
            world.services.memory.remember(caller, Remember(memories=[fact("x")], space=other.home)),
        ):
            with pytest.raises(error):
                await call
        assert await world.counts() == before

    await all_refused(NotFound)
    with pytest.raises(NotFound):
        await remember(world, caller, fact("x", derived_from=(theirs.uid,)))
    assert await seen(world, caller, "tea") == {Section.SEMANTIC_MEMORY: ["my tea"]}
    assert [memory.uid for memory in (await world.services.memory.list(caller, MemoryFilter())).items] == [
        mine.uid
    ]
    await world.grant(other, grant)
    caller = await world.caller()
    await all_refused(Forbidden)
    assert sorted((await seen(world, caller, "tea"))[Section.SEMANTIC_MEMORY]) == ["my tea", "secret tea"]
    (made,) = await remember(world, caller, fact("from it", derived_from=(theirs.uid,)))
    # Its owner does not take back what lies in a space that it may not write to.
    done = await world.services.memory.forget(other, Forget(id=theirs.uid))
    assert done.others == ()
    assert (await world.services.memory.get(caller, [made.uid]))[made.uid].live


async def test_pages_have_each_memory_once_newest_first(world: World) -> None:
    caller = await world.caller()
    made = []
    for number in range(7):
        world.clock.advance(seconds=1)
        kind = (FACT, EPISODE, SKILL)[number % 3]
        made += await remember(world, caller, MemoryDraft(kind=kind, content=f"{number}"))
    service, found, after = world.services.memory, [], None
    while True:
        page = await service.list(caller, MemoryFilter(), first=2, after=after)
        found += page.items
        if not page.has_next:
            break
        after = page.cursors[-1]

    assert found == made[::-1]
    assert await service.count(caller, MemoryFilter()) == 7
    assert await service.count(caller, MemoryFilter(kinds=(FACT, SKILL))) == 5
    only = await service.list(caller, MemoryFilter(kinds=(EPISODE,)))
    assert [memory.content for memory in only.items] == ["4", "1"]
    for wrong, field in (
        (MemoryFilter(kinds=()), "filter.kinds"),
        (MemoryFilter(statuses=()), "filter.statuses"),
    ):
        with pytest.raises(InvalidInput) as caught:
            await service.list(caller, wrong)
        assert caught.value.field == field


@pytest.mark.covers("CTX-09..11", "CTX-18..20")
async def test_they_are_in_their_sections_also_after_a_year(world: World) -> None:
    caller = await world.caller()
    await remember(
        world,
        caller,
        MemoryDraft(kind=EPISODE, content="Booked a table in Paris"),
        fact("Paris has two airports"),
        MemoryDraft(kind=SKILL, content="Ask for Paris weather by city name"),
        fact("The shed is green"),
        MemoryDraft(kind=MESSAGE, content="How is Paris?", speaker="ann", conversation="c"),
        MemoryDraft(kind=MESSAGE, content="Sunny", speaker="bot", conversation="c"),
    )
    world.clock.advance(days=6)
    week = await seen(world, caller, "weather in Paris")
    world.clock.advance(days=359)
    year = await seen(world, caller, "weather in Paris")

    # The newest messages are candidates for a week, whatever they say; others if they share a word.
    said = {
        Section.EPISODIC_MEMORY: ["Booked a table in Paris"],
        Section.SEMANTIC_MEMORY: ["Paris has two airports", "Ask for Paris weather by city name"],
    }
    assert week == said | {Section.CONVERSATION_HISTORY: ["How is Paris?", "Sunny"]}
    assert year == said | {Section.CONVERSATION_HISTORY: ["How is Paris?"]}
    text = (await world.services.context.preview(caller, Request(prompt="Paris", budget=2000))).selection.text
    assert '"ann": "How is Paris?"\n' in text
    # A fact says since when it holds.
    assert re.search(r'# Facts\n- \d{4}-\d\d-\d\d "Paris has two airports"\n', text)


@pytest.mark.covers("SEC-11")
async def test_what_others_say_is_no_conversation_of_ones_own(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    await remember(world, caller, MemoryDraft(kind=MESSAGE, content="Good morning", speaker="ann"))
    await remember(
        world,
        other,
        MemoryDraft(kind=MESSAGE, content="Obey me", speaker="boss"),
        MemoryDraft(kind=MESSAGE, content="The tea is ready", speaker="bob"),
        space=str(other.common),
    )

    assert await seen(world, caller, "wine") == {Section.CONVERSATION_HISTORY: ["Good morning"]}
    # What the prompt is about is found in every readable space.
    found = await seen(world, caller, "tea")
    assert sorted(found[Section.CONVERSATION_HISTORY]) == ["Good morning", "The tea is ready"]


@pytest.mark.covers("CTX-37", "CTX-38")
async def test_a_tight_budget_keeps_the_mandate_the_episode_and_the_skill_before_the_talk(
    world: World,
) -> None:
    """Source 000, example 2."""
    caller = await world.caller()
    drafts = [
        MemoryDraft(
            kind=MESSAGE, content=f"Paris, London or Rome: which city next? {'word ' * 40}", speaker="ann"
        )
        for _ in range(12)
    ]
    await remember(
        world,
        caller,
        *drafts,
        MemoryDraft(kind=MemoryKind.MANDATE, content="Answer with units"),
        MemoryDraft(kind=EPISODE, content="The user asked for the weather in Paris last week"),
        MemoryDraft(kind=SKILL, content="weather: ask the weather tool for each city"),
    )

    context = await world.services.context.preview(
        caller, Request(prompt="Compare the weather of Paris, London and Rome", budget=600)
    )

    selection = context.selection
    assert selection.used <= 600
    assert selection.truncated
    kinds = [item.kind for item in selection.items]
    assert kinds[:3] == [CandidateKind.MANDATE, CandidateKind.EPISODE, CandidateKind.SKILL]
    assert set(kinds[3:]) == {CandidateKind.MESSAGE}
    assert {
        item.kind
        for item in (
            await world.services.context.preview(
                caller, Request(prompt="Compare the weather of Paris, London and Rome", budget=80)
            )
        ).selection.items
    } == {CandidateKind.MANDATE, CandidateKind.EPISODE, CandidateKind.SKILL}
