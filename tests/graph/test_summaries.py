"""Goals are summarised, milestones told, logs of finished actions compacted, and no evidence is lost."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    CompletePendingAction,
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    Milestone,
    ProgressDelta,
    TransitionGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.errors import NotFound
from prefrontal.graph.jobs.summaries import CompactLogs, SummariseGoals
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.summaries.record import CompactionResult, Summary, SummaryKind
from prefrontal.graph.summaries.service import SummaryService
from tests.support.canonical import nodes_and_edges
from tests.support.lists import all_of
from tests.support.world import World

NOTHING = CompactionResult(summaries=0, narratives=0, actions=0, entries=0)


async def planned(world: World, *actions: str, **fields: Any) -> Goal:
    bot = await world.caller()
    drafts = tuple(PendingActionDraft(title=title, type="agent_task") for title in actions)
    return await world.services.goals.service.create(
        bot, CreateGoal(title="Plan", pending_actions=drafts, **fields, turn_id="turn-0")
    )


async def step(world: World, goal: Goal, turn: str, note: str, *refs: str) -> None:
    world.clock.advance(seconds=1)
    delta = ProgressDelta(goal_id=goal.uid, delta=0.01, note=note, references=refs)
    await world.services.goals.transitions.update_progress(
        await world.caller(), UpdateProgress(deltas=[delta], turn_id=turn)
    )


async def summaries_of(world: World, goal: Goal, agent: str = "bot") -> tuple[Summary, ...]:
    found = await all_of(world.services.summaries.of_goals, await world.caller(agent), [goal.uid])
    return found.get(goal.uid, ())


async def compact(world: World, **fields: Any) -> CompactionResult:
    world.clock.advance(seconds=1)
    return await world.services.summaries.compact(world.org, **fields)


@pytest.mark.covers("VER-10")
async def test_a_goal_is_summarised_after_ten_turns_with_changes(world: World) -> None:
    goal = await planned(world)
    for number in range(1, 9):
        await step(world, goal, f"turn-{number}", f"Step {number} went well")
    # The first progress moved it on, which is told at once.
    assert await compact(world) == NOTHING.model_copy(update={"summaries": 1})
    assert await compact(world) == NOTHING
    for number in range(10, 19):
        await step(world, goal, f"turn-{number}", f"Step {number} went well", f"log {number}")
    await step(world, goal, "turn-18", "Once more in the same turn")
    assert await compact(world) == NOTHING

    await step(world, goal, "turn-19", "Step 19 was the tenth")
    done = await compact(world)

    assert done == NOTHING.model_copy(update={"summaries": 1})
    newest, first = await summaries_of(world, goal)
    assert (newest.kind, newest.label, newest.upto) == (SummaryKind.MESO, "v20", 20)
    assert newest.text.startswith("Plan: ")
    assert newest.refs == tuple(f"log {number}" for number in range(10, 19))
    assert (first.label, first.refs) == ("v9", ())
    assert await compact(world) == NOTHING


@pytest.mark.covers("VER-10")
async def test_the_figures_of_a_summary_are_those_of_all_steps_and_actions(world: World) -> None:
    goal = await planned(world, "boil", "drink", "wash")
    bot, services = await world.caller(), world.services
    boil, *_ = (await services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    await services.actions.transitions.complete(bot, CompletePendingAction(id=boil.uid, turn_id="turn-1"))
    for number in range(30):
        await step(world, goal, f"turn-{number}", f"Step {number} went well")
    table = services.catalog.summaries.model_copy(update={"most_entries": 20})
    catalog = services.catalog.model_copy(update={"summaries": table})
    small = SummaryService(services.database, world.clock, catalog, services.summaries._summariser)

    assert (await small.compact(world.org)).summaries == 1
    (first,) = await summaries_of(world, goal)
    # The rest of a log that is too long for one summary is in the next one.
    assert first.upto == 20
    assert (await small.compact(world.org)).summaries == 1
    assert (await small.compact(world.org)).summaries == 0

    newest, first = await summaries_of(world, goal)
    assert (newest.upto, newest.kind) == (31, SummaryKind.MESO)
    on = f"{world.clock.now():%Y-%m-%d}"
    for summary in (newest, first):
        figures = f"Plan: On {on} it was in progress at 30% after 30 steps; actions: 1 completed, 2 pending. "
        assert summary.text.startswith(figures)
        assert summary.text.count("%") == 1
    assert "“boil” became completed" in first.text
    assert "Step 0 " in first.text
    assert "Step 0 " not in newest.text


@pytest.mark.alone
@pytest.mark.nightly("a summary is made by a call with each change")
@pytest.mark.covers("VER-10", "VER-12")
async def test_the_service_makes_summaries_by_itself(world: World) -> None:
    services, bot = world.services, await world.caller()
    jobs = services.catalog.jobs
    batched = services.catalog.model_copy(
        update={
            "jobs": jobs.model_copy(
                update={
                    "summarise_goals": jobs.summarise_goals.model_copy(update={"batch": 2}),
                    "compact_logs": jobs.compact_logs.model_copy(update={"batch": 2}),
                }
            )
        }
    )
    assert {"summarise_goals", "compact_logs"} <= services.jobs.named.keys()
    summarise, compacts = (kind(batched, services.summaries) for kind in (SummariseGoals, CompactLogs))
    # The jobs serve every organisation: a store may hold those of other tests.
    others = await services.jobs.run_once(summarise) or 0
    goals = [await planned(world, "boil") for _ in range(3)]
    for goal in goals:
        await finished(world, goal, "log 1")
        await services.goals.transitions.transition(
            bot, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
        )

    assert await services.jobs.run_once(summarise) == others + 3
    assert await services.jobs.run_once(compacts) == 0
    for goal in goals:
        assert [s.kind for s in await summaries_of(world, goal)] == [SummaryKind.MACRO, SummaryKind.MESO]
    world.clock.advance(days=31)
    entries = (await world.counts())["TraceEvent"]
    assert (await services.jobs.run_once(compacts) or 0) >= 3
    # Per action: its change and its completion.
    assert (await world.counts())["TraceEvent"] == entries - 6
    before = await nodes_and_edges(world, bot.home)

    assert await services.jobs.run_once(summarise) == others + 3
    assert await services.jobs.run_once(compacts) == 0
    assert await nodes_and_edges(world, bot.home) == before
    assert await compact(world) == NOTHING


@pytest.mark.covers("VER-10")
async def test_a_goal_is_summarised_when_its_status_has_changed(world: World) -> None:
    goal = await planned(world)
    assert await compact(world) == NOTHING

    await world.services.goals.transitions.transition(
        await world.caller(), TransitionGoal(id=goal.uid, status=GoalStatus.BLOCKED, reason="no water")
    )

    assert await compact(world) == NOTHING.model_copy(update={"summaries": 1})
    (summary,) = await summaries_of(world, goal)
    assert f"It became blocked on {world.clock.now():%Y-%m-%d}: no water." in summary.text


@pytest.mark.covers("VER-11")
async def test_each_milestone_that_is_reached_and_each_completion_is_told_once(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="the water boils")])
    reached = (Milestone(title="Water"), Milestone(title="Tea"))
    goal = await planned(world, milestones=reached, evidence=(EvidenceDraft(observation_id=seen.uid),))
    assert await compact(world) == NOTHING

    reached = (Milestone(title="Water", reached_at=world.clock.now()), Milestone(title="Tea"))
    await world.services.goals.upsert.upsert(bot, UpsertGoal(milestones=reached, id=goal.uid))
    assert await compact(world) == NOTHING.model_copy(update={"narratives": 1})
    assert await compact(world) == NOTHING
    await step(world, goal, "turn-1", "It tastes good", "a guest")
    await world.services.goals.transitions.transition(
        bot, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
    )
    assert await compact(world) == NOTHING.model_copy(update={"summaries": 1, "narratives": 1})
    assert await compact(world) == NOTHING

    by_label = {summary.label: summary for summary in await summaries_of(world, goal)}
    assert set(by_label) == {"milestone:Water", "completed:v4", "v4"}
    assert by_label["milestone:Water"].text.startswith("Plan: Water: ")
    assert "the water boils." in by_label["milestone:Water"].text
    assert by_label["completed:v4"].kind is SummaryKind.MACRO
    assert by_label["completed:v4"].refs == (seen.uid, "a guest")
    (linked,) = await world.rows(
        "MATCH (s:Summary {org_id: $org, label: 'completed:v4'}) "
        "RETURN [(s)-[:SUMMARISES]->(g) | g.uid] AS of, [(s)-[:RESTS_ON]->(o) | o.uid] AS on"
    )
    assert linked == {"of": [goal.uid], "on": [seen.uid]}


async def finished(world: World, goal: Goal, *refs: str) -> PendingAction:
    """An action that was changed twice and completed."""
    bot, services = await world.caller(), world.services
    (action, *_) = (await services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    for number, ref in enumerate(refs):
        world.clock.advance(seconds=1)
        entry = PendingActionUpsert(id=action.uid, evidence_refs=(ref,))
        await services.actions.upsert.upsert(
            bot, UpsertPendingActions(actions=(entry,), turn_id=f"turn-{number}")
        )
    world.clock.advance(seconds=1)
    return await services.actions.transitions.complete(
        bot, CompletePendingAction(id=action.uid, turn_id="turn-end")
    )


@pytest.mark.covers("VER-12..13")
async def test_an_old_log_becomes_a_summary_with_every_piece_of_evidence(world: World) -> None:
    goal = await planned(world, "boil")
    action = await finished(world, goal, "log 1", "log 2", "log 3")
    before = await world.counts()
    assert (await compact(world)).actions == 0

    world.clock.advance(days=31)
    done = await compact(world)

    assert (done.actions, done.entries) == (1, 4)
    (summary,) = [s for s in await summaries_of(world, goal) if s.kind is SummaryKind.LOG]
    assert (summary.of_uid, summary.goal_id, summary.entries) == (action.uid, goal.uid, 4)
    # What was evidence once and is no more in the action itself, too.
    assert summary.refs == ("log 1", "log 2", "log 3")
    assert action.evidence_refs == ("log 3",)
    assert "It became completed" in summary.text or "became completed" in summary.text
    after = await world.counts()
    assert after["TraceEvent"] == before["TraceEvent"] - 4
    assert {label: after[label] for label in ("Version", "OutboxEvent", "PendingAction", "Goal")} == {
        label: before[label] for label in ("Version", "OutboxEvent", "PendingAction", "Goal")
    }


@pytest.mark.covers("VER-14")
async def test_what_is_open_or_young_is_left_as_it_is_and_so_are_versions_and_events(world: World) -> None:
    goal = await planned(world, "boil", "drink")
    await finished(world, goal, "log 1")
    world.clock.advance(days=31)
    young = await planned(world, "wash up")
    await finished(world, young, "log 2")
    bot = await world.caller()
    nodes, _ = await nodes_and_edges(world, bot.home)
    before = {n["node"]["uid"]: n for n in nodes}

    done = await compact(world)

    assert (done.actions, done.entries) == (1, 2)
    nodes, _ = await nodes_and_edges(world, bot.home)
    after = {n["node"]["uid"]: n for n in nodes}
    gone = [before[uid] for uid in before.keys() - after.keys()]
    assert [n["labels"] for n in gone] == [["TraceEvent"]] * 2
    assert {n["node"]["kind"] for n in gone} == {"action_updated", "action_transitioned"}
    (compacted,) = [n["node"] for uid, n in after.items() if uid in before and n != before[uid]]
    assert compacted["title"] == "boil"
    assert {name for name in compacted if compacted[name] != before[compacted["uid"]]["node"].get(name)} == {
        "compacted_at"
    }
    history = await world.services.history.service.history(bot, compacted["uid"])
    assert history is not None
    assert [entry.number for entry in history.items] == [3, 2, 1]


@pytest.mark.covers("VER-12")
async def test_a_dry_run_says_the_same_and_writes_nothing(world: World) -> None:
    goal = await planned(world, "boil")
    await finished(world, goal, "log 1")
    await world.services.goals.transitions.transition(
        await world.caller(), TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
    )
    world.clock.advance(days=31)
    bot = await world.caller()
    before = await nodes_and_edges(world, bot.home)

    dry = await compact(world, dry_run=True)

    assert dry == CompactionResult(summaries=1, narratives=1, actions=1, entries=2)
    assert await nodes_and_edges(world, bot.home) == before
    assert await compact(world) == dry
    assert await compact(world) == await compact(world, dry_run=True) == NOTHING


async def test_it_works_in_batches_and_says_how_far_it_is(world: World) -> None:
    for _ in range(5):
        goal = await planned(world, "boil")
        await finished(world, goal, "log 1")
    world.clock.advance(days=31)
    table = world.services.catalog.summaries.model_copy(update={"batch": 2})
    catalog = world.services.catalog.model_copy(update={"summaries": table})
    own = world.services.summaries
    small = SummaryService(world.services.database, world.clock, catalog, own._summariser)
    seen: list[tuple[str, int]] = []

    done = await small.compact(world.org, progress=lambda what, number: seen.append((what, number)))

    assert (done.actions, done.entries) == (5, 10)
    assert seen == [("goals", 2), ("goals", 4), ("goals", 5), ("actions", 2), ("actions", 4), ("actions", 5)]


async def test_a_run_that_is_ended_goes_on_where_it_was(world: World) -> None:
    for _ in range(3):
        goal = await planned(world, "boil")
        await finished(world, goal, "log 1")
    world.clock.advance(days=31)

    class Ends:
        def __init__(self) -> None:
            self.calls = 0

        async def summarise(self, subject: str, sentences: Any, most: int) -> str:  # noqa: ARG002
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt
            return subject

    ending = SummaryService(world.services.database, world.clock, world.services.catalog, Ends())
    with pytest.raises(KeyboardInterrupt):
        await ending.compact(world.org)

    assert await compact(world) == NOTHING.model_copy(update={"actions": 2, "entries": 4})


async def test_another_organisation_is_not_touched(world: World) -> None:
    goal = await planned(world, "boil")
    await finished(world, goal, "log 1")
    world.clock.advance(days=31)
    other = f"{world.org}-other"
    await world.services.access.create_organisation(other)
    before = await world.counts()

    assert await world.services.summaries.compact(other) == NOTHING
    with pytest.raises(NotFound):
        await world.services.summaries.compact("no-such-organisation")
    assert await world.counts() == before


async def test_summaries_are_read_with_their_space_and_name_only_readable_observations(world: World) -> None:
    bot, services = await world.caller(), world.services
    space = await services.access.create_space(bot, CreateSpace(name="shared"))
    bot = await world.caller()
    (mine,) = await services.scratch.service.add(bot, [ObservationDraft(content="a secret")])
    goal = await services.goals.service.create(
        bot, CreateGoal(title="Ours", evidence=(EvidenceDraft(observation_id=mine.uid),), space=space)
    )
    await services.goals.transitions.transition(bot, TransitionGoal(id=goal.uid, status=GoalStatus.BLOCKED))
    await compact(world)
    await world.caller("guest")
    assert await summaries_of(world, goal, "guest") == ()
    await world.grant(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="guest"), permission=SpacePermission.READ
        ),
    )

    (own,) = await summaries_of(world, goal)
    (seen,) = await summaries_of(world, goal, "guest")

    assert own.refs == (mine.uid,)
    assert seen.refs == ()
    assert "secret" not in seen.text
