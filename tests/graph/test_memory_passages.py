"""Long memories are found and shown by their passages, which begin, end and are hidden with them."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import AssembleContext, CandidateKind, Context, Request
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import NotFound
from prefrontal.graph.memory.record import (
    STORED_KINDS,
    Forget,
    Memory,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    Remember,
    Supersede,
)
from prefrontal.graph.search.record import SearchFilter, SearchKind, SearchResult
from prefrontal.graph.text.encoder import HashEncoder
from prefrontal.graph.text.passages import passages_of
from prefrontal.graph.turns.record import CommitAtTurnEnd, TurnMemory
from tests.graph.test_embedding_writes import Failing, served
from tests.support.world import World

FACT, MESSAGE, MANDATE = MemoryKind.FACT, MemoryKind.MESSAGE, MemoryKind.MANDATE
ANY = SearchFilter(min_relevance=0.0)


def paragraph(topic: str) -> str:
    """About 350 bytes about something."""
    return " ".join(f"In the {topic} there is {topic} thing number {n} of many." for n in range(8))


TOPICS = ("garden", "kitchen", "cellar", "attic", "garage", "library")
OTHERS = ("harbour", "tower", "cellar", "bridge", "church", "market")
LONG = "\n\n".join(map(paragraph, TOPICS))
SHORT = "The kettle is in the kitchen"


async def remember(world: World, caller: Caller, *contents: str, **fields: Any) -> list[Memory]:
    kind, space = fields.pop("kind", FACT), fields.pop("space", None)
    drafts = [MemoryDraft(kind=kind, content=content, **fields) for content in contents]
    done = await world.services.memory.remember(caller, Remember(memories=drafts, space=space))
    return list(done.memories)


async def passages(world: World) -> list[dict[str, Any]]:
    """The passages of the organisation with the ids of their memories, and whether they wait for a vector."""
    rows = await world.rows(
        "MATCH (p:Passage {org_id: $org}) "
        "RETURN p AS p, p:Unembedded AS waiting, COLLECT { MATCH (p)-[:PART_OF]->(m) RETURN m.uid } AS of "
        "ORDER BY of, p.place"
    )
    return [{**row["p"], "waiting": row["waiting"], "of": row["of"]} for row in rows]


async def found(
    world: World, caller: Caller, text: str, wanted: SearchFilter | None = None
) -> list[SearchResult]:
    page = await world.services.search.search(caller, text, wanted, first=100)
    return list(page.items)


async def test_a_long_memory_has_passages_in_order_each_found_by_itself(world: World) -> None:
    caller = await world.caller()
    before = await world.counts()

    long, short = await remember(
        world, caller, LONG, SHORT, kind=MESSAGE, speaker="Ann", tags=("Home",), conversation="chat"
    )

    stored, spans = await passages(world), passages_of(LONG, 1000)
    (vectors,) = [await HashEncoder().passages([f"Ann: {LONG[start:end]}" for start, end in spans])]
    assert len(spans) == 3
    assert [(p["start"], p["end"], p["content"]) for p in stored] == [
        (start, end, LONG[start:end]) for start, end in spans
    ]
    assert [(p["place"], p["total"], p["of"]) for p in stored] == [(n, 3, [long.uid]) for n in (1, 2, 3)]
    assert [p["embedding_a"] for p in stored] == vectors
    for p in stored:
        assert (p["kind"], p["scope_id"], p["searchable_in"], p["speaker"]) == (
            "message_passage",
            caller.home,
            caller.home,
            "Ann",
        )
        assert (p["embedded_a"], p["waiting"]) == ("hash", False)
        # What the whole memory is found by is not said of each passage again.
        assert {"ann", "home"} & set(p["terms"].split()) == {"ann"}
    assert ["cellar" in p["terms"].split() for p in stored] == [False, True, False]
    # They are no memories of their own: no versions, no events, in no list.
    after = await world.counts()
    grown = {label: after.get(label, 0) - before.get(label, 0) for label in ("Version", "OutboxEvent")}
    assert grown == {"Version": 2, "OutboxEvent": 2}
    listed = (await world.services.memory.list(caller, MemoryFilter())).items
    assert [memory.uid for memory in listed] == [short.uid, long.uid]
    assert (await world.services.memory.get(caller, [stored[0]["uid"]])) == {}
    with pytest.raises(NotFound):
        await world.services.history.service.history(caller, stored[0]["uid"])
    with pytest.raises(NotFound):
        await remember(world, caller, "made of a part", derived_from=(stored[0]["uid"],))


@pytest.mark.parametrize("kind", sorted(STORED_KINDS))
async def test_the_registry_says_which_kinds_are_divided_and_from_which_size_on(
    world: World, kind: MemoryKind
) -> None:
    caller, table = await world.caller(), world.services.catalog.memory
    limit = table.passages.from_bytes
    word = "ab " * limit

    await remember(world, caller, word[: limit - 1] + "c", kind=kind)
    assert await passages(world) == []
    (long,) = await remember(world, caller, word[:limit] + "c", kind=kind)

    divided = table.kinds[kind.value].divided
    assert divided is (kind not in (MANDATE, MemoryKind.CAPABILITY))
    assert [p["of"] for p in await passages(world)] == ([[long.uid]] * 2 if divided else [])


async def test_a_hit_on_a_passage_counts_for_its_memory_once_with_the_best_passage(world: World) -> None:
    caller = await world.caller()
    long, short = await remember(world, caller, LONG, SHORT)

    (first, *others) = await found(world, caller, "What is in the cellar?")

    assert (first.uid, first.kind, first.content) == (long.uid, SearchKind.FACT, LONG)
    assert first.passage is not None
    text = first.passage.of(first.content)
    assert (first.passage.place, first.passage.total) == (2, 3)
    assert (text.count("cellar"), text.count("garden")) == (16, 0)
    assert all(each.uid == short.uid for each in others)
    # Its meaning is that of the passage, which is nearer than the whole text's.
    question, whole, part = await HashEncoder().passages(["What is in the cellar?", LONG, text])
    spread = world.services.catalog.search.encoder("hash").notes
    nearness = sum(a * b for a, b in zip(question, part, strict=True))
    assert nearness > sum(a * b for a, b in zip(question, whole, strict=True))
    assert first.parts.meaning == pytest.approx((nearness - spread.unrelated) / spread.spread, abs=1e-4)
    (kettle, *_) = [
        each for each in await found(world, caller, "kettle kitchen", ANY) if each.uid == short.uid
    ]
    assert kettle.passage is None


@pytest.mark.parametrize(
    ("wanted", "finds"),
    [
        ({"kinds": (SearchKind.MESSAGE,)}, True),
        ({"kinds": (SearchKind.FACT,)}, False),
        ({"conversation": "chat"}, True),
        ({"conversation": "other"}, False),
        ({"tags": ("home",)}, True),
        ({"tags": ("work",)}, False),
        ({"entities": ("Ann",)}, True),
        ({"entities": ("Ben",)}, False),
    ],
)
async def test_the_conditions_of_a_filter_are_those_of_the_memory(
    world: World, wanted: dict[str, Any], finds: bool
) -> None:
    caller = await world.caller()
    said = {"kind": MESSAGE, "conversation": "chat", "tags": ("Home",), "entities": (EntityName(name="Ann"),)}
    await remember(world, caller, LONG, **said)

    hits = await found(world, caller, "cellar", SearchFilter(min_relevance=0.0, **wanted))

    assert [each.passage is not None for each in hits] == ([True] if finds else [])


async def test_many_passages_push_out_no_short_memory(world: World) -> None:
    caller = await world.caller()
    longs = [f"Note {n}. " + LONG.replace("garden", "cellar").replace("attic", "cellar") for n in range(20)]
    await remember(world, caller, *longs)
    shorts = await remember(world, caller, *(f"A cellar of {n} kettles" for n in range(30)))

    uids = {each.uid for each in await found(world, caller, "cellar", ANY)}

    assert len(await passages(world)) == 60
    assert {memory.uid for memory in shorts} <= uids


async def test_every_way_in_stores_passages(world: World) -> None:
    caller = await world.caller()
    (older,) = await remember(world, caller, SHORT)

    draft = MemoryDraft(kind=FACT, content=LONG)
    done = await world.services.memory.supersede(caller, Supersede(id=older.uid, memory=draft))
    newer = LONG.replace("cellar", "basement")
    turn = CommitAtTurnEnd(turn_id="day", memories=[TurnMemory(kind=FACT, content=newer)])
    (result,) = await world.services.turns.commit.commit(caller, turn)

    stored = await passages(world)
    assert result.memory is not None
    assert {uid for p in stored for uid in p["of"]} == {done.newer.uid, result.memory.uid}
    assert (len(stored), {p["embedded_a"] for p in stored}) == (6, {"hash"})


@pytest.mark.parametrize("how", ["forget", "forget its twin", "forget its source", "supersede"])
async def test_what_ends_a_memory_ends_its_passages(world: World, how: str) -> None:
    caller, memory = await world.caller(), world.services.memory
    (source,) = await remember(world, caller, "The house was visited")
    (long,) = await remember(world, caller, LONG, derived_from=(source.uid,))
    (kept,) = await remember(world, caller, LONG.replace("cellar", "basement"))
    assert len(await passages(world)) == 6

    if how == "supersede":
        await memory.supersede(
            caller, Supersede(id=long.uid, memory=MemoryDraft(kind=FACT, content="The house was sold"))
        )
    else:
        (twin,) = await remember(world, caller, LONG.upper() if how == "forget its twin" else SHORT)
        ended = {"forget": long.uid, "forget its twin": twin.uid, "forget its source": source.uid}[how]
        await memory.forget(caller, Forget(id=ended))

    assert {uid for p in await passages(world) for uid in p["of"]} == {kept.uid}
    assert (
        await world.rows("MATCH (p:Passage {org_id: $org}) WHERE p.content CONTAINS 'cellar' RETURN p") == []
    )
    assert long.uid not in {each.uid for each in await found(world, caller, "cellar", ANY)}


async def test_passages_are_found_where_their_memory_may_be_read(world: World) -> None:
    caller = await world.caller()
    space = await world.services.access.create_space(caller, CreateSpace(name="house"))
    caller = await world.caller()
    (shared,) = await remember(world, caller, LONG, space=space)
    (own,) = await remember(world, caller, "\n\n".join(map(paragraph, OTHERS)))

    async def seen() -> set[str]:
        other = await world.caller("other")
        return {each.uid for each in await found(world, other, "cellar", ANY)}

    assert await seen() == set()
    actor = Actor(kind=ActorKind.AGENT, key="other")
    await world.grant(caller, GrantAccess(space=space, actor=actor, permission=SpacePermission.READ))
    assert await seen() == {shared.uid}
    assert own.uid in {each.uid for each in await found(world, caller, "cellar", ANY)}


@pytest.mark.alone
async def test_passages_without_vectors_are_found_by_words_and_get_them_later(world: World) -> None:
    caller = await world.caller()
    failing = served(world, Failing())
    (long,) = await remember(failing, caller, LONG)
    assert [p["waiting"] for p in await passages(world)] == [True] * 3

    (hit,) = await found(failing, caller, "cellar")
    assert (hit.uid, hit.passage and hit.passage.place, hit.parts.meaning) == (long.uid, 2, None)

    embedding = world.services.embedding
    texts, vectors = await embedding.due(after="", limit=1000)
    mine = [text for text in texts if text.uid in {p["uid"] for p in await passages(world)}]
    assert [text.passage for text in mine] == [passage_of(LONG[a:b]) for a, b in passages_of(LONG, 1000)]
    written = await world.services.database.write(lambda tx: embedding.write_in(tx, mine, vectors))
    assert (written, [p["waiting"] for p in await passages(world)]) == (3, [False] * 3)
    # What was forgotten meanwhile gets none.
    await world.services.memory.forget(caller, Forget(id=long.uid))
    assert await world.services.database.write(lambda tx: embedding.write_in(tx, mine, vectors)) == 0


def lines(context: Context, kind: CandidateKind) -> list[str]:
    return [item.text for item in context.selection.items if item.kind is kind]


async def test_a_context_shows_a_long_memory_by_its_best_passage(world: World) -> None:
    caller, context = await world.caller(), world.services.context
    (long,) = await remember(world, caller, LONG, kind=MESSAGE, speaker="Ann")
    start, end = passages_of(LONG, 1000)[1]

    command = AssembleContext(prompt="cellar", budget=500, turn_id="day", idempotency_key="one")
    made = await context.assemble(caller, command)

    (line,) = lines(made, CandidateKind.MESSAGE)
    (quoted,) = [part for part in [LONG[start:end]] if part[:40] in line]
    assert ' "Ann": (part 2 of 3) "' in line
    assert line.endswith(quoted.replace("\n", "\\n") + '"\n')
    assert [item.uid for item in made.receipt.included] == [long.uid] if made.receipt else False
    assert (made.selection.truncated, made.selection.used <= 500) == (False, True)
    # The call repeated has the same text, although only the receipt is left of it.
    again = await context.assemble(caller, command)
    assert again.selection.text == made.selection.text


async def test_a_context_shows_what_is_merely_new_by_its_first_passage(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, LONG, kind=MESSAGE)
    await remember(world, caller, SHORT, kind=MESSAGE)

    made = await world.services.context.preview(caller, Request(prompt="xylophone", budget=5000))

    long, short = lines(made, CandidateKind.MESSAGE)
    assert ("(part 1 of 3)" in long, "garden" in long, "attic" in long) == (True, True, False)
    assert "(part" not in short
