"""What outcomes teach (source 000, §Examples 1 to 3 and §Test Scenario 5)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext, Section
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, Outcome, OutcomeDraft, RecordOutcome
from prefrontal.graph.lessons.record import Lesson, LessonDraft, LessonFilter, RetireLesson, TurnEvidence
from prefrontal.graph.memory.record import Forget
from prefrontal.graph.sessions.record import StartSession
from prefrontal.graph.tools.record import TrackToolInvocation
from tests.support.world import World

LIMITED = {"error": "Rate limit exceeded"}


async def call(world: World, caller: Caller, tool: str, result: Any, turn: str = "t", **fields: Any) -> str:
    world.clock.advance(seconds=0.01)
    command = TrackToolInvocation(turn_id=turn, tool=tool, result=result, **fields)
    return (await world.services.tools.track(caller, command)).invocation.uid


async def record(
    world: World, caller: Caller, worked: str | None = None, improve: str | None = None, **fields: Any
) -> Outcome:
    world.clock.advance(seconds=0.01)
    given = {"turn_id": "t", "outcome": OutcomeDraft(success=True), **fields}
    command = RecordOutcome(feedback=FeedbackDraft(what_worked=worked, what_could_improve=improve), **given)
    return (await world.services.outcomes.record(caller, command)).outcome


async def lessons(world: World, caller: Caller, **wanted: Any) -> list[Lesson]:
    return [*(await world.services.lessons.list(caller, LessonFilter(**wanted))).items]


async def taught_by(world: World, caller: Caller, outcome: Outcome) -> list[str]:
    reader = world.services.lessons.of_outcomes
    page = reader.page_of(outcome.uid, 100, None)
    found = (await reader.pages(caller, [page])).get(page)
    return [lesson.content for lesson in found.items] if found else []


@pytest.mark.covers("OUT-15..18", "OUT-21", "OUT-22", "TRC-05")
async def test_scenario_5_feedback_teaches_a_lesson(world: World) -> None:
    bot = await world.caller()

    outcome = await record(world, bot, worked="Weather API is reliable")

    (lesson,) = await lessons(world, bot)
    assert "Weather API is reliable" in lesson.content
    assert "lesson" in lesson.tags
    assert [one.uid for one in await lessons(world, bot, tags=("LESSON",))] == [lesson.uid]
    assert await lessons(world, bot, tags=("unknown",)) == []
    assert await taught_by(world, bot, outcome) == [lesson.content]
    entries = (await world.services.turns.trace.trace(bot, "t")).items
    (entry,) = [entry for entry in entries if entry.kind is TraceKind.LESSONS_EXTRACTED]
    assert lesson.uid in entry.ids
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org})-[:RESULTED_IN]->(o:Outcome)-[:TAUGHT]->(l:Lesson) RETURN l.uid AS uid"
    )
    assert rows == [{"uid": lesson.uid}]


@pytest.mark.covers("OUT-20")
async def test_example_1_a_tool_that_worked_is_a_lesson(world: World) -> None:
    bot = await world.caller()
    await call(world, bot, "weather_api", {"temperature": 15}, parameters={"location": "Paris"})
    await record(world, bot, outcome=OutcomeDraft(success=True, result="Weather provided"))
    (lesson,) = await lessons(world, bot, tool="weather_api")
    assert "weather_api" in lesson.content
    # The finding is general; what it was found with is a tag.
    assert "Paris" not in lesson.content


@pytest.mark.covers("OUT-14", "OUT-24", "OUT-25", "OUT-37")
async def test_example_3_the_next_turn_sees_the_lesson_of_a_failure(world: World) -> None:
    bot = await world.caller()
    failed = await call(world, bot, "weather_api", LIMITED, parameters={"location": "Paris"})
    await call(world, bot, "web_search", {"answer": "15 degrees"}, parameters={"query": "weather in Paris"})
    outcome = await record(world, bot, worked="Web search fallback", improve="Implement rate limit handling")

    assert (outcome.success, outcome.what_worked) == (True, "Web search fallback")
    (fallback,) = [
        one for one in await lessons(world, bot, tool="weather_api") if "web_search" in one.content
    ]
    assert "rate limit" in fallback.content
    assert {"lesson", "weather_api", "web_search"} <= set(fallback.tags)
    said = await taught_by(world, bot, outcome)
    assert fallback.content in said
    assert any("rate limit handling" in text for text in said)
    rows = await world.rows(
        "MATCH (:Outcome {org_id: $org})-[r:TAUGHT]->(:Lesson {uid: $uid}) RETURN r.evidence AS evidence",
        uid=fallback.uid,
    )
    assert failed in rows[0]["evidence"]

    context = await world.services.context.assemble(
        bot,
        AssembleContext(prompt="What does weather_api say about rate limits?", budget=2000, turn_id="next"),
    )
    shown = {item.uid: item.section for item in context.selection.items}
    assert shown[fallback.uid] is Section.SEMANTIC_MEMORY
    await world.services.lessons.retire(bot, RetireLesson(id=fallback.uid, reason="it has none any more"))
    context = await world.services.context.assemble(
        bot,
        AssembleContext(prompt="What does weather_api say about rate limits?", budget=2000, turn_id="later"),
    )
    assert fallback.uid not in {item.uid for item in context.selection.items}


@pytest.mark.covers("OUT-19", "OUT-30")
async def test_the_same_lesson_again_is_counted_and_not_repeated(world: World) -> None:
    bot = await world.caller()
    first = await record(world, bot, worked="Weather API is reliable")
    (lesson,) = await lessons(world, bot)
    other = build_services(world.services.settings, world.services.database.driver, clock=world.clock)
    world.clock.advance(days=40)
    command = RecordOutcome(
        turn_id="u",
        outcome=OutcomeDraft(success=True),
        feedback=FeedbackDraft(what_worked="Weather API is reliable"),
    )
    # Another process, and later.
    second = (await other.outcomes.record(bot, command)).outcome

    (again,) = await lessons(world, bot)
    assert (again.uid, lesson.support, again.support) == (lesson.uid, 1, 2)
    assert lesson.confidence is not None
    assert again.confidence is not None
    assert again.confidence > lesson.confidence
    assert await taught_by(world, bot, second) == [lesson.content]
    reader = world.services.outcomes.of_lessons
    page = reader.page_of(lesson.uid, 10, None)
    found = (await reader.pages(bot, [page]))[page]
    assert [outcome.uid for outcome in found.items] == [first.uid, second.uid]
    assert await reader.counts(bot, [lesson.uid]) == {lesson.uid: 2}
    # Sent again under its key it counts once.
    for _ in range(2):
        await record(world, bot, worked="Weather API is reliable", client_key="c")
    assert [one.support for one in await lessons(world, bot)] == [3]


@pytest.mark.covers("OUT-27")
async def test_an_outcome_that_teaches_nothing_is_stored_without_a_lesson(world: World) -> None:
    bot = await world.caller()
    outcome = await record(world, bot)
    assert await lessons(world, bot) == []
    assert await taught_by(world, bot, outcome) == []
    entries = (await world.services.turns.trace.trace(bot, "t", kinds=[TraceKind.LESSONS_EXTRACTED])).items
    assert len(entries) == 1


@pytest.mark.covers("OUT-28")
async def test_conflicting_lessons_are_all_stored_and_marked(world: World) -> None:
    bot = await world.caller()
    outcome = await record(
        world, bot, worked="Weather API is reliable", improve="Weather API is not reliable"
    )
    assert outcome.conflicting
    found = await lessons(world, bot)
    assert len(found) == 2
    assert {lesson.conflicting for lesson in found} == {True}


class _Broken:
    async def extract(self, finding: TurnEvidence) -> tuple[LessonDraft, ...]:
        raise RuntimeError(f"no model for {finding.turn_uid}")


@pytest.mark.covers("OUT-29", "TRC-05")
async def test_a_failing_extraction_leaves_the_outcome(world: World) -> None:
    bot = await world.caller()
    broken = build_services(
        world.services.settings,
        world.services.database.driver,
        clock=world.clock,
        lesson_extractor=_Broken(),
    )
    command = RecordOutcome(
        turn_id="t", outcome=OutcomeDraft(success=True), feedback=FeedbackDraft(what_worked="It all")
    )

    done = await broken.outcomes.record(bot, command)

    assert done.created
    assert await lessons(world, bot) == []
    (entry,) = (
        await world.services.turns.trace.trace(bot, "t", kinds=[TraceKind.LESSON_EXTRACTION_FAILED])
    ).items
    assert entry.details["code"] == "RuntimeError"


@pytest.mark.covers("OUT-35")
async def test_concurrent_outcomes_teach_one_lesson(world: World) -> None:
    bot = await world.caller()
    await asyncio.gather(
        *(
            record(
                world, bot, worked="Weather API is reliable", turn_id=f"t{number}", client_key=f"c{number}"
            )
            for number in range(6)
        )
    )
    (lesson,) = await lessons(world, bot)
    assert lesson.support == 6


async def test_a_later_outcome_of_a_turn_learns_from_the_later_calls_alone(world: World) -> None:
    bot = await world.caller()
    await call(world, bot, "weather_api", LIMITED)
    await record(world, bot, outcome=OutcomeDraft(success=False))
    before = {one.uid: one.support for one in await lessons(world, bot)}
    assert len(before) == 1
    await call(world, bot, "web_search", {"answer": 15})
    await record(world, bot)
    after = {one.uid: one.support for one in await lessons(world, bot)}
    assert before.items() <= after.items()
    assert all("weather_api" not in one.tools for one in await lessons(world, bot) if one.uid not in before)


async def test_in_a_session_the_calls_are_those_of_its_turn(world: World) -> None:
    bot = await world.caller(person="ann")
    one = await world.services.sessions.start(bot, StartSession(key="one"))
    two = await world.services.sessions.start(bot, StartSession(key="two"))
    await call(world, bot, "weather_api", {"n": 1}, session_id=one.uid)
    await call(world, bot, "web_search", {"n": 2}, session_id=two.uid)
    # The name stands for the turn of the second session now.
    await record(world, bot, session_id=one.uid)
    assert {tool for lesson in await lessons(world, bot) for tool in lesson.tools} == {"weather_api"}
    await record(world, bot, session_id=two.uid)
    tools = {tool for lesson in await lessons(world, bot) for tool in lesson.tools}
    assert tools == {"weather_api", "web_search"}


async def test_a_forgotten_lesson_does_not_come_back(world: World) -> None:
    bot = await world.caller()
    await record(world, bot, worked="Weather API is reliable")
    (lesson,) = await lessons(world, bot)
    await world.services.memory.forget(bot, Forget(id=lesson.uid))
    outcome = await record(world, bot, worked="Weather API is reliable")
    assert await lessons(world, bot) == []
    assert await taught_by(world, bot, outcome) == []
