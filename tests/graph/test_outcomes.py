"""What came of a turn is recorded with its feedback (source 000, §Test Scenarios 4 and 7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from neo4j.exceptions import ClientError
from structlog.testing import capture_logs

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.errors import Duplicate, TooLarge
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.lessons.outcome_record import (
    FeedbackDraft,
    Outcome,
    OutcomeDraft,
    OutcomeFilter,
    RecordOutcome,
)
from prefrontal.graph.memory.record import Forget, MemoryFilter, MemoryKind
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn
from tests.support.failing import REFUSED, failing
from tests.support.world import World

WEATHER = OutcomeDraft(success=True, result="Provided weather forecast for Paris", user_satisfaction="high")


async def record(world: World, caller: Caller, turn: str = "t", **fields: Any) -> Outcome:
    given = {"outcome": WEATHER, **fields}
    world.clock.advance(seconds=0.001)
    return (await world.services.outcomes.record(caller, RecordOutcome(turn_id=turn, **given))).outcome


async def outcomes(world: World, caller: Caller, **wanted: Any) -> list[Outcome]:
    return [*(await world.services.outcomes.list(caller, OutcomeFilter(**wanted))).items]


@pytest.mark.covers("OUT-02..08", "OUT-10", "TRC-04")
async def test_scenario_4_an_outcome_is_stored_with_its_feedback_and_as_an_episode(world: World) -> None:
    bot = await world.caller()

    made = await record(
        world,
        bot,
        feedback=FeedbackDraft(
            what_worked="Weather API provided accurate data",
            what_could_improve="Could have included forecast for next 3 days",
        ),
    )

    assert (made.success, made.result, made.user_satisfaction) == (
        True,
        "Provided weather forecast for Paris",
        "high",
    )
    assert (made.what_worked, made.what_could_improve) == (
        "Weather API provided accurate data",
        "Could have included forecast for next 3 days",
    )
    assert (made.created_at, made.conflicting, kind_of(made.uid)) == (world.clock.now(), False, Kind.OUTCOME)
    assert await outcomes(world, bot) == [made]
    assert made.episode_uid
    (episode,) = (await world.services.memory.list(bot, MemoryFilter(kinds=(MemoryKind.EPISODE,)))).items
    assert (episode.uid, episode.tags) == (made.episode_uid, ("outcome", "success"))
    assert episode.content.startswith(
        "Succeeded: Provided weather forecast for Paris. User satisfaction: high."
    )
    entries = (await world.services.turns.trace.trace(bot, "t")).items
    (entry,) = [entry for entry in entries if entry.kind is TraceKind.OUTCOME_RECORDED]
    assert (entry.message, entry.ids) == ("Outcome recorded", (made.uid,))
    assert entry.details == {"success": True, "conflicting": False}
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org})-[:RESULTED_IN]->(o:Outcome) RETURN t.key AS turn, o.uid AS uid"
    )
    assert rows == [{"turn": "t", "uid": made.uid}]
    # It is found, and in the next turn's context.
    found = await world.services.search.search(bot, "weather forecast for Paris")
    assert [hit.uid for hit in found.items] == [episode.uid]
    context = await world.services.context.assemble(
        bot, AssembleContext(prompt="weather forecast for Paris", budget=1000, turn_id="next")
    )
    assert [item.uid for item in context.selection.items] == [episode.uid]


@pytest.mark.covers("OUT-11", "OUT-12")
async def test_an_outcome_needs_no_feedback_and_may_be_a_failure(world: World) -> None:
    bot = await world.caller()
    bare = await record(world, bot, outcome=OutcomeDraft(success=True))
    failed = await record(world, bot, outcome=OutcomeDraft(success=False, result="No forecast"))
    assert (bare.success, bare.result, bare.what_worked, bare.what_could_improve) == (True, None, None, None)
    assert (failed.success, failed.result) == (False, "No forecast")
    assert await outcomes(world, bot, success=False) == [failed]
    assert await outcomes(world, bot, success=True) == [bare]
    texts = [
        memory.content
        for memory in (await world.services.memory.list(bot, MemoryFilter(kinds=(MemoryKind.EPISODE,)))).items
    ]
    assert texts == ["Failed: No forecast.", "Turn t succeeded."]


@pytest.mark.covers("OUT-13")
async def test_conflicting_feedback_is_stored_whole_and_marked(world: World) -> None:
    bot = await world.caller()
    made = await record(
        world,
        bot,
        outcome=OutcomeDraft(success=False, feedback=FeedbackDraft(what_worked="Everything")),
    )
    assert (made.success, made.what_worked, made.conflicting) == (False, "Everything", True)


@pytest.mark.covers("OUT-10", "OUT-34", "OUT-37", "TOOL-30")
async def test_outcomes_are_listed_by_turn_and_success_in_pages(world: World) -> None:
    bot, service = await world.caller(), world.services.outcomes
    made = [await record(world, bot, turn, outcome=OutcomeDraft(success=turn == "b")) for turn in "abab"]
    turns = {
        key: turn.uid for key in "ab" if (turn := await world.services.turns.trace.get(bot, key)) is not None
    }
    first = await service.list(bot, OutcomeFilter(), first=3)
    rest = await service.list(bot, OutcomeFilter(), first=3, after=first.cursors[-1])
    assert [*first.items, *rest.items] == made[::-1]
    assert (first.has_next, rest.has_next) == (True, False)
    assert [*(await service.list(bot, OutcomeFilter(), turns["a"])).items] == [made[2], made[0]]
    assert [*(await service.list(bot, OutcomeFilter(success=True), turns["a"])).items] == []
    assert [*(await service.list(bot, OutcomeFilter(), "")).items] == []
    assert await service.count(bot, OutcomeFilter()) == 4
    assert await service.count(bot, OutcomeFilter(success=False)) == 2
    assert await service.count(bot, OutcomeFilter(), turns["b"]) == 2
    page = service.of_turns.page_of(turns["b"], 10, None)
    assert [*(await service.of_turns.pages(bot, [page]))[page].items] == [made[1], made[3]]
    assert await service.of_turns.counts(bot, [turns["b"]]) == {turns["b"]: 2}
    # Nobody else sees them.
    other = await world.caller("other")
    assert await service.get(other, [each.uid for each in made]) == {}
    assert [*(await service.list(other, OutcomeFilter())).items] == []
    assert [*(await service.list(other, OutcomeFilter(), turns["a"])).items] == []
    assert await service.count(other, OutcomeFilter()) == 0
    assert await service.of_turns.counts(other, [turns["b"]]) == {}


@pytest.mark.covers("OUT-09", "OUT-36")
async def test_the_same_outcome_sent_twice_is_one(world: World) -> None:
    bot, service = await world.caller(), world.services.outcomes
    command = RecordOutcome(turn_id="t", outcome=WEATHER, client_key="commit-1")
    first = await service.record(bot, command)
    before = await world.counts()
    again = await service.record(bot, command)
    # The next turn may try again what the last one could not know.
    late = await service.record(bot, command.model_copy(update={"turn_id": "t"}))
    assert (first.created, again.created, late.created) == (True, False, False)
    assert first.outcome == again.outcome == late.outcome
    assert await world.counts() == before
    with pytest.raises(Duplicate) as caught:
        await service.record(bot, command.model_copy(update={"outcome": OutcomeDraft(success=False)}))
    assert caught.value.field == "clientKey"
    assert await world.counts() == before
    assert before["Episode"] == before["Outcome"] == 1


@pytest.mark.covers("OUT-35", "OUT-31")
async def test_concurrent_outcomes_are_each_recorded_once_and_count_each_call_once(world: World) -> None:
    bot = await world.caller()
    for number in range(4):
        world.clock.advance(seconds=1)
        await world.services.tools.track(
            bot,
            TrackToolInvocation(
                turn_id="t",
                tool="search" if number else "weather",
                result={"error": "no"} if number == 3 else {},
            ),
        )

    await asyncio.gather(*(record(world, bot, client_key=f"commit-{number // 2}") for number in range(8)))

    counts = await world.counts()
    assert (counts["Outcome"], counts["Episode"], counts["Turn"]) == (4, 4, 1)
    uses = (await world.services.tools.uses(bot)).items
    assert [(use.key, use.uses, use.successes, use.failures) for use in uses] == [
        ("search", 3, 2, 1),
        ("weather", 1, 1, 0),
    ]
    # Calls after it count with the next outcome.
    await world.services.tools.track(bot, TrackToolInvocation(turn_id="t", tool="weather", result={}))
    await record(world, bot)
    page = await world.services.tools.uses(bot, first=1)
    rest = await world.services.tools.uses(bot, first=1, after=page.cursors[-1])
    assert [(use.key, use.uses) for use in (*page.items, *rest.items)] == [("search", 3), ("weather", 2)]
    assert (page.has_next, rest.has_next) == (True, False)
    assert (await world.services.tools.uses(await world.caller("other"))).items == ()


async def test_an_episode_that_was_forgotten_stays_forgotten(world: World) -> None:
    bot = await world.caller()
    first = await record(world, bot)
    assert first.episode_uid
    await world.services.memory.forget(bot, Forget(id=first.episode_uid))
    second = await record(world, bot)
    assert (second.result, second.episode_uid) == (WEATHER.result, None)
    assert (await world.services.memory.list(bot, MemoryFilter())).items == ()


async def test_a_text_over_its_limit_is_refused_and_nothing_is_written(world: World) -> None:
    bot = await world.caller()
    before = await world.counts()
    most = world.services.catalog.limits.description_characters
    with pytest.raises(TooLarge) as caught:
        await record(world, bot, feedback=FeedbackDraft(what_worked="x" * (most + 1)))
    assert caught.value.field == "feedback.whatWorked"
    assert await world.counts() == before


@pytest.mark.covers("TRC-09")
async def test_an_outcome_that_is_not_recorded_is_logged_and_in_the_trace(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, services = await world.caller(), world.services
    call = TrackToolInvocation(turn_id="t", tool="maps", result={"at": 1})
    turn = (await services.tools.track(bot, call)).invocation.turn_uid
    counted = services.tools.count_in

    async def refused(tx: Any, *given: Any) -> Any:
        await REFUSED(tx)
        await counted(tx, *given)

    monkeypatch.setattr(services.outcomes._tools, "count_in", refused)
    with capture_logs() as logs:
        for name in ("t", "new"):
            with pytest.raises(ClientError):
                await record(world, bot, name)
    monkeypatch.undo()

    said = [each for each in logs if each["event"] == "outcome_not_recorded"]
    known = {"event": "outcome_not_recorded", "log_level": "error", "code": "ClientError", "org": world.org}
    assert said == [known | {"turn": turn}, known | {"turn": None}]
    assert "Paris" not in str(logs)
    assert await outcomes(world, bot) == []
    page = await services.turns.trace.trace(bot, "t", kinds=[TraceKind.OUTCOME_FAILED])
    assert [(entry.message, entry.details) for entry in page.items] == [
        ("Outcome not recorded", {"code": "ClientError"})
    ]
    # A turn that did not begin is not begun by what is said of it.
    assert await services.turns.trace.get(bot, "new") is None
    # What is refused has its problem, and nothing is written.
    await record(world, bot, client_key="once")
    before = await world.counts()
    with capture_logs() as logs, pytest.raises(Duplicate):
        await record(world, bot, client_key="once", outcome=OutcomeDraft(success=False))
    assert [
        (each["log_level"], each["code"]) for each in logs if each["event"] == "outcome_not_recorded"
    ] == [("warning", "duplicate")]
    assert await world.counts() == before


@pytest.mark.covers("TRC-09")
async def test_the_outcome_of_a_commit_that_is_not_stored_at_first_is_logged(world: World) -> None:
    bot, services = await world.caller(), world.services
    await services.tools.track(bot, TrackToolInvocation(turn_id="t", tool="maps", result={"at": 1}))
    with failing(services, CommitStore.EPISODIC, times=2), capture_logs() as logs:
        done = await services.turns.finalization.commit(bot, CommitTurn(turn_id="t", outcome=WEATHER))

    said = [each for each in logs if each["event"] == "outcome_not_recorded"]
    assert [(each["code"], each["turn"], each["org"]) for each in said] == [
        ("ClientError", done.turn.uid, world.org)
    ] * 2
    assert done.outcome is not None
