"""The commit of a turn: its stores, what fails, what is tried again, and what is done once (source 004)."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.actions.record import PendingActionDraft, TransitionPendingAction
from prefrontal.graph.cortex.goals.record import CreateGoal, GoalStatus, TransitionGoal
from prefrontal.graph.cortex.questions.record import QuestionDraft
from prefrontal.graph.errors import Conflict, InvalidInput, NotFound
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryFilter, MemoryKind, Remember
from prefrontal.graph.scratch.record import (
    ObservationContext,
    ObservationDraft,
    ObservationStatus,
    ResolveObservation,
    Source,
    SourceKind,
    UpdateObservation,
)
from prefrontal.graph.tools.record import InvocationDraft, InvocationFilter, TrackToolInvocation
from prefrontal.graph.turns.commit_record import (
    CommitStore,
    CommitTurn,
    Rule,
    StateDraft,
    StoreStatus,
)
from prefrontal.graph.turns.export_record import StateExport, Urgency
from prefrontal.graph.turns.record import (
    CommitStatus,
    StartTurn,
    TurnAction,
    TurnActionStatus,
    TurnCompletion,
    TurnGoalDone,
    TurnGoalStatus,
    TurnObservation,
    TurnObservationEnd,
    TurnObservationUpdate,
    TurnProgress,
    TurnStory,
)
from tests.support.failing import failing
from tests.support.thinned import first_by_day
from tests.support.world import World

ALL = dict.fromkeys(CommitStore, StoreStatus.COMMITTED)


async def goal_in(world: World, **given: Any) -> Any:
    return await world.services.goals.service.create(
        await world.caller(), CreateGoal(title="Plan the trip", **given)
    )


async def commit(world: World, **given: Any) -> Any:
    command = CommitTurn(**{"turn_id": "t", **given})
    return await world.services.turns.finalization.commit(await world.caller(), command)


def statuses(done: Any) -> dict[CommitStore, StoreStatus]:
    return {each.store: each.status for each in done.stores}


async def exported(world: World, done: Any) -> StateExport:
    found = await world.services.turns.trace.exports(await world.caller(), [done.export_id])
    return StateExport.model_validate_json(found[done.export_id].body)


async def trace(world: World, kind: str) -> list[dict[str, Any]]:
    rows = await world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: $kind}) RETURN e.details AS details ORDER BY e.uid",
        kind=kind,
    )
    return [json.loads(row["details"]) for row in rows]


async def messages(world: World) -> list[tuple[str, str]]:
    page = await world.services.memory.list(
        await world.caller(), MemoryFilter(kinds=(MemoryKind.MESSAGE,)), first=50
    )
    return [(each.speaker or "", each.content) for each in reversed(page.items)]


async def episodes(world: World, **wanted: Any) -> list[str]:
    page = await world.services.memory.list(
        await world.caller(), MemoryFilter(kinds=(MemoryKind.EPISODE,), **wanted), first=50
    )
    return sorted(each.content for each in page.items)


@pytest.mark.covers(
    "TURN-01", "TURN-02", "TURN-07", "TURN-08", "TURN-134", "TURN-135", "TURN-136", "TRC-23..25"
)
async def test_a_turn_passes_through_its_statuses_in_order_and_the_trace_has_the_phases(world: World) -> None:
    bot = await world.caller()
    await world.services.turns.start.start(bot, StartTurn(turn_id="t"))
    world.clock.advance(seconds=5)

    done = await commit(world, user_input="Hi", assistant_response="Hello", urgency=Urgency.HIGH)

    assert (done.turn.status.value, done.status) == ("complete", CommitStatus.OK)
    assert done.turn.completed_at == done.turn.final_at == world.clock.now()
    (entry,) = await trace(world, "turn_committed")
    assert list(entry["phases"]) == [
        "completion",
        "evaluation",
        "selection",
        "memory_commit",
        "publication",
        "finalization",
    ]
    assert all(took >= 0 for took in entry["phases"].values())
    assert list(entry["statuses"]) == ["completing", "ready_for_commit", "complete"]
    assert sorted(entry["statuses"].values()) == list(entry["statuses"].values())
    (published,) = await trace(world, "state_published")
    assert published["at"] == world.clock.now().isoformat()
    export = await exported(world, done)
    assert (export.turn_summary.duration_ms, export.turn_summary.urgency) == (5000, Urgency.HIGH)
    # The next turn begins at once.
    assert (await world.services.turns.start.start(bot, StartTurn(turn_id="u"))).turn.key == "u"


@pytest.mark.covers("TURN-38", "TURN-40", "TURN-41", "TURN-54", "TURN-94", "TURN-101", "TOOL-31")
async def test_an_important_tool_result_is_remembered_for_30_days(world: World) -> None:
    goal = await goal_in(world)
    bot = await world.caller()
    for tool, uid in (("weather_api", goal.uid), ("clock", None)):
        world.clock.advance(seconds=1)
        await world.services.tools.track(
            bot,
            TrackToolInvocation(turn_id="t", tool=tool, result={"at": tool}, goal_id=uid),
        )

    done = await commit(world)

    kept, left = done.selection
    assert (kept.importance.value, kept.rule, left.importance.value, left.rule) == (
        0.65,
        None,
        0.35,
        Rule.IMPORTANCE,
    )
    (memory,) = (await world.services.memory.get(bot, [kept.memory])).values()
    assert memory.content == 'weather_api() returned {"at": "weather_api"}'
    assert (memory.importance, memory.retention) == (0.65, "tool_results")
    assert memory.retained_until == world.clock.now() + timedelta(days=30)
    export = await exported(world, done)
    assert [(each.type.value, each.importance) for each in export.episodic_exports] == [
        ("tool_execution", 0.65)
    ]
    assert [(each.origin, each.rule) for each in export.metadata.discarded] == [(left.origin, "importance")]


@pytest.mark.alone
@pytest.mark.covers("TURN-61", "TURN-95..97", "TURN-99", "TURN-100")
async def test_episodes_are_found_by_time_tag_and_importance_and_are_gone_when_their_time_is_over(
    world: World,
) -> None:
    start = world.clock.now()
    await commit(
        world,
        events=[
            StateDraft(content="Low tide", importance=0.4, tags=["sea"]),
            StateDraft(content="High tide", importance=0.8, tags=["Sea", "boat"]),
            StateDraft(content="Allergic to nuts", importance=0.0, tags=["user_data"]),
        ],
    )
    assert await episodes(world, tags=["sea"]) == ["High tide", "Low tide"]
    assert await episodes(world, tags=["SEA", "boat"]) == ["High tide"]
    assert await episodes(world, min_importance=0.5) == ["High tide"]
    assert await episodes(world, since=start) == ["Allergic to nuts", "High tide", "Low tide"]
    assert await episodes(world, until=start) == []

    world.clock.advance(days=30, seconds=-1)
    assert len(await episodes(world)) == 3
    world.clock.advance(seconds=1)
    # Not seen any more, before anything is deleted.
    assert await episodes(world) == ["Allergic to nuts"]
    found = await world.rows("MATCH (m:Episode {org_id: $org}) RETURN count(m) AS n")
    assert found == [{"n": 3}]
    await world.services.jobs.run_once(world.services.jobs.named["delete_episodes"])
    left = await world.rows("MATCH (m:Episode {org_id: $org}) RETURN m.content AS text")
    assert left == [{"text": "Allergic to nuts"}]
    texts = await world.rows(
        "MATCH (n {org_id: $org}) WHERE any(k IN keys(n) WHERE toString(n[k]) CONTAINS 'High tide')"
        " AND NOT n:StateExport RETURN labels(n) AS labels"
    )
    assert texts == []


@pytest.mark.covers("OBS-56", "OBS-72..81", "TURN-60", "TURN-122")
async def test_the_scratch_page_is_brought_up_to_date(world: World) -> None:
    bot, scratch = await world.caller(), world.services.scratch.service
    drafts = [ObservationDraft(content=text) for text in ("archived", "updated", "cleared", "resolved")]
    archived, updated, cleared, resolved = await scratch.add(bot, drafts)
    (faded,) = await scratch.add(bot, [ObservationDraft(content="faded", ttl_minutes=1)])
    await scratch.change(bot, ResolveObservation(id=resolved.uid))
    world.clock.advance(minutes=2)

    done = await commit(
        world,
        observations=[TurnObservation(content="new")],
        archived_observations=[TurnObservationEnd(id=archived.uid)],
        updated_observations=[TurnObservationUpdate(id=updated.uid, content="newer", confidence=0.9)],
        cleared_observations=[TurnObservationEnd(id=cleared.uid)],
    )

    assert [each.problem for each in done.results] == [None] * 4
    found = await scratch.get(bot, [each.uid for each in (archived, updated, cleared, resolved, faded)])
    assert [found[each.uid].status.value for each in (archived, updated, cleared, resolved, faded)] == [
        "archived",
        "active",
        "archived",
        "archived",
        "expired",
    ]
    assert found[archived.uid].archived_at == world.clock.now()
    after = found[updated.uid]
    assert (after.content, after.confidence, after.type) == ("newer", 0.9, updated.type)
    assert after.updated_at == world.clock.now()
    assert ObservationStatus.ARCHIVED in {each.status for each in found.values()}
    export = (await exported(world, done)).scratch_page_updates
    assert export.archived_observations == [archived.uid]
    assert export.cleared_observations == [cleared.uid]
    assert export.updated_observations == {updated.uid: {"content": "newer", "confidence": 0.9}}
    assert len(export.new_observations) == 1


@pytest.mark.covers("GOAL-64..70", "TURN-15..17", "TURN-76..79")
async def test_the_frontal_cortex_is_updated_and_the_export_says_how(world: World) -> None:
    goal = await goal_in(world, pending_actions=[PendingActionDraft(title="Book", type="agent_task")])
    other = await goal_in(world)
    done = await commit(
        world,
        progress=[TurnProgress(goal_id=goal.uid, delta=0.5)],
        new_actions=[TurnAction(title="Pack", type="agent_task")],
        completed_goals=[TurnGoalDone(id=other.uid)],
    )
    goals = await world.services.goals.service.get(await world.caller(), [goal.uid, other.uid])
    assert goals[goal.uid].progress == 0.5
    assert (goals[other.uid].status, goals[other.uid].completed_at) == (
        GoalStatus.COMPLETED,
        world.clock.now(),
    )
    updates = (await exported(world, done)).fc_updates
    assert updates.completed_goals == [other.uid]
    assert updates.updated_goals == {goal.uid: {"delta": 0.5, "progress": 0.5}}
    assert len(updates.new_actions) == 1


@pytest.mark.covers("TURN-06", "TURN-110..118", "TURN-83..84")
async def test_what_was_said_is_in_the_conversation_with_a_summary_of_the_turn(world: World) -> None:
    began = world.clock.now()
    await world.services.turns.start.start(await world.caller(), StartTurn(turn_id="t"))
    world.clock.advance(seconds=3)
    done = await commit(
        world,
        user_input="Is it hot?",
        assistant_response="Yes, 30 degrees",
        conversation="chat",
        message_metadata={"channel": "mail"},
        new_actions=[TurnAction(title="Buy water", type="agent_task")],
        outcome=OutcomeDraft(success=True, result="answered"),
    )
    page = await world.services.memory.list(await world.caller(), MemoryFilter(conversation="chat"), first=10)
    answered, asked = page.items
    assert [(m.speaker, m.content, m.happened_at) for m in (asked, answered)] == [
        ("user", "Is it hot?", began),
        ("assistant", "Yes, 30 degrees", world.clock.now()),
    ]
    assert asked.metadata == {"channel": "mail", "turn_id": done.turn.uid} == answered.metadata
    assert done.turn.summary == (
        "User: Is it hot?\nAgent: Yes, 30 degrees\nDecisions: 1 action added (Buy water)\n"
        "Outcome: succeeded, answered"
    )
    conversation = (await exported(world, done)).conversation_update
    assert (conversation.user_input, conversation.turn_summary) == ("Is it hot?", done.turn.summary)
    (behind,) = await world.rows("MATCH (c:Conversation {org_id: $org}) RETURN c.behind AS n")
    assert behind == {"n": 2}


@pytest.mark.covers("TURN-117")
async def test_the_summary_says_what_was_refused_as_refused(world: World) -> None:
    bot, goals = await world.caller(), world.services.goals.transitions
    drafts = (
        PendingActionDraft(title="Walk", type="agent_task"),
        PendingActionDraft(title="Swim", type="agent_task"),
        PendingActionDraft(title="Row", type="agent_task"),
        PendingActionDraft(title="Sign", type="user_task"),
        PendingActionDraft(title="Send", type="agent_task", requires_confirmation=True),
    )
    goal, ended = await goal_in(world, pending_actions=drafts), await goal_in(world)
    made = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    named = {each.title: each.uid for each in made}
    await world.services.actions.transitions.transition(
        bot, TransitionPendingAction(id=named["Row"], status="cancelled")
    )
    await goals.transition(bot, TransitionGoal(id=ended.uid, status=GoalStatus.CANCELLED, reason="Rain"))

    done = await commit(
        world,
        goal_statuses=[
            TurnGoalStatus(id=goal.uid, status=GoalStatus.IN_PROGRESS, reason="Now"),
            TurnGoalStatus(id=ended.uid, status=GoalStatus.CANCELLED, reason="Again"),
            TurnGoalStatus(id=ended.uid, status=GoalStatus.COMPLETED, reason="Late"),
        ],
        progress=[
            TurnProgress(goal_id=goal.uid, delta=0.5, note="Half way"),
            TurnProgress(goal_id=ended.uid, delta=0.5, note="Too late"),
        ],
        new_actions=[
            TurnAction(title="Buy water", type="agent_task"),
            TurnAction(id=named["Walk"], title="Walk on"),
            TurnAction(title="No goal", type="agent_task", goal_id="goal_none"),
        ],
        updated_actions=[TurnAction(client_key="none", title="Nothing")],
        action_statuses=[TurnActionStatus(id=named["Walk"], status="cancelled")],
        completed_actions=[
            TurnCompletion(id=named["Swim"], result={"ok": False}),
            TurnCompletion(id=named["Row"]),
            TurnCompletion(id=named["Sign"]),
            TurnCompletion(id=named["Send"]),
            TurnCompletion(id="act_none"),
        ],
        story_updates=[
            TurnStory(question=QuestionDraft(text="Why?")),
            TurnStory(question=QuestionDraft(id="q_none", text="Who?")),
        ],
        completed_goals=[TurnGoalDone(id="goal_none", reason="Done")],
    )

    assert done.turn.summary == (
        "Decisions: 1 action added (Buy water); 1 action updated (Walk on); 1 action failed; 1 action moved; "
        "1 goal moved (Now); 1 goal moved before; 1 step towards goals (Half way); "
        "1 question or story written\n"
        "Refused: 1 action to be added (not_found); 1 action to be updated (not_found); "
        "4 actions to be completed (illegal_transition; owner_violation; confirmation_required; not_found); "
        "1 goal to be completed (not_found); 1 goal to be moved (illegal_transition); "
        "1 step towards goals (illegal_transition); 1 question or story to be written (not_found)\n"
        "Outcome: succeeded"
    )
    export = await exported(world, done)
    assert export.conversation_update.turn_summary == done.turn.summary
    assert export.fc_updates.completed_actions == []
    assert export.fc_updates.updated_actions[named["Swim"]] == {
        "result": {"ok": False},
        "status": "pending",
    }
    # Sent again, what was done has been done, and what was refused is refused.
    again = await commit(world, completed_actions=[TurnCompletion(id=named["Sign"])])
    assert again.turn.summary == "Refused: 1 action to be completed (owner_violation)\nOutcome: succeeded"


@pytest.mark.covers("TURN-117")
@pytest.mark.parametrize("times", [1, 4])
async def test_the_summary_says_what_was_stored_later_once_it_is_stored(world: World, times: int) -> None:
    goal = await goal_in(world)
    with failing(world.services, CommitStore.FRONTAL_CORTEX, times=times):
        done = await commit(world, **whole(goal.uid))

    before, after = (
        "User: Is it hot?\nAgent: Yes\n",
        "Tools: thermometer (worked)\nOutcome: succeeded, answered",
    )
    waits = f"{before}Not stored yet: 1 action to be added; 1 step towards goals\n{after}"
    stored = f"{before}Decisions: 1 action added (Buy water); 1 step towards goals\n{after}"
    assert (await exported(world, done)).conversation_update.turn_summary == waits
    assert done.turn.summary == (stored if times == 1 else waits)
    world.clock.advance(seconds=1)
    await commit(world, turn_id="next")
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org, key: 't'}) RETURN t.summary AS summary")
    assert turn["summary"] == stored


@pytest.mark.covers("GOAL-50")
async def test_the_end_of_a_turn_brings_the_progress_of_goals_up_to_date_once(world: World) -> None:
    goal, other = await goal_in(world), await world.caller("other")
    about = ObservationContext(goal_id=goal.uid)
    drafts = [
        ObservationDraft(content="The hotel is booked", confidence=0.9, context=about),
        ObservationDraft(content="The train is booked", confidence=0.5, context=about),
        ObservationDraft(content="It rains", confidence=0.6),
    ]
    caller = await world.caller()
    await world.services.evaluation.add(caller, drafts, turn_id="t", evaluate=False)
    # Neither of another turn, nor of another agent.
    later = ObservationDraft(content="The ferry is booked", confidence=0.4, context=about)
    await world.services.evaluation.add(caller, [later], turn_id="u", evaluate=False)
    await world.services.turns.start.start(other, StartTurn(turn_id="t"))

    async def progress() -> tuple[float, list[str]]:
        (row,) = await world.rows(
            "MATCH (g:Goal {uid: $uid}) RETURN g.progress AS progress, "
            "COLLECT { MATCH (o)-[link:EVIDENCES]->(g) WHERE link.until IS NULL "
            "RETURN o.content ORDER BY o.content } AS texts",
            uid=goal.uid,
        )
        return round(row["progress"], 6), row["texts"]

    assert await progress() == (0, [])
    await world.services.turns.finalization.commit(other, CommitTurn(turn_id="t"))
    assert await progress() == (0, [])
    await commit(world)
    booked = ["The hotel is booked", "The train is booked"]
    assert await progress() == (0.14, booked)
    await commit(world)
    assert await progress() == (0.14, booked)
    await commit(world, turn_id="u", idempotency_key="k")
    await commit(world, turn_id="u", idempotency_key="k")
    assert await progress() == (0.18, sorted([*booked, "The ferry is booked"]))


@pytest.mark.covers("TOOL-21")
@pytest.mark.parametrize("result", [{"\ud800": 1}, {"x": "\ud800"}, {"x": float("nan")}])
async def test_a_call_of_which_the_result_is_no_json_is_recorded_once_under_the_key(
    world: World, result: Any
) -> None:
    call = InvocationDraft(tool="x", result=result)
    for _ in range(2):
        done = await commit(world, idempotency_key="k", tool_invocations=(call,))
        assert set(statuses(done).values()) == {StoreStatus.COMMITTED}

    page = await world.services.tools.list(await world.caller(), InvocationFilter(), first=5)
    assert [each.error for each in page.items] == ["invalid response: it is not JSON"]


@pytest.mark.parametrize("place", ["events", "errors"])
async def test_an_event_of_which_the_goal_is_not_readable_refuses_the_commit(
    world: World, place: str
) -> None:
    goal = await goal_in(world)
    hidden = await world.services.goals.service.create(await world.caller("other"), CreateGoal(title="Mine"))
    told = [StateDraft(content="c", goal_id=uid) for uid in (goal.uid, hidden.uid)]
    before = await world.counts()

    with pytest.raises(NotFound) as caught:
        await commit(world, **{place: tuple(told)})

    assert caught.value.field == f"{place}[1].goalId"
    assert await world.counts() == before


@pytest.mark.parametrize(
    "wrong",
    [{"id": "half \ud800", "title": "t"}, {"title": "t", "type": "research", "client_key": "half \ud800"}],
)
async def test_a_text_that_no_database_holds_is_wrong_input_and_no_failed_store(
    world: World, wrong: dict[str, Any]
) -> None:
    await world.caller()
    before = await world.counts()
    with capture_logs() as logs, pytest.raises(InvalidInput):
        await commit(world, new_actions=(TurnAction(**wrong),))
    assert [entry for entry in logs if entry["event"] == "store_not_committed"] == []
    assert await world.counts() == before


@pytest.mark.covers("TURN-138..140", "TURN-143..146", "TRC-27", "OUT-32", "OUT-33", "OUT-38", "OBS-65")
@pytest.mark.parametrize("store", list(CommitStore))
@pytest.mark.parametrize(
    "times", first_by_day([2, 4, 1], "a store that fails twice, and one that always fails", by_day=2)
)
async def test_a_store_that_fails_is_tried_again_and_has_its_part_once(
    world: World, store: CommitStore, times: int
) -> None:
    goal = await goal_in(world)
    with failing(world.services, store, times=times) as failed:
        done = await commit(world, **whole(goal.uid))
    assert failed == [store] * times
    expected = ALL | ({store: StoreStatus.ESCALATED} if times > 3 else {})
    assert statuses(done) == expected
    assert {each.store: each.attempts for each in done.stores}[store] == min(times + 1, 4)
    assert done.turn.status.value == "complete"
    assert len(await trace(world, "store_failed")) == times
    if times > 3:
        assert (done.status, done.turn.commit_status) == (CommitStatus.PARTIAL, CommitStatus.PARTIAL)
        assert len(await trace(world, "commit_escalated")) == 1
        # The next turn of the space works it off first.
        world.clock.advance(seconds=1)
        later = await commit(world, turn_id="next")
        assert statuses(later) == ALL
    await is_whole(world, goal.uid)
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org, key: 't'}) RETURN t.commit_status AS status")
    assert turn == {"status": "ok"}
    left = await world.rows("MATCH (p:PendingCommit {org_id: $org}) RETURN p.status AS s, p.payload AS p")
    assert left == [{"s": "committed", "p": None}]


def whole(goal: str) -> dict[str, Any]:
    """A commit with something for each store."""
    return {
        "user_input": "Is it hot?",
        "assistant_response": "Yes",
        "outcome": OutcomeDraft(success=True, result="answered"),
        "feedback": FeedbackDraft(what_worked="Asking twice"),
        "tool_invocations": [InvocationDraft(tool="thermometer", result={"t": 30}, goal_id=goal)],
        "events": [StateDraft(content="It was hot", importance=0.9)],
        "progress": [TurnProgress(goal_id=goal, delta=0.25)],
        "new_actions": [TurnAction(title="Buy water", type="agent_task")],
        "observations": [TurnObservation(content="The fan is broken")],
    }


async def is_whole(world: World, goal: str) -> None:
    """The graph has everything of `whole`, once."""
    assert await messages(world) == [("user", "Is it hot?"), ("assistant", "Yes")]
    assert await episodes(world) == [
        "It was hot",
        "Succeeded: answered. What worked: Asking twice.",
        'thermometer() returned {"t": 30}',
    ]
    bot = await world.caller()
    (found,) = (await world.services.goals.service.get(bot, [goal])).values()
    assert found.progress == 0.25
    counts = await world.counts()
    assert {
        label: counts[label] for label in ("Outcome", "PendingAction", "Observation", "ToolInvocation")
    } == {
        "Outcome": 1,
        "PendingAction": 1,
        "Observation": 1,
        "ToolInvocation": 1,
    }


@pytest.mark.covers("TURN-133", "TURN-141", "TURN-142")
async def test_a_turn_of_which_nothing_can_be_committed_is_complete_and_nothing_is_lost(world: World) -> None:
    goal = await goal_in(world)
    with failing(world.services, *CommitStore, times=4):
        done = await commit(world, **whole(goal.uid))
    assert (done.status, done.turn.status.value) == (CommitStatus.FAILED, "complete")
    assert set(statuses(done).values()) == {StoreStatus.ESCALATED}
    assert await messages(world) == []
    world.clock.advance(seconds=1)
    await commit(world, turn_id="next")
    await is_whole(world, goal.uid)


@pytest.mark.covers("TURN-107", "TURN-126")
async def test_the_same_commit_again_changes_nothing(world: World) -> None:
    goal = await goal_in(world)
    first = await commit(world, idempotency_key="k", **whole(goal.uid))
    before = await world.counts()
    again = await commit(world, idempotency_key="k", **whole(goal.uid))
    assert await world.counts() == before
    assert (again.export_id, again.selection, again.outcome) == (
        first.export_id,
        first.selection,
        first.outcome,
    )
    with pytest.raises(Conflict):
        await commit(world, idempotency_key="k", user_input="another")
    assert await world.counts() == before
    # Without a key it is a further commit of the turn, and everything in it is known.
    world.clock.advance(seconds=1)
    more = whole(goal.uid) | {"tool_invocations": []}
    await commit(world, **more)
    await is_whole(world, goal.uid)


async def test_two_processes_that_commit_a_turn_at_once_commit_it_once(world: World) -> None:
    goal = await goal_in(world)
    one, two = await asyncio.gather(
        *(commit(world, idempotency_key="k", **whole(goal.uid)) for _ in range(2))
    )
    assert one.export_id == two.export_id
    await is_whole(world, goal.uid)
    # Without a key, too.
    await asyncio.gather(*(commit(world, turn_id="u", user_input="Again?") for _ in range(2)))
    assert [text for _, text in await messages(world)].count("Again?") == 1


@pytest.mark.covers("TURN-09..14", "TRC-26")
async def test_a_turn_that_failed_gets_an_action_that_says_what_to_do(world: World) -> None:
    goal = await goal_in(world)
    done = await commit(
        world,
        tool_invocations=[
            InvocationDraft(tool="search", result={"error": "rate limit exceeded"}, goal_id=goal.uid)
        ],
    )
    assert (done.evaluation.success, done.evaluation.needs_follow_up) == (False, True)
    (result,) = done.results
    assert (result.path, result.action.goal_id, result.action.type) == ("followUp", goal.uid, "follow_up")
    assert result.action.title == done.evaluation.follow_up
    export = await exported(world, done)
    assert export.metadata.errors == ["search: rate limit exceeded"]
    assert export.turn_summary.success is False
    # Twice more: then it is a pattern.
    for turn in ("u", "v"):
        world.clock.advance(seconds=1)
        done = await commit(
            world,
            turn_id=turn,
            follow_up=False,
            tool_invocations=[InvocationDraft(tool="search", result={"error": "rate limit exceeded"})],
        )
        assert done.results == ()
    assert [(each.kind.value, each.tool, each.turns) for each in done.patterns] == [
        ("repeated_failure", "search", 3)
    ]


async def test_a_forgotten_text_does_not_come_back_through_a_commit(world: World) -> None:
    bot = await world.caller()
    remembered = await world.services.memory.remember(
        bot, Remember(memories=[MemoryDraft(kind=MemoryKind.FACT, content="The secret word is Xanadu")])
    )
    await world.services.memory.forget(bot, Forget(id=remembered.memories[0].uid))
    done = await commit(
        world,
        user_input="The secret word is Xanadu",
        events=[StateDraft(content="The secret word is Xanadu", importance=0.9)],
    )
    assert [each.rule for each in done.selection] == [Rule.FORGOTTEN]
    found = (await exported(world, done)).text()
    assert "Xanadu" not in found
    assert done.turn.summary is not None
    assert "Xanadu" not in done.turn.summary
    assert await messages(world) == []


@pytest.mark.covers("TURN-03..05", "TURN-18..21", "TURN-91..93", "TURN-98", "TURN-123", "TURN-124", "OBS-82")
async def test_all_that_a_turn_did_is_looked_at_and_what_matters_is_remembered(world: World) -> None:
    goal = await goal_in(world)
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(
        bot,
        [
            ObservationDraft(
                content="The user needs a visa",
                type="requirement",
                confidence=0.9,
                source=Source(kind=SourceKind.DAEMON, name="watcher"),
                context=ObservationContext(goal_id=goal.uid),
            )
        ],
        turn_id="t",
    )
    done = await commit(
        world,
        daemons_activated=["watcher"],
        tool_invocations=[
            InvocationDraft(tool="embassy", result={"open": True}, goal_id=goal.uid, client_key="a"),
            InvocationDraft(tool="trains", result={"error": "timeout"}, goal_id=goal.uid, client_key="b"),
        ],
        events=[StateDraft(content="The user called", importance=0.5, tags=["call"])],
        errors=[StateDraft(content="The printer is out of paper", importance=0.9)],
        warnings=["The embassy closes soon"],
        observations=[TurnObservation(content="Maybe it rains", confidence=0.1)],
    )
    assert [(each.type.value, each.rule) for each in done.selection] == [
        ("observation", None),
        ("tool_execution", None),
        ("error", None),
        ("event", None),
        ("error", None),
    ]
    made = await world.rows(
        "MATCH (t:Turn {org_id: $org, key: 't'})-[:MADE]->(m:Episode) "
        "RETURN m.content AS text, [(m)-[:ON]->(topic) | topic.key] AS topics, "
        "[(m)-[:RESTS_ON]->(o) | o.uid] AS rests ORDER BY text"
    )
    assert [row["text"] for row in made] == [
        "The printer is out of paper",
        "The user called",
        "The user needs a visa",
        'embassy() returned {"open": true}',
        "trains failed: timeout",
    ]
    assert made[2]["rests"] == [seen.uid]
    assert "call" in made[1]["topics"]
    export = await exported(world, done)
    assert export.metadata.daemons_activated == ["watcher"]
    assert export.metadata.tools_executed == ["embassy", "trains"]
    assert export.metadata.errors == ["trains: timeout", "The printer is out of paper"]
    assert export.metadata.warnings == ["The embassy closes soon"]
    assert export.provenance is not None
    assert (export.provenance.turn_id, export.provenance.space_id) == (done.turn.uid, bot.home)
    # Whatever it says, the scratch page has it.
    assert [each.observation.content for each in done.results if each.observation] == ["Maybe it rains"]


@pytest.mark.covers("OBS-83", "TURN-51")
async def test_what_was_selected_is_in_later_contexts_until_the_user_takes_it_back(world: World) -> None:
    bot = await world.caller()
    text = "The user prefers the window seat on trains"
    done = await commit(world, events=[StateDraft(content=text, tags=["user_data"])])
    world.clock.advance(days=400)

    async def context() -> str:
        request = AssembleContext(
            prompt="Which seat on trains does the user prefer?", budget=2000, turn_id="u"
        )
        return (await world.services.context.assemble(bot, request)).selection.text

    assert text in await context()
    await world.services.memory.forget(bot, Forget(id=done.selection[0].memory))
    assert await episodes(world) == []
    assert text not in await context()


@pytest.mark.covers("TURN-147..149", "TRC-28")
async def test_the_last_write_wins_and_is_flagged_where_it_took_the_place_of_another(world: World) -> None:
    bot, scratch = await world.caller(), world.services.scratch.service
    mine, other = await scratch.add(bot, [ObservationDraft(content="one"), ObservationDraft(content="two")])
    await world.services.turns.start.start(bot, StartTurn(turn_id="t"))
    world.clock.advance(seconds=1)
    # Somebody else changes the text of one and the confidence of the other meanwhile.
    await scratch.change(bot, UpdateObservation(id=mine.uid, content="theirs"))
    await scratch.change(bot, UpdateObservation(id=other.uid, confidence=0.1))
    world.clock.advance(seconds=1)
    done = await commit(
        world,
        updated_observations=[
            TurnObservationUpdate(id=mine.uid, content="ours"),
            TurnObservationUpdate(id=other.uid, content="ours, too"),
        ],
    )
    assert done.status is CommitStatus.OK
    found = await scratch.get(bot, [mine.uid, other.uid])
    assert (found[mine.uid].content, found[other.uid].content) == ("ours", "ours, too")
    page = await world.services.turns.trace.of_spaces(bot, kinds=[TraceKind.CONSISTENCY_ISSUE])
    assert [(each.ids, each.details) for each in page.items] == [
        ((mine.uid,), {"version": 3, "overwritten": 2})
    ]
    # Whoever does not want that says which version they have read.
    world.clock.advance(seconds=1)
    refused = await commit(
        world,
        turn_id="u",
        updated_observations=[TurnObservationUpdate(id=mine.uid, content="late", expected_version=1)],
    )
    assert refused.results[0].problem.code == "version_conflict"
