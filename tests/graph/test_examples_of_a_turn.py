"""The three examples of source 000, from the context to the commit (source 000, §Examples 1–3)."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.mandates.record import PlanDraft, PlanStepDraft
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft
from prefrontal.graph.lessons.record import LessonFilter
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitTurn
from prefrontal.graph.turns.record import CommitStatus, StartTurn
from tests.support.world import World

QUESTION = "What's the weather in Paris?"
KNOWN = {
    MemoryKind.MANDATE: "Help users make informed decisions",
    MemoryKind.EPISODE: "User previously asked about the weather in Paris",
    MemoryKind.SKILL: "Weather query skill: ask the weather API for a city",
}


async def begun(world: World, turn: str, prompt: str, budget: int) -> Any:
    """A turn that begins with what is known, and its context."""
    bot = await world.caller()
    drafts = [MemoryDraft(kind=kind, content=text) for kind, text in KNOWN.items()]
    await world.services.memory.remember(bot, Remember(memories=drafts))
    await world.services.turns.start.start(bot, StartTurn(turn_id=turn))
    world.clock.advance(seconds=1)
    context = await world.services.context.assemble(
        bot, AssembleContext(prompt=prompt, budget=budget, turn_id=turn)
    )
    assert all(text in context.selection.text for text in KNOWN.values())
    assert context.budget_remaining == budget - context.selection.used >= 0
    return context


async def called(world: World, turn: str, tool: str, **given: Any) -> None:
    world.clock.advance(seconds=1)
    bot = await world.caller()
    await world.services.tools.track(bot, TrackToolInvocation(turn_id=turn, tool=tool, **given))


async def committed(world: World, turn: str, **given: Any) -> Any:
    world.clock.advance(seconds=1)
    command = CommitTurn(turn_id=turn, **given)
    done = await world.services.turns.finalization.commit(await world.caller(), command)
    assert done.status is CommitStatus.OK
    return done


async def lessons(world: World) -> set[str]:
    page = await world.services.lessons.list(await world.caller(), LessonFilter(), first=20)
    return {each.content for each in page.items}


async def kinds(world: World, turn: str) -> list[str]:
    rows = await world.rows(
        "MATCH (:Turn {org_id: $org, key: $turn})-[:LOGGED]->(e) RETURN e.kind AS kind ORDER BY e.uid",
        turn=turn,
    )
    return list(dict.fromkeys(row["kind"] for row in rows))


@pytest.mark.covers("TURN-137")
async def test_example_1_a_question_is_answered_and_teaches(world: World) -> None:
    await begun(world, "t", QUESTION, 2000)
    plan = PlanDraft(steps=(PlanStepDraft(description="Call weather_api for Paris"),))
    checked = await world.services.turns.plans.check(await world.caller(), plan, None, None)
    assert checked.satisfied
    await called(world, "t", "weather_api", parameters={"location": "Paris"}, result={"celsius": 15})

    done = await committed(
        world,
        "t",
        user_input=QUESTION,
        assistant_response="Weather in Paris is 15°C and cloudy",
        outcome=OutcomeDraft(success=True, result="Weather provided"),
    )

    assert done.outcome.success
    assert await lessons(world) == {"weather_api is reliable for location queries"}
    assert await kinds(world, "t") == [
        "turn_started",
        "context_assembled",
        "tool_invoked",
        "turn_evaluated",
        "state_selected",
        "outcome_recorded",
        "remembered",
        "lessons_extracted",
        "store_committed",
        "state_published",
        "turn_committed",
    ]


@pytest.mark.covers("TURN-137")
async def test_example_2_three_cities_in_a_small_budget(world: World) -> None:
    context = await begun(world, "t", "What's the weather in Paris, London, and Tokyo?", 300)
    assert context.budget == 300
    for city in ("Paris", "London", "Tokyo"):
        await called(world, "t", "weather_api", parameters={"location": city}, result={"celsius": 15})
    done = await committed(world, "t", outcome=OutcomeDraft(success=True))
    assert done.evaluation.issues == ()
    assert await lessons(world) == {
        "weather_api is reliable for location queries",
        "weather_api can be called for several locations in one turn",
    }


@pytest.mark.covers("TURN-137", "CTX-30")
async def test_example_3_a_failure_a_fallback_and_the_lesson_in_the_next_context(world: World) -> None:
    await begun(world, "t", QUESTION, 2000)
    paris = {"location": "Paris"}
    await called(world, "t", "weather_api", parameters=paris, result={"error": "Rate limit exceeded"})
    await called(world, "t", "web_search", parameters={"query": QUESTION}, result={"answer": "15°C"})

    done = await committed(
        world,
        "t",
        outcome=OutcomeDraft(success=True, result="The weather in Paris is 15 degrees and cloudy"),
        feedback=FeedbackDraft(
            what_worked="Web search fallback", what_could_improve="Implement rate limit handling"
        ),
    )

    assert [(each.code, each.tool, each.recovered) for each in done.evaluation.issues] == [
        ("tool_failed", "weather_api", True),
        ("could_improve", None, False),
    ]
    lesson = "weather_api has rate limits; use web_search as fallback"
    assert lesson in await lessons(world)
    context = await world.services.context.assemble(
        await world.caller(),
        AssembleContext(
            prompt="Ask weather_api for the weather in London; it had rate limits",
            budget=2000,
            turn_id="next",
        ),
    )
    assert lesson in context.selection.text
    # The outcome itself is there as well, by the episode that tells it.
    (told,) = await world.rows("MATCH (o:Outcome {org_id: $org}) RETURN o.episode_uid AS uid")
    included = [item.uid for item in context.selection.items]
    assert included.count(told["uid"]) == 1
