"""Searches: by words, by meaning and by links, in what the caller may read, silent where nothing answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember, Supersede
from prefrontal.graph.scratch.record import ArchiveObservation, ObservationDraft
from prefrontal.graph.search import store
from prefrontal.graph.search.record import SearchFilter, SearchKind
from prefrontal.graph.search.service import SearchService
from prefrontal.graph.storage.rows import Row
from prefrontal.graph.storage.unit_of_work import Tx
from prefrontal.graph.text.encoder import HashEncoder, Vector
from prefrontal.graph.text.learned_scripts import knows
from tests.graph.test_embedding_writes import served
from tests.support.world import World

FACT, MESSAGE, EPISODE = MemoryKind.FACT, MemoryKind.MESSAGE, MemoryKind.EPISODE
ANY = SearchFilter(min_relevance=0.0)


class Meanings(HashEncoder):
    """Knows that some words mean the same."""

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        return await super().passages([_same(text) for text in texts])

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        return await super().questions([_same(text) for text in texts])


class Latin(HashEncoder):
    """Has learned no other script."""

    async def passages(self, texts: Sequence[str]) -> list[Vector | None]:  # type: ignore[override]
        made = await super().passages(texts)
        return [v if knows(text, {"LATIN"}) else None for text, v in zip(texts, made, strict=True)]

    async def questions(self, texts: Sequence[str]) -> list[Vector | None]:  # type: ignore[override]
        made = await super().questions(texts)
        return [v if knows(text, {"LATIN"}) else None for text, v in zip(texts, made, strict=True)]


class Silent(HashEncoder):
    """Fails with every question."""

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        raise RuntimeError(len(texts))


def _same(text: str) -> str:
    return text.replace("sign-in", "login").replace("problem", "broken")


async def remember(world: World, caller: Caller, *contents: str, **fields: Any) -> list[str]:
    kind = fields.pop("kind", FACT)
    space = fields.pop("space", None)
    drafts = [MemoryDraft(kind=kind, content=content, **fields) for content in contents]
    done = await world.services.memory.remember(caller, Remember(memories=drafts, space=space))
    return [memory.uid for memory in done.memories]


async def found(world: World, caller: Caller, text: str, wanted: SearchFilter | None = None) -> list[str]:
    page = await world.services.search.search(caller, text, wanted, first=100)
    assert not page.has_next
    return [each.content for each in page.items]


async def test_it_finds_by_words_and_says_of_what_the_relevance_is_made(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "The wine cellar is locked", "Tea is served at five", "The sky is blue")

    page = await world.services.search.search(caller, "Who locked the cellar?")

    (first,) = page.items
    assert (first.content, first.kind, first.scope_id, page.partial) == (
        "The wine cellar is locked",
        SearchKind.FACT,
        caller.home,
        False,
    )
    assert first.at == world.clock.now()
    assert 0.3 <= first.relevance <= 1.0
    assert first.parts.words > 0
    assert first.parts.meaning is not None
    assert first.parts.meaning > 0


async def test_it_finds_by_meaning_what_shares_no_word(world: World) -> None:
    knowing = served(world, Meanings())
    caller = await world.caller()
    await remember(knowing, caller, "login page broken", "lunch menu today", "printer paper order")

    assert await found(knowing, caller, "sign-in problem") == ["login page broken"]


async def test_a_question_that_nothing_answers_finds_nothing(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *(f"shelf {number} has jars" for number in range(20)))

    assert await found(world, caller, "zebra quartz") == []
    # Without the floor the nearest are returned however far they are.
    assert len(await found(world, caller, "zebra quartz", ANY)) > 0
    assert await found(world, await world.caller("empty"), "zebra quartz", ANY) == []


async def test_nobody_finds_what_others_have(world: World) -> None:
    one, other = await world.caller("one"), await world.caller("other")
    await remember(world, one, "The vault code is 4711", entities=(EntityName(name="vault"),))
    await remember(world, other, "The vault is downstairs")

    for wanted in (ANY, None, SearchFilter(space=one.home), SearchFilter(entities=("vault",))):
        assert "The vault code is 4711" not in await found(world, other, "vault code", wanted)
    assert await found(world, other, "vault code", SearchFilter(space=one.home)) == []

    grant = GrantAccess(
        space=one.home, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
    )
    await world.grant(await world.caller("one", roles=("admin",)), grant)
    assert "The vault code is 4711" in await found(world, await world.caller("other"), "vault code", ANY)


async def test_what_others_have_does_not_push_out_what_the_caller_has(world: World) -> None:
    many, few = await world.caller("many"), await world.caller("few")
    await remember(world, many, *(f"the copper kettle number {number} boils" for number in range(400)))
    await remember(world, few, "a copper kettle", "a copper pan", "a spoon")

    assert (await found(world, few, "the copper kettle number boils", ANY))[:2] == [
        "a copper kettle",
        "a copper pan",
    ]


async def test_what_is_shared_does_not_push_out_what_the_caller_has(world: World) -> None:
    knowing = served(world, Meanings())
    many, few = await world.caller("many"), await world.caller("few")
    own = "at home the login of the old machine in the kitchen was broken again"
    await remember(knowing, many, *(f"login broken {number}" for number in range(250)), space=many.common)
    await remember(knowing, few, own)

    # By meaning alone, and all that is shared is nearer.
    page = await knowing.services.search.search(few, "sign-in problem", ANY, first=100)

    assert own in [each.content for each in page.items]
    assert len(page.items) > 50


async def test_the_index_knows_the_exact_cosines(world: World) -> None:
    caller, encoder = await world.caller(), HashEncoder()
    texts = [f"kettle {number} {'boils' if number % 2 else 'leaks'} {number % 7}" for number in range(120)]
    await remember(world, caller, *texts)
    (asked,) = await encoder.questions(["the kettle boils 3"])

    rows = await world.rows(
        "MATCH (m:Memory) SEARCH m IN (VECTOR INDEX memory_vector_a FOR $asked "
        "WHERE m.searchable_in = $home LIMIT 40) SCORE AS score "
        "RETURN score, vector.similarity.cosine(m.embedding_a, $asked) AS exact",
        asked=asked,
        home=caller.home,
    )

    assert [row["score"] for row in rows] == pytest.approx([row["exact"] for row in rows], abs=1e-6)
    assert len({row["score"] for row in rows}) > 10


async def test_what_is_over_is_not_found(world: World) -> None:
    caller = await world.caller()
    scratch, memory = world.services.scratch.service, world.services.memory
    old, gone = await remember(world, caller, "kettle costs 20", "kettle is red")
    fading, put_away, stays = await scratch.add(
        caller,
        [
            ObservationDraft(content="kettle fades", ttl_minutes=60),
            ObservationDraft(content="kettle put away"),
            ObservationDraft(content="kettle stays"),
        ],
    )
    await memory.supersede(
        caller, Supersede(id=old, memory=MemoryDraft(kind=FACT, content="kettle costs 25"))
    )
    await memory.forget(caller, Forget(id=gone))
    await scratch.change(caller, ArchiveObservation(id=put_away.uid))
    assert sorted(await found(world, caller, "kettle", ANY)) == [
        "kettle costs 25",
        "kettle fades",
        "kettle stays",
    ]

    world.clock.advance(minutes=61)
    # Before the job has looked at it.
    assert sorted(await found(world, caller, "kettle", ANY)) == ["kettle costs 25", "kettle stays"]
    assert fading.uid != stays.uid


async def test_the_same_is_shown_once(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "The kettle is broken.", "the kettle is broken", "The kettle is not broken")

    assert sorted(
        text.casefold().strip(".") for text in await found(world, caller, "kettle broken", ANY)
    ) == [
        "the kettle is broken",
        "the kettle is not broken",
    ]


@pytest.mark.parametrize(
    ("wanted", "contents"),
    [
        ({"kinds": (SearchKind.EPISODE,)}, ["kettle party"]),
        ({"kinds": (SearchKind.OBSERVATION,)}, ["kettle seen"]),
        ({"kinds": ()}, []),
        ({"tags": ("Kitchen",)}, ["kettle party", "kettle seen"]),
        ({"tags": ("kitchen", "fun")}, ["kettle party"]),
        ({"tags": ("none",)}, []),
        ({"entities": ("ann",)}, ["kettle fact", "kettle said"]),
        ({"conversation": "chat"}, ["kettle said"]),
        ({"min_confidence": 0.5}, ["kettle party", "kettle said", "kettle seen"]),
    ],
    ids=str,
)
async def test_a_filter_holds_for_all_that_is_found(
    world: World, wanted: dict[str, Any], contents: list[str]
) -> None:
    caller = await world.caller()
    await filled(world, caller)

    assert sorted(await found(world, caller, "kettle", SearchFilter(min_relevance=0, **wanted))) == contents


async def filled(world: World, caller: Caller) -> None:
    await remember(
        world, caller, "kettle fact", entities=(EntityName(name="Ann"),), confidence=0.4, tags=("fridge",)
    )
    await remember(world, caller, "kettle party", kind=EPISODE, tags=("KITCHEN", "Fun"))
    await remember(world, caller, "kettle said", kind=MESSAGE, speaker="Ann", conversation="chat")
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content="kettle seen", tags=("kitchen",), confidence=0.5)]
    )


async def test_the_time_of_a_memory_is_when_it_happened(world: World) -> None:
    caller = await world.caller()
    now = world.clock.now()
    for days in (0, 10, 20):
        at = now - timedelta(days=days)
        await remember(world, caller, f"kettle {days} days ago", kind=EPISODE, happened_at=at)
    ten = now - timedelta(days=10)

    def within(**wanted: Any) -> SearchFilter:
        return SearchFilter(min_relevance=0, **wanted)

    assert sorted(await found(world, caller, "kettle", within(since=ten))) == [
        "kettle 0 days ago",
        "kettle 10 days ago",
    ]
    assert await found(world, caller, "kettle", within(since=ten, until=ten)) == ["kettle 10 days ago"]
    assert await found(world, caller, "kettle", within(until=ten - timedelta(seconds=1))) == [
        "kettle 20 days ago"
    ]


async def test_what_mentions_a_name_of_the_question_is_found_without_its_words(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "likes olives", entities=(EntityName(name="Ann Smith"),))
    await remember(world, caller, "likes tea")

    page = await world.services.search.search(caller, "What about ann smith?", ANY)

    assert page.items[0].content == "likes olives"
    assert page.items[0].parts.subject > 0


async def test_the_answer_to_what_was_asked_before_it_is_found(world: World) -> None:
    caller = await world.caller()
    said = [("Which kettle shall we buy?", "Ann"), ("The blue one", "Bob"), ("Fine", "Ann"), ("Bye", "Bob")]
    for content, speaker in said:
        await remember(world, caller, content, kind=MESSAGE, speaker=speaker, conversation="chat")
    await remember(world, caller, "The blue one", kind=MESSAGE, speaker="Eve", conversation="other")

    page = await world.services.search.search(caller, "which kettle to buy", ANY)

    by_speaker = {(each.content, each.speaker): each for each in page.items}
    answer = by_speaker["The blue one", "Bob"]
    assert answer.parts.neighbours > 0
    assert answer.relevance > by_speaker["The blue one", "Eve"].relevance


@pytest.mark.parametrize("encoder", [None, Silent()], ids=["none", "failing"])
async def test_without_vectors_it_goes_by_words(world: World, encoder: HashEncoder | None) -> None:
    caller = await world.caller()
    await remember(world, caller, "The wine cellar is locked", "Tea is served at five")
    services = world.services
    search = SearchService(services.database, world.clock, services.catalog, Embeddings(encoder, 1.0))

    page = await search.search(caller, "locked cellar")

    assert [(each.content, each.parts.meaning) for each in page.items] == [
        ("The wine cellar is locked", None)
    ]
    assert page.partial is (encoder is not None)


async def test_pages_follow_each_other_at_the_time_of_the_first(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *(f"kettle {'very ' * number}{number} boils" for number in range(9)))
    search = world.services.search
    whole = [each.uid for each in (await search.search(caller, "kettle", ANY, first=100)).items]

    pages, after = [], None
    while True:
        page = await search.search(caller, "kettle", ANY, first=4, after=after)
        pages.append([each.uid for each in page.items])
        world.clock.advance(minutes=1)
        if not page.has_next:
            break
        after = page.cursors[-1]

    assert [len(page) for page in pages] == [4, 4, 1]
    assert [uid for page in pages for uid in page] == whole


@pytest.mark.parametrize(
    "text",
    [
        'searchable_in:* OR (content:"x" ~2 ^4) [a TO b] {c} /re/ \\ + - && || ! : ?',
        "\"'`\\",
        "!!!",
        "東京の天気は",
        "a" * 5000,
        "kettle " * 2000,
        "\u202e kettle \x00 \ud7ff",
    ],
)
async def test_any_text_may_be_asked(world: World, text: str) -> None:
    one, other = await world.caller("one"), await world.caller("other")
    await remember(world, one, "kettle x a 東京の天気は晴れ")
    await remember(world, other, "kettle x a 東京の天気は雨")

    assert set(await found(world, one, text, ANY)) <= {"kettle x a 東京の天気は晴れ"}


async def test_what_was_said_does_not_push_out_a_note_nor_a_note_what_was_said(world: World) -> None:
    talker, writer = await world.caller("talker"), await world.caller("writer")
    near = [f"kettle kitchen {number}" for number in range(120)]
    far = "The kettle of the old house by the sea with its garden"
    await remember(world, talker, *near, kind=MESSAGE)
    await remember(world, talker, far)
    await remember(world, writer, *near)
    await remember(world, writer, far, kind=MESSAGE)

    # The 100 nearest by meaning, and the 50 with the most of its words, are of the other sort.
    assert far in await found(world, talker, "kettle kitchen", ANY)
    assert far in await found(world, writer, "kettle kitchen", ANY)


async def test_a_question_has_a_vector_of_its_own_for_what_was_said(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "A kettle", "A window")
    await remember(world, caller, *(f"window {number}" for number in range(50)), "The kettle", kind=MESSAGE)
    encoder = HashEncoder()
    notes, speech = await encoder.questions(["A kettle", "window"])
    asking = store.IndexQuery(
        text="kettle",
        terms={"kettl": 1.0},
        also={},
        named={},
        vectors=store.QueryVectors(notes, speech),
        encoder=encoder.name,
        identified=False,
    )

    async def work(tx: Tx) -> list[Row]:
        now, catalog = world.clock.now(), world.services.catalog
        return (await store.find(tx, caller, asking, SearchFilter(), now, catalog)).rows

    rows = {row["content"]: row["cosine"] for row in await world.services.database.read(work)}

    # The last one is found by its word: the 50 nearest of what was said are others.
    for content, asked in (("A kettle", notes), ("window 7", speech), ("The kettle", speech)):
        (stored,) = await encoder.passages([content])
        expected = sum(one * other for one, other in zip(asked, stored, strict=True))
        assert rows[content] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "first", "after", "field"),
    [
        ("", None, None, "text"),
        (" ", None, None, "text"),
        ("x" * 20_001, None, None, "text"),
        ("x", 0, None, "first"),
        ("x", 101, None, "first"),
        ("x", None, "nonsense", "after"),
    ],
)
async def test_bad_input_is_named(
    world: World, text: str, first: int | None, after: str | None, field: str
) -> None:
    with pytest.raises(InvalidInput) as error:
        await world.services.search.search(await world.caller(), text, first=first, after=after)
    assert error.value.field == field


async def test_a_search_takes_two_statements(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "The kettle")
    world.statements.clear()

    await world.services.search.search(caller, "kettle")

    assert world.statements.names == ["search/find_names", "search/search_memory"]


ORDERS = [f"Order 77-{number} of oak boards was sent to Turku" for number in range(20_400, 20_540)]
CODED = (
    *ORDERS,
    "Call the plumber at +47 22 85 50 50",
    "The fridge was 1,245.50 for both",
    "The lift is stuck, see OPS-1187",
    "The chimney is swept on 14 March 2027",
    "Salt is in aisle 14",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("77 20418", ORDERS[18]),
        ("What happened with order 7720539?", ORDERS[139]),
        ("22855050", CODED[140]),
        ("what was 1245.50", CODED[141]),
        ("ops 1187", CODED[142]),
        ("2027-03-14", CODED[143]),
        ("order 77-20399 of oak boards to Turku", None),
        ("OPS-9999 lift", None),
        ("Salt in aisle 41", None),
        ("chimney swept 15 March 2027", None),
    ],
)
async def test_an_identifier_finds_what_has_it_in_any_spelling_and_nothing_else(
    world: World, question: str, answer: str | None
) -> None:
    """Among more notes that are as near than a search reads."""
    caller = await world.caller()
    await remember(world, caller, *CODED)

    texts = await found(world, caller, question)

    assert texts[:1] == ([] if answer is None else [answer])
    # Whoever asks for what is near without being an answer still finds it.
    assert len(await found(world, caller, question, ANY)) > 1


async def test_an_identifier_may_be_the_name_of_an_entity_or_a_tag(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "The lift is stuck", entities=[EntityName(name="OPS-1187")])
    await remember(world, caller, "The crane is slow", tags=["OPS-1188"])

    assert await found(world, caller, "What about ops 1187?") == ["The lift is stuck"]
    assert await found(world, caller, "OPS1188") == ["The crane is slow"]
    assert await found(world, caller, "OPS-1189") == []


FOREIGN = {
    "Ключ от подвала висит за дверью": "Где ключи от подвала?",
    "გასაღები სამზარეულოშია": "სად არის გასაღები?",
    "ร้านกาแฟข้างบ้านปิดทุกวันจันทร์": "ร้านกาแฟปิดวันไหน",
    "مفتاح المخزن عند الحارس": "أين مفتاح المخزن؟",
    "창고 열쇠는 경비실에 있다": "창고 열쇠가 어디 있어?",
    "倉庫の鍵は守衛室にある": "倉庫の鍵はどこ",
    "🎂 for Ronja: lemon, no nuts": "🎂",
}


async def test_what_the_encoder_has_not_learned_is_found_by_its_characters_alone(world: World) -> None:
    unknowing = served(world, Latin())
    caller = await world.caller()
    await remember(unknowing, caller, *FOREIGN, "The key of the cellar hangs behind the door")

    for note, question in FOREIGN.items():
        page = await unknowing.services.search.search(caller, question)
        assert [each.content for each in page.items] == [note]
        assert not page.partial
    for question in ("🚀", "გამარჯობა მეგობარო", "សួស្តី", "Что пьёт Анна?"):
        assert not (await unknowing.services.search.search(caller, question)).items
