"""Lessons: learned from outcomes, counted, found by searches and contexts, retired, and kept from others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import Reason, Request, Section
from prefrontal.graph.errors import (
    Forbidden,
    IllegalTransition,
    InvalidInput,
    NotFound,
    VersionConflict,
)
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.lessons.record import (
    Call,
    Lesson,
    LessonDraft,
    LessonFilter,
    LessonKind,
    LessonSource,
    RestoreLesson,
    RetireLesson,
    TurnEvidence,
)
from prefrontal.graph.lessons.service import LessonService
from prefrontal.graph.memory.record import (
    Forget,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    Remember,
    Supersede,
)
from prefrontal.graph.search.record import SearchFilter, SearchKind
from tests.support.learning import call, learn, outcome, prepared, taught
from tests.support.world import World

LIMIT = "Rate limit exceeded"
RELIABLE = "Weather API is reliable"
FALLBACK = "weather_api has rate limits; use web_search as fallback"


async def lessons(world: World, caller: Caller, **wanted: Any) -> list[Lesson]:
    return list((await world.services.lessons.list(caller, LessonFilter(**wanted))).items)


async def the_lesson(world: World, caller: Caller, **said: Any) -> Lesson:
    """Store an outcome that teaches one lesson; return the lesson as it is now."""
    (uid,) = (await taught(world, caller, **said))["lessons"]
    return (await world.services.lessons.get(caller, [uid]))[uid]


async def found(world: World, caller: Caller, text: str, **wanted: Any) -> list[str]:
    page = await world.services.search.search(caller, text, SearchFilter(**wanted))
    return [item.uid for item in page.items]


async def in_context(world: World, caller: Caller, prompt: str) -> dict[Section, list[str]]:
    context = await world.services.context.preview(caller, Request(prompt=prompt, budget=2000))
    return {
        section.name: [item.uid for item in section.items]
        for section in context.selection.sections
        if section.items
    }


@pytest.mark.covers("OUT-18", "OUT-19")
async def test_a_lesson_is_a_durable_memory_that_later_contexts_show(world: World) -> None:
    caller = await world.caller()
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)

    assert lesson.content == f"What worked: {RELIABLE}"
    assert (lesson.kind, lesson.live, lesson.version) == (MemoryKind.LESSON, True, 1)
    assert (lesson.support, lesson.contradiction, lesson.confidence) == (1, 0, 0.75)
    world.clock.advance(days=400)
    assert await found(world, caller, "is the weather api reliable?") == [lesson.uid]
    assert await found(world, caller, "weather api", kinds=(SearchKind.LESSON,)) == [lesson.uid]
    assert await in_context(world, caller, "Ask the weather api") == {Section.SEMANTIC_MEMORY: [lesson.uid]}


@pytest.mark.covers("OUT-20")
async def test_calls_of_a_tool_update_semantic_memory(world: World) -> None:
    caller = await world.caller()
    await taught(world, caller, call("weather_api", location="Paris"))

    (lesson,) = await lessons(world, caller, tool="weather_api")
    assert lesson.content == "weather_api is reliable for location queries"
    assert (lesson.source, lesson.confidence) == (LessonSource.LOG, 0.5)
    assert await in_context(world, caller, "weather in Paris") == {Section.SEMANTIC_MEMORY: [lesson.uid]}


@pytest.mark.covers("OUT-22")
async def test_lessons_are_listed_by_what_they_are_about(world: World) -> None:
    caller = await world.caller()
    await taught(world, caller, call("weather_api", LIMIT, location="Paris"), call("web_search"))
    await taught(world, caller, what_worked="Caching")
    cached, fallback = await lessons(world, caller)

    assert fallback.content == FALLBACK
    assert await lessons(world, caller, tags=("LESSON", "Paris")) == [fallback]
    assert await lessons(world, caller, tags=("lesson", "caching")) == [cached]
    assert await lessons(world, caller, tags=("Paris", "caching")) == []
    assert await lessons(world, caller, tool="web_search") == [fallback]
    assert await lessons(world, caller, min_confidence=0.6) == [cached]
    assert await lessons(world, caller, min_support=2) == []
    assert await lessons(world, caller, space="spc_other") == []
    assert await world.services.lessons.count(caller, LessonFilter(tool="web_search")) == 1
    with pytest.raises(InvalidInput, match="at most 100"):
        await lessons(world, caller, tags=("x" * 1000,))


async def test_the_list_is_paged(world: World) -> None:
    caller = await world.caller()
    for number in range(3):
        await taught(world, caller, what_worked=f"{'abc'[number]}lpha")
    service = world.services.lessons
    first = await service.list(caller, LessonFilter(), first=2)
    rest = await service.list(caller, LessonFilter(), first=2, after=first.cursors[-1])
    assert [len(first.items), len(rest.items)] == [2, 1]
    assert (first.has_next, rest.has_next) == (True, False)
    assert not {*first.items} & {*rest.items}


@pytest.mark.covers("OUT-30")
async def test_the_same_lesson_learned_again_is_counted(world: World) -> None:
    caller = await world.caller()
    first = await the_lesson(world, caller, what_worked=RELIABLE)
    again = await the_lesson(world, caller, what_worked="weather API is  RELIABLE")

    assert again.uid == first.uid
    assert (again.support, again.contradiction, again.confidence, again.version) == (2, 0, 0.8, 2)
    assert (await world.counts())["Lesson"] == 1
    (row,) = await world.rows(
        "MATCH (:Lesson {org_id: $org})<-[said:TAUGHT|SUPPORTS]-(:Outcome) RETURN collect(type(said)) AS said"
    )
    assert sorted(row["said"]) == ["SUPPORTS", "TAUGHT"]


@pytest.mark.covers("OUT-30")
async def test_feedback_that_says_the_same_by_meaning_is_one_lesson(world: World) -> None:
    """The encoder of the tests knows words alone: texts with the same ones in another order are near."""
    caller = await world.caller()
    first = await the_lesson(world, caller, what_worked="Caching answers of weather services")
    again = await the_lesson(world, caller, what_worked="Answers of weather services caching")
    assert (again.uid, again.support) == (first.uid, 2)
    other = await the_lesson(world, caller, what_could_improve="Answers of weather services caching")
    assert other.uid != first.uid


@pytest.mark.covers("OUT-30")
async def test_an_outcome_counts_once_for_a_lesson(world: World) -> None:
    caller = await world.caller()
    uid = await outcome(world, caller)
    ready = await prepared(world, caller, uid, what_worked=RELIABLE)
    first = await learn(world, caller, uid, ready)
    before = await world.counts()
    again = await learn(world, caller, uid, await prepared(world, caller, uid, what_worked=RELIABLE))

    assert again["lessons"] == first["lessons"]
    assert (again["learned"], again["supported"]) == (0, 0)
    (lesson,) = await lessons(world, caller)
    assert (lesson.support, lesson.version) == (1, 1)
    after = await world.counts()
    assert (after["Lesson"], after["Version"]) == (before["Lesson"], before["Version"])


@pytest.mark.covers("OUT-35")
async def test_the_same_lesson_learned_at_once_is_one(world: World) -> None:
    caller = await world.caller()
    uids = [await outcome(world, caller) for _ in range(6)]
    said = {"what_worked": RELIABLE, "what_could_improve": "Caching"}
    ready = [
        await prepared(world, caller, uid, call("b", LIMIT), call("a"), call("c"), **said) for uid in uids
    ]

    await asyncio.gather(*(learn(world, caller, uid, each) for uid, each in zip(uids, ready, strict=True)))
    kept = await lessons(world, caller)
    assert len(kept) == 4
    assert {(lesson.support, lesson.version) for lesson in kept} == {(6, 6)}


async def test_confidence_falls_with_what_contradicts(world: World) -> None:
    caller = await world.caller()
    await taught(world, caller, call("weather_api", location="Paris"))
    (reliable,) = await lessons(world, caller)
    confidences = [reliable.confidence or 0]
    for _ in range(3):
        await taught(world, caller, call("weather_api", LIMIT), success=False)
        kept = {lesson.says: lesson for lesson in await lessons(world, caller)}
        confidences.append(kept[LessonKind.RELIABLE].confidence or 0)

    reliable, failure = kept[LessonKind.RELIABLE], kept[LessonKind.FAILURE]
    assert confidences == sorted(confidences, reverse=True)
    assert len({*confidences}) == 4
    assert (reliable.support, reliable.contradiction) == (1, 3)
    assert (failure.support, failure.contradiction) == (3, 0)
    assert reliable.contradicts == (failure.uid,)
    assert failure.contradicts == (reliable.uid,)
    assert reliable.conflicting
    await taught(world, caller, call("weather_api", location="Oslo"))
    kept = {lesson.says: lesson for lesson in await lessons(world, caller)}
    assert (kept[LessonKind.RELIABLE].support, kept[LessonKind.FAILURE].contradiction) == (2, 1)


async def test_a_lesson_that_is_rather_wrong_is_no_advice(world: World) -> None:
    caller = await world.caller()
    await taught(world, caller, call("weather_api", location="Paris"))
    (reliable,) = await lessons(world, caller)
    assert await in_context(world, caller, "weather in Paris") == {Section.SEMANTIC_MEMORY: [reliable.uid]}

    await taught(world, caller, call("weather_api", LIMIT), success=False)

    failure, reliable = sorted(await lessons(world, caller), key=lambda lesson: lesson.says)
    assert (failure.confidence, reliable.confidence) == (0.5, 0.4)
    context = await world.services.context.preview(caller, Request(prompt="weather in Paris", budget=2000))
    assert reliable.uid not in {item.uid for item in context.selection.items}
    assert {each.uid: each.reason for each in context.selection.excluded}[reliable.uid] is (
        Reason.BELOW_MIN_CONFIDENCE
    )
    # Who asks for it finds it.
    assert reliable.uid in await found(world, caller, "is the weather_api reliable for location queries?")


@pytest.mark.covers("OUT-28")
async def test_conflicting_lessons_are_all_stored_marked_and_linked(world: World) -> None:
    caller = await world.caller()
    result = await taught(world, caller, what_worked="Caching", what_could_improve="Caching")

    improve, worked = sorted(await lessons(world, caller), key=lambda lesson: lesson.says)
    assert (result["learned"], len(result["lessons"])) == (2, 2)
    assert (worked.conflicting, improve.conflicting) == (True, True)
    assert (worked.contradicts, improve.contradicts) == ((improve.uid,), (worked.uid,))
    assert (worked.support, worked.contradiction) == (improve.support, improve.contradiction) == (1, 1)


@pytest.mark.covers("OUT-27")
async def test_nothing_to_learn_is_no_error(world: World) -> None:
    caller = await world.caller()
    result = await taught(world, caller, turn="monday")
    assert (result["lessons"], result["failed"]) == ([], False)
    assert await lessons(world, caller) == []
    (entry,) = await trace(world, caller)
    assert (entry["kind"], entry["message"]) == ("lessons_extracted", "0 lessons extracted")


async def trace(world: World, caller: Caller) -> list[dict[str, Any]]:
    return await world.rows(
        "MATCH (e:TraceEvent {org_id: $org}) WHERE e.kind STARTS WITH 'lesson' "
        "RETURN e.kind AS kind, e.message AS message, e.ids AS ids, e.details AS details ORDER BY e.uid",
    )


async def test_what_is_learned_stands_in_the_journal_without_its_text(world: World) -> None:
    caller = await world.caller()
    lesson = await the_lesson(world, caller, what_worked=RELIABLE, turn="monday")
    await taught(world, caller, what_worked=RELIABLE)
    await taught(world, caller, what_could_improve=RELIABLE)

    rows = await world.rows(
        "MATCH (e:OutboxEvent {aggregate: $uid}) "
        "RETURN e.type AS type, e.aggregate_version AS version, e.data AS data ORDER BY e.uid",
        uid=lesson.uid,
    )
    assert [(row["type"], row["version"]) for row in rows] == [
        ("lesson.learned", 1),
        ("lesson.supported", 2),
        ("lesson.contradicted", 3),
    ]
    first, *_ = entries = await trace(world, caller)
    assert first["message"] == "1 lesson extracted"
    assert lesson.uid in first["ids"]
    assert not any("reliable" in f"{row}".lower() for row in (*rows, *entries))
    made = await world.rows("MATCH (:Turn)-[m:MADE]->(:Lesson {org_id: $org}) RETURN m.operation AS how")
    assert [row["how"] for row in made] == ["lesson.learned"]


class _Broken:
    async def extract(self, finding: TurnEvidence) -> tuple[LessonDraft, ...]:
        raise ValueError(finding.outcome_uid)


class _Model:
    """Stands for a language model, whose lessons are too long, repeated and untagged."""

    async def extract(self, finding: TurnEvidence) -> tuple[LessonDraft, ...]:
        text = f"  {finding.result} " + "long " * 1000
        draft = LessonDraft(
            statement=text,
            says=LessonKind.WORKED,
            source=LessonSource.FEEDBACK,
            subject="s",
            tags=("x" * 500,),
        )
        return draft, draft, draft.model_copy(update={"statement": " ", "subject": "t"})


def with_extractor(world: World, extractor: Any) -> LessonService:
    services = world.services
    return LessonService(
        services.database,
        world.clock,
        services.catalog,
        services.lessons._changes,
        services.lessons._embeddings,
        extractor,
    )


@pytest.mark.covers("OUT-29")
async def test_a_failed_extraction_is_logged_and_stores_the_outcome(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    caller = await world.caller()
    uid = await outcome(world, caller)
    finding = TurnEvidence(turn_uid="turn", outcome_uid=uid, success=True, what_worked=("secret",))
    ready = await with_extractor(world, _Broken()).prepare(caller, finding, caller.home)
    assert (ready.drafts, ready.failed, ready.code) == ((), True, "ValueError")
    result = await learn(world, caller, uid, ready, turn="monday")

    assert (result["lessons"], result["failed"]) == ([], True)
    (entry,) = await trace(world, caller)
    assert (entry["kind"], "ValueError" in entry["details"]) == ("lesson_extraction_failed", True)
    said = capsys.readouterr()
    assert "lesson_extraction_failed" in said.out + said.err
    assert "secret" not in said.out + said.err


async def test_another_extractor_can_be_plugged_in(world: World) -> None:
    caller = await world.caller()
    uid = await outcome(world, caller)
    finding = TurnEvidence(turn_uid="turn", outcome_uid=uid, success=True, result="Tea")
    ready = await with_extractor(world, _Model()).prepare(caller, finding, caller.home)
    await learn(world, caller, uid, ready)

    (lesson,) = await lessons(world, caller)
    assert lesson.content.startswith("Tea long")
    assert len(lesson.content) <= world.services.catalog.lessons.longest
    assert lesson.tags == ("lesson",)


@pytest.mark.covers("OUT-37")
async def test_no_lesson_is_stored_without_its_outcome(world: World) -> None:
    caller = await world.caller()
    uid = new_id(Kind.OUTCOME, world.clock.now())
    with pytest.raises(NotFound):
        await learn(world, caller, uid, await prepared(world, caller, uid, what_worked=RELIABLE))
    assert await lessons(world, caller, include_retired=True) == []


async def test_a_retired_lesson_is_not_shown_until_it_is_restored(world: World) -> None:
    caller, service = await world.caller(), world.services.lessons
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    gone = await service.retire(
        caller, RetireLesson(id=lesson.uid, reason="It is not", expected_version=lesson.version)
    )

    assert (gone.status, gone.live, gone.version) == (MemoryStatus.RETIRED, False, 2)
    assert (gone.retired_reason, gone.retired_at) == ("It is not", gone.updated_at)
    assert await found(world, caller, "weather api") == []
    assert await in_context(world, caller, "weather api") == {}
    assert await lessons(world, caller) == []
    assert await lessons(world, caller, include_retired=True) == [gone]
    assert (await service.get(caller, [lesson.uid]))[lesson.uid] == gone
    again = await service.retire(caller, RetireLesson(id=lesson.uid, reason="Other"))
    assert again == gone

    back = await service.restore(caller, RestoreLesson(id=lesson.uid, expected_version=2))
    assert (back.status, back.live, back.version) == (MemoryStatus.ACTIVE, True, 3)
    assert (back.retired_at, back.retired_reason) == (None, None)
    assert await found(world, caller, "weather api") == [lesson.uid]
    assert await in_context(world, caller, "weather api") == {Section.SEMANTIC_MEMORY: [lesson.uid]}
    history = await world.services.history.service.history(caller, lesson.uid)
    assert [version.number for version in history.items] == [3, 2, 1]


@pytest.mark.parametrize("text", [RELIABLE, "API weather is reliable"])
async def test_a_retired_lesson_does_not_come_back_by_itself(world: World, text: str) -> None:
    caller, service = await world.caller(), world.services.lessons
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    await service.retire(caller, RetireLesson(id=lesson.uid, reason="It is not"))

    assert (await taught(world, caller, what_worked=text))["lessons"] == [lesson.uid]
    assert await lessons(world, caller) == []
    (still,) = await lessons(world, caller, include_retired=True)
    assert (still.status, still.support) == (MemoryStatus.RETIRED, 2)


async def test_a_forgotten_lesson_does_not_come_back(world: World) -> None:
    caller = await world.caller()
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    await world.services.memory.forget(caller, Forget(id=lesson.uid))

    result = await taught(world, caller, what_worked=RELIABLE)
    assert (result["lessons"], result["failed"]) == ([], False)
    assert await lessons(world, caller, include_retired=True) == []
    assert await found(world, caller, "weather api") == []
    for command, use in (
        (RetireLesson(id=lesson.uid, reason="r"), world.services.lessons.retire),
        (RestoreLesson(id=lesson.uid), world.services.lessons.restore),
    ):
        with pytest.raises(IllegalTransition):
            await use(caller, command)  # type: ignore[operator]


async def test_a_text_that_was_forgotten_is_not_learned(world: World) -> None:
    caller = await world.caller()
    draft = MemoryDraft(kind=MemoryKind.FACT, content=f"what WORKED: {RELIABLE}")
    done = await world.services.memory.remember(caller, Remember(memories=(draft,)))
    await world.services.memory.forget(caller, Forget(id=done.memories[0].uid))
    assert (await taught(world, caller, what_worked=RELIABLE))["lessons"] == []


async def test_lessons_are_not_remembered_or_superseded_by_hand(world: World) -> None:
    caller = await world.caller()
    draft = MemoryDraft(kind=MemoryKind.LESSON, content="Ask first")
    with pytest.raises(InvalidInput, match="learned from outcomes"):
        await world.services.memory.remember(caller, Remember(memories=(draft,)))
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    for kind in (MemoryKind.LESSON, MemoryKind.FACT):
        with pytest.raises(InvalidInput):
            await world.services.memory.supersede(
                caller, Supersede(id=lesson.uid, memory=MemoryDraft(kind=kind, content="Ask"))
            )


async def test_lessons_are_durable_memories(world: World) -> None:
    caller = await world.caller()
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    page = await world.services.memory.list(caller, MemoryFilter(kinds=(MemoryKind.LESSON,)))
    assert [memory.uid for memory in page.items] == [lesson.uid]


@pytest.mark.covers("SEC-14")
async def test_nobody_else_sees_or_changes_a_lesson(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    service = world.services.lessons

    assert await lessons(world, other) == []
    assert await service.count(other, LessonFilter()) == 0
    assert await service.get(other, [lesson.uid]) == {}
    assert await found(world, other, "weather api") == []
    assert await in_context(world, other, "weather api") == {}
    for use, command in (
        (service.retire, RetireLesson(id=lesson.uid, reason="r")),
        (service.restore, RestoreLesson(id=lesson.uid)),
    ):
        with pytest.raises(NotFound):
            await use(other, command)  # type: ignore[operator]
    theirs = await the_lesson(world, other, what_worked=RELIABLE)
    assert (theirs.uid != lesson.uid, theirs.support) == (True, 1)
    assert (await service.get(caller, [lesson.uid]))[lesson.uid] == lesson


async def test_lessons_are_learned_only_where_the_caller_may_write(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    uid = await outcome(world, caller)
    ready = await prepared(world, caller, uid, what_worked=RELIABLE)
    with pytest.raises((Forbidden, NotFound)):
        await learn(world, other, uid, ready)
    assert await lessons(world, caller) == await lessons(world, other) == []


async def test_a_stale_version_is_refused(world: World) -> None:
    caller = await world.caller()
    lesson = await the_lesson(world, caller, what_worked=RELIABLE)
    with pytest.raises(VersionConflict):
        await world.services.lessons.retire(
            caller, RetireLesson(id=lesson.uid, reason="r", expected_version=lesson.version + 1)
        )


async def test_the_links_say_which_calls_show_it(world: World) -> None:
    caller = await world.caller()
    failed, worked = call("weather_api", LIMIT), call("web_search")
    await taught(world, caller, failed, worked)
    (row,) = await world.rows(
        "MATCH (:Outcome)-[said:TAUGHT]->(:Lesson {org_id: $org}) RETURN said.evidence AS evidence"
    )
    assert row["evidence"] == [failed.invocation_uid, worked.invocation_uid]
    assert isinstance(failed, Call)
