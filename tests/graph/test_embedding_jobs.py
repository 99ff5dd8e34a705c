"""Missing vectors are made by a job; another encoder's replace those of before beside a running service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.context.record import Request, Source
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    QuestionDraft,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.embedding import store
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.service import EmbeddingService, ReembedResult
from prefrontal.graph.errors import Conflict, InvalidInput
from prefrontal.graph.memory.record import Forget, MemoryKind, Remember, Supersede
from prefrontal.graph.memory.record import MemoryDraft as Draft
from prefrontal.graph.scratch.record import UpdateObservation
from prefrontal.graph.search.record import SearchFilter, SearchKind
from prefrontal.graph.search.service import FoundPage
from prefrontal.graph.storage.unit_of_work import Tx
from prefrontal.graph.text.encoder import HashEncoder, Vector
from prefrontal.graph.text.terms import VERSION, index_form
from tests.graph.test_embedding_writes import Failing, Other, add, remember, served
from tests.support.embedding import embedded
from tests.support.thinned import first_by_day
from tests.support.world import World

pytestmark = pytest.mark.alone


@pytest.fixture(autouse=True)
async def _first_slot(world: World) -> Any:
    """The slots as they are after a first start, before and after each test."""
    await reset(world)
    yield
    await reset(world)


async def reset(world: World) -> None:
    await world.rows("MATCH (n:Memory|Goal|Question|Story|Lease) DETACH DELETE n")
    await world.rows(
        "MERGE (s:Embedding {name: 'memory'}) SET s.serving = 'a', s.a = 'hash' REMOVE s.b, s.after"
    )


async def slots(world: World) -> tuple[str, str | None, str | None, str | None]:
    (row,) = await world.rows(
        "MATCH (s:Embedding) RETURN s.serving AS serving, s.a AS a, s.b AS b, s.after AS after"
    )
    return row["serving"], row["a"], row["b"], row["after"]


async def drain(world: World) -> int | None:
    return await world.services.jobs.run_once(world.services.jobs.named["embed_memories"])


async def unembedded(world: World) -> list[str]:
    rows = await world.rows("MATCH (m:Unembedded) RETURN m.content AS content ORDER BY m.uid")
    return [row["content"] for row in rows]


async def vectors(world: World) -> dict[str, tuple[bool, str | None, bool, str | None]]:
    """By content, whether there is a vector in each slot, and of which encoder."""
    rows = await world.rows(
        "MATCH (m:Memory) RETURN m.content AS content, m.embedding_a IS NOT NULL AS a, m.embedded_a AS of_a, "
        "m.embedding_b IS NOT NULL AS b, m.embedded_b AS of_b ORDER BY m.uid"
    )
    return {row["content"]: (row["a"], row["of_a"], row["b"], row["of_b"]) for row in rows}


IN_A, IN_B = (True, "hash", False, None), (False, None, True, "other")


class Unknowing(Failing):
    """Knows nothing of a text without a Latin letter."""

    async def passages(self, texts: Sequence[str]) -> list[Vector | None]:  # type: ignore[override]
        return self._known(texts, await super().passages(texts))

    async def questions(self, texts: Sequence[str]) -> list[Vector | None]:  # type: ignore[override]
        return self._known(texts, await super().questions(texts))

    def _known(self, texts: Sequence[str], made: Sequence[Vector]) -> list[Vector | None]:
        return [v if re.search("[A-Za-z]", text) else None for text, v in zip(texts, made, strict=True)]


class OtherUnknowing(Unknowing):
    name = "other"
    dimensions = 8


async def test_a_text_of_which_the_encoder_knows_nothing_is_tried_once_and_found_by_its_words(
    world: World,
) -> None:
    encoder = Unknowing("fails")
    unknowing = served(world, encoder)
    await remember(unknowing, "Tea", "🎉🎉", "ᚠᚢᚦ ᚨᚱᚲ")
    (note,) = await add(unknowing, "გასაღები სამზარეულოშია")
    caller, search = await world.caller(), unknowing.services.search.search
    without = (False, "hash", False, None)

    assert await drain(unknowing) == 3
    asked = len(encoder.asked)
    assert (await drain(unknowing), await unembedded(world)) == (0, [])
    assert not any(encoder.asked[asked:])
    assert await vectors(world) == {
        "Tea": IN_A,
        "🎉🎉": without,
        "ᚠᚢᚦ ᚨᚱᚲ": without,
        "გასაღები სამზარეულოშია": without,
    }
    assert (await unknowing.services.embedding.vector_status()).unembedded == 0

    # Words alone decide, and that is the whole answer.
    for question, answer in (
        ("ᚠᚢᚦ", ["ᚠᚢᚦ ᚨᚱᚲ"]),
        ("გასაღები", ["გასაღები სამზარეულოშია"]),
        ("🚀🚀", []),
        ("გამარჯობა", []),
        ("Tea", ["Tea"]),
    ):
        found = await search(caller, question)
        assert ([each.content for each in found.items], found.partial) == (answer, False), question
    # What is asked by meaning does not come back because it has no vector.
    near = await search(caller, "Coffee", SearchFilter(min_relevance=0.0))
    assert [each.content for each in near.items] == ["Tea"]

    # What the question says beside a name may be unknown.
    aim = unknowing.services.search._query_vectors
    assert await aim("Ann 🎉", "🎉") == await aim("Ann 🎉", "Ann 🎉")

    # A new text is tried anew, whether the encoder knows something of the old one or not.
    change = unknowing.services.scratch.service.change
    await change(caller, UpdateObservation(id=note, content="The key is in the kitchen"))
    assert (await vectors(world))["The key is in the kitchen"] == IN_A
    await change(caller, UpdateObservation(id=note, content="გასაღები"))
    assert await unembedded(world) == ["გასაღები"]
    assert (await drain(unknowing), (await vectors(world))["გასაღები"]) == (1, without)

    other = served(world, OtherUnknowing("fails"))
    assert await other.services.embedding.reembed() == ReembedResult("other", 4, 0)
    assert (await vectors(world))["Tea"] == IN_B
    assert (await vectors(world))["🎉🎉"] == (False, None, False, "other")


async def test_the_job_makes_the_vectors_that_are_missing(world: World) -> None:
    failing = served(world, Failing())
    await remember(failing, *(f"fact {n}" for n in range(70)))
    await add(failing, "The kettle boils")
    message = Draft(kind=MemoryKind.MESSAGE, content="Tea?", speaker="Ann", conversation="chat")
    caller = await world.caller()
    await failing.services.memory.remember(caller, Remember(memories=[message]))
    assert len(await unembedded(world)) == 72

    assert await drain(world) == 72

    found = await embedded(world)
    assert {has[1:] for has in found.values()} == {
        *((f"fact {n}", "hash") for n in range(70)),
        ("The kettle boils", "hash"),
        ("Ann: Tea?", "hash"),
    }
    assert await unembedded(world) == []
    assert await drain(world) == 0


async def test_a_text_that_cannot_be_encoded_keeps_no_other_from_it(world: World) -> None:
    await remember(served(world, Failing()), "one", "poison", "three")

    assert await drain(served(world, Failing("poison"))) == 3

    assert await unembedded(world) == ["poison"]
    # The next run tries it again.
    assert await drain(served(world, Failing("poison"))) == 0
    assert await drain(world) == 1


async def test_while_the_encoder_fails_the_job_stops(world: World) -> None:
    await remember(served(world, Failing()), "one", "two")

    assert await drain(served(world, Failing())) == 0
    assert await unembedded(world) == ["one", "two"]


async def test_a_text_that_was_changed_meanwhile_gets_no_vector_of_the_old_one(world: World) -> None:
    failing = served(world, Failing())
    changed, known = await add(failing, "The cup is empty", "The pot is empty")
    gone, superseded, _ = await remember(failing, "Ann is ill", "Ann is here", "Ann is well")
    caller = await world.caller()
    job = world.services.jobs.named["embed_memories"]
    lease = await world.services.jobs.acquire(job)
    assert lease is not None

    class Meanwhile(type(job)):  # type: ignore[misc]
        async def prepare(self) -> None:
            await super().prepare()
            scratch = failing.services.scratch.service
            await scratch.change(caller, UpdateObservation(id=changed, content="The cup is full"))
            await world.services.scratch.service.change(
                caller, UpdateObservation(id=known, content="The pot is full")
            )
            await world.services.memory.forget(caller, Forget(id=gone))
            draft = Draft(kind=MemoryKind.FACT, content="Ann is away")
            await world.services.memory.supersede(caller, Supersede(id=superseded, memory=draft))

    other = Meanwhile(world.services.catalog, world.services.embedding)
    assert await world.services.jobs.run_batch(other, lease) == 5

    assert {content: has[1] for content, has in (await embedded(world)).items()} == {
        "The cup is full": None,
        "The pot is full": "The pot is full",
        "Ann is ill": None,
        "Ann is here": None,
        "Ann is well": "Ann is well",
        "Ann is away": "Ann is away",
    }
    assert await unembedded(world) == ["The cup is full"]


async def test_the_job_of_another_encoder_leaves_the_vectors_alone(world: World) -> None:
    await remember(served(world, Failing()), "one")

    assert await drain(served(world, Other())) == 0
    assert (await unembedded(world), await slots(world)) == (["one"], ("a", "hash", None, None))


async def test_the_first_encoder_that_is_set_takes_the_free_slot(world: World) -> None:
    await world.rows("MATCH (s:Embedding) REMOVE s.a")
    await remember(world, "one")
    assert await unembedded(world) == ["one"]

    assert await drain(world) == 1
    assert (await unembedded(world), await slots(world)) == ([], ("a", "hash", None, None))


@pytest.mark.parametrize("named", ["hash", None])
async def test_the_baseline_creates_the_slots_for_the_encoder_if_there_is_one(
    world: World, named: str | None
) -> None:
    settings = world.services.settings.model_copy(update={"encoder": named or "none"})
    services = build_services(settings, world.services.database.driver, clock=world.clock)
    steps = [each.step for each in services.migrations if each.step is not None]
    await world.rows("MATCH (s:Embedding) DELETE s")

    for _ in range(2):
        for step in steps:
            await step()
        assert await slots(world) == ("a", named, None, None)

    await remember(world, "one")
    assert await unembedded(world) == ([] if named else ["one"])


async def plan(world: World) -> None:
    """A goal, a question about it and its story; an archived question and its story."""
    caller = await world.caller()
    draft = CreateGoal(title="Serve tea", description="before noon")
    goal = await world.services.goals.service.create(caller, draft)
    questions = world.services.questions
    for text, told in (("Which cup?", "The blue one"), ("Which pot?", "The old one")):
        question = QuestionDraft(text=text, goal_id=goal.uid, tags=("Cups",))
        command = UpsertQuestionStory(question=question, story=StoryDraft(narrative=told))
        asked = await questions.upsert.upsert(caller, command)
    await questions.transitions.archive_question(caller, ArchiveQuestion(id=asked.question.uid))


async def plans(world: World) -> dict[str, Any]:
    rows = await world.rows(
        "MATCH (n:Goal|Question|Story) RETURN n.content AS content, n.kind AS kind, n.terms AS terms, "
        "n.searchable_in = n.scope_id AS found, n:Unembedded AS waits, n.embedded_a AS a, n.embedded_b AS b "
        "ORDER BY n.uid"
    )
    return {row.pop("content"): tuple(row.values()) for row in rows}


async def test_goals_questions_and_stories_get_their_vectors_from_the_job(world: World) -> None:
    await plan(world)
    found = ["Serve tea\nbefore noon", "Which cup?", "The blue one"]
    assert await unembedded(world) == found
    stored = await plans(world)
    assert stored["Which cup?"][0] == "question"
    assert stored["Which cup?"][1].startswith("which cup ")
    assert stored["Which cup?"][2:] == (True, True, None, None)
    assert stored["Which pot?"][2:] == (None, False, None, None)

    assert await drain(world) == 3

    assert await unembedded(world) == []
    assert {content: has[3:] for content, has in (await plans(world)).items()} == {
        **dict.fromkeys(found, (False, "hash", None)),
        **dict.fromkeys(("Which pot?", "The old one"), (False, None, None)),
    }
    stored = await world.services.embedding.vector_status()
    assert (stored.texts, stored.unembedded) == (5, 0)
    # Another encoder's vectors take their place.
    assert await served(world, Other()).services.embedding.reembed() == ReembedResult("other", 3, 0)
    assert (await plans(world))["Which cup?"][3:] == (False, None, "other")


async def test_another_encoder_takes_the_place_of_the_first(world: World) -> None:
    await remember(world, "one", "two")
    await add(world, "three")
    (gone,) = await remember(world, "four")
    await world.services.memory.forget(await world.caller(), Forget(id=gone))
    told: list[tuple[str, int, int]] = []

    done = await served(world, Other()).services.embedding.reembed(lambda *step: told.append(step))

    assert done == ReembedResult("other", 3, 0)
    assert told == [("encoding", 4, 4), ("removing", 4, 4)]
    assert await vectors(world) == {
        **dict.fromkeys(("one", "two", "three"), IN_B),
        "four": (False, None, False, None),
    }
    assert await slots(world) == ("b", None, "other", None)
    assert await unembedded(world) == []
    # And back again.
    assert await world.services.embedding.reembed() == ReembedResult("hash", 3, 0)
    assert (await vectors(world))["one"] == IN_A
    assert await slots(world) == ("a", "hash", None, None)
    assert await world.services.embedding.reembed() == ReembedResult("hash", 0, 0)


@pytest.mark.parametrize("steps", first_by_day([2, 5, 1, 3, 4, 6], "a kill at another step", by_day=2))
async def test_reembedding_that_was_killed_is_continued(
    world: World, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr("prefrontal.graph.embedding.service._BATCH", 2)
    monkeypatch.setattr("prefrontal.graph.embedding.service._CLEARED", 2)
    await remember(world, *(f"fact {n}" for n in range(5)))
    other = served(world, Other())
    left = steps

    def count(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await other.services.embedding.reembed(count)
    # The service goes on meanwhile.
    await remember(world, "fact 5")
    before = [content for content, has in (await vectors(world)).items() if has[2]]
    written = await other.services.embedding.reembed()

    # What was encoded before is not encoded again.
    assert written == ReembedResult("other", 6 - len(before), 0)
    assert await vectors(world) == {f"fact {n}": IN_B for n in range(6)}
    assert await slots(world) == ("b", None, "other", None)


async def test_what_is_written_while_the_encoder_changes_is_found_by_both(world: World) -> None:
    await remember(world, "one")
    other = served(world, Other())

    async def begin(tx: Tx) -> None:
        await store.begin_filling(tx, "other")

    await world.services.database.write(begin)
    await remember(world, "by the first")
    await remember(other, "by the second")

    # A process that has the second encoder fills its slot at once, and leaves the other one to the job.
    assert await unembedded(world) == ["by the second"]
    assert await vectors(world) == {"one": IN_A, "by the first": IN_A, "by the second": IN_B}
    assert await drain(world) == 1
    assert (await vectors(world))["by the second"] == (True, "hash", True, "other")

    assert (await other.services.embedding.reembed()).written == 2
    await remember(world, "by the first, late")
    assert await unembedded(world) == ["by the first, late"]
    assert await drain(other) == 1
    assert set((await vectors(world)).values()) == {IN_B}


async def test_one_run_yields_to_another_with_another_encoder(world: World) -> None:
    class Third(Other):
        name = "third"

    class Overtaken(Other):
        async def passages(self, texts: Any) -> Any:
            await world.services.database.write(lambda tx: store.begin_filling(tx, "third"))
            return await super().passages(texts)

    await remember(world, "one")
    with pytest.raises(Conflict, match="another encoder's vectors were begun meanwhile"):
        await served(world, Overtaken()).services.embedding.reembed()

    assert (await slots(world))[:3] == ("a", "hash", "third")
    assert await served(world, Third()).services.embedding.reembed() == ReembedResult("third", 1, 0)


async def test_an_encoder_that_fails_ends_the_run_and_changes_nothing(world: World) -> None:
    class Broken(Other):
        async def passages(self, texts: Any) -> Any:
            raise RuntimeError(len(texts))

    await remember(world, "one")
    with pytest.raises(Conflict, match="the encoder fails"):
        await served(world, Broken()).services.embedding.reembed()

    assert await vectors(world) == {"one": IN_A}
    assert (await slots(world))[:2] == ("a", "hash")


async def test_texts_that_cannot_be_encoded_do_not_stop_the_run(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Particular(Failing):
        name = "particular"

    monkeypatch.setattr("prefrontal.graph.embedding.service._BATCH", 2)
    await remember(world, "poison 1", "poison 2", "good", "poison 3", "poison 4")

    done = await served(world, Particular("poison")).services.embedding.reembed()

    assert done == ReembedResult("particular", 1, 4)
    assert (await slots(world))[0] == "b"
    assert await unembedded(world) == [f"poison {n}" for n in (1, 2, 3, 4)]
    assert (await embedded(world, "b"))["good"][1:] == ("good", "particular")


async def test_without_an_encoder_nothing_is_reembedded(world: World) -> None:
    service = EmbeddingService(world.services.database, Embeddings(None, 1))
    with pytest.raises(InvalidInput, match="no encoder is set"):
        await service.reembed()
    assert await service.due(after="", limit=5) == ((), (None, {}))


async def test_a_search_says_that_the_stored_vectors_are_of_another_encoder(world: World) -> None:
    await remember(world, "The red wine is kept in the cellar")
    await plan(world)
    await drain(world)
    caller, other = await world.caller(), served(world, Other())

    async def search(asked: World, *kinds: SearchKind) -> FoundPage:
        wanted = SearchFilter(kinds=kinds or None)
        return await asked.services.search.search(caller, "red wine kept in the cellar", wanted)

    async def late(asked: World) -> tuple[Source, ...]:
        request = Request(prompt="red wine kept in the cellar", budget=500)
        return (await asked.services.context.preview(caller, request)).late

    (found,) = (page := await search(other)).items
    assert (page.partial, found.parts.meaning) == (True, None)
    assert (await search(other, SearchKind.GOAL)).partial
    assert await late(other) == (Source.MEANING,)
    for asked in (world, served(world, HashEncoder())):
        (found,) = (page := await search(asked)).items
        assert (page.partial, found.parts.meaning is None) == (False, False)
        assert await late(asked) == ()

    # Now there are vectors of the other encoder, too.
    await other.services.embedding.reembed()
    assert not (await search(other)).partial
    # Nothing has a vector yet.
    await world.rows("MATCH (s:Embedding) REMOVE s.a, s.b")
    assert not (await search(other)).partial


async def test_terms_of_an_earlier_version_are_renewed_and_a_killed_run_goes_on(world: World) -> None:
    caller = await world.caller()
    old = "Ключ от подвала висит за дверью"
    await remember(world, old, "Order 77-20418", "Tea", *(f"Note {n}" for n in range(300)))
    await remember(world, *(f"Note {n}" for n in range(300, 600)))
    await world.services.goals.service.create(caller, CreateGoal(title="Поливать цветы"))
    await world.rows("MATCH (m:Memory|Goal) SET m.terms = toLower(m.content) + ' 20 june 2026 ann'")
    await world.rows("MATCH (s:Embedding) REMOVE s.terms")
    job, runner = world.services.jobs.named["renew_terms"], world.services.jobs
    lease = await runner.acquire(job)
    assert lease is not None

    # One batch, and then it is killed.
    assert await runner.run_batch(job, lease) == 500
    (row,) = await world.rows("MATCH (s:Embedding) RETURN s.terms AS version, s.terms_after AS after")
    assert (row["version"], row["after"] > "") == (None, True)
    assert await runner.run_once(job) == 104

    (row,) = await world.rows("MATCH (s:Embedding) RETURN s.terms AS version, s.terms_after AS after")
    assert row == {"version": VERSION, "after": None}
    assert await runner.run_once(job) == 0
    rows = await world.rows("MATCH (m:Memory|Goal) RETURN m.content AS content, split(m.terms, ' ') AS terms")
    terms = {row["content"]: set(row["terms"]) for row in rows}
    # Those of its entities and its date are kept.
    assert all({"20", "june", "2026", "ann"} <= of_text for of_text in terms.values())
    assert {index_form("клю"), index_form("люч")} <= terms[old]
    assert "7720418" in terms["Order 77-20418"]
    assert index_form("пол") in terms["Поливать цветы"]
    # What an encoder may have spelled letter by letter is encoded again.
    assert await unembedded(world) == [old, "Поливать цветы"]
    assert (await world.services.search.search(caller, "ключи от подвала")).items[0].content == old


async def test_a_new_store_has_the_present_terms(world: World) -> None:
    await world.rows("MATCH (s:Embedding) DELETE s")
    await world.services.embedding.claim()

    (row,) = await world.rows("MATCH (s:Embedding) RETURN s.terms AS version")
    assert row["version"] == VERSION
    assert await world.services.jobs.run_once(world.services.jobs.named["renew_terms"]) == 0
