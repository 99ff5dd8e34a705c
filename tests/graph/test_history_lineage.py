"""The lineage of a goal as it was at a time: its links and its values of then."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import CompletePendingAction, PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    Lineage,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UnshareGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    QuestionStatus,
    StoryDraft,
    StoryStatus,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import InvalidInput, NotFound
from prefrontal.graph.scratch.record import ObservationDraft, ResolveObservation
from tests.support.world import World

SECOND = timedelta(seconds=1)


async def new_goal(world: World, title: str, **fields: Any) -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title=title, **fields))


async def lineage(world: World, uid: str, at: datetime | None, agent: str = "bot") -> Lineage:
    return await world.services.goals.service.lineage(await world.caller(agent), uid, at=at)


def drawn(found: Lineage) -> tuple[set[tuple[Any, ...]], set[tuple[str, str, str]]]:
    names = {node.uid: node.name for node in found.nodes}
    return (
        {(node.role, node.name, node.status, node.progress) for node in found.nodes},
        {(names[edge.source], edge.type, names[edge.target]) for edge in found.edges},
    )


async def test_a_lineage_is_told_as_it_was(world: World) -> None:
    bot = await world.caller()
    (why,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="why", confidence=0.5)])
    old, new = await new_goal(world, "old parent"), await new_goal(world, "new parent")
    source = await new_goal(world, "source")
    begun = world.clock.advance(minutes=1)
    goal = await new_goal(
        world,
        "goal",
        parent_goal_id=old.uid,
        derived_from=(source.uid,),
        evidence=(EvidenceDraft(observation_id=why.uid),),
        pending_actions=(PendingActionDraft(type="agent_task", title="act"),),
    )
    (action,) = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    changed = world.clock.advance(minutes=1)
    change = UpsertGoal(id=goal.uid, title="renamed", parent_goal_id=new.uid, derived_from=())
    await world.services.goals.upsert.upsert(bot, change)
    await world.services.goals.transitions.update_progress(
        bot, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.4)])
    )
    await world.services.goals.transitions.transition(
        bot, TransitionGoal(id=old.uid, status=GoalStatus.CANCELLED)
    )
    await world.services.goals.evidence.unlink(
        bot, UnlinkObservation(goal_id=goal.uid, observation_id=why.uid)
    )
    await world.services.scratch.service.change(bot, ResolveObservation(id=why.uid))
    await world.services.actions.transitions.complete(bot, CompletePendingAction(id=action.uid))
    await new_goal(world, "child", parent_goal_id=goal.uid)

    then = drawn(await lineage(world, goal.uid, changed - SECOND))
    now = drawn(await lineage(world, goal.uid, changed))

    assert then == (
        {
            ("self", "goal", "pending", 0.0),
            ("ancestor", "old parent", "pending", 0.0),
            ("derivation", "source", "pending", 0.0),
            ("evidence", "why", "active", None),
            ("action", "act", "pending", None),
        },
        {
            ("goal", "CHILD_OF", "old parent"),
            ("goal", "DERIVED_FROM", "source"),
            ("why", "EVIDENCES", "goal"),
            ("act", "ADVANCES", "goal"),
        },
    )
    assert now == (
        {
            ("self", "renamed", "in_progress", 0.4),
            ("ancestor", "new parent", "pending", 0.0),
            ("descendant", "child", "pending", 0.0),
            ("action", "act", "completed", None),
        },
        {
            ("renamed", "CHILD_OF", "new parent"),
            ("child", "CHILD_OF", "renamed"),
            ("act", "ADVANCES", "renamed"),
        },
    )
    assert drawn(await lineage(world, goal.uid, None)) == now
    # From another end, and before there was anything of it.
    assert drawn(await lineage(world, old.uid, changed))[1] == set()
    assert ("goal", "CHILD_OF", "old parent") in drawn(await lineage(world, old.uid, begun))[1]
    assert drawn(await lineage(world, old.uid, begun - SECOND))[1] == set()
    with pytest.raises(NotFound):
        await lineage(world, goal.uid, begun - SECOND)


async def test_questions_and_stories_are_told_as_they_were(world: World) -> None:
    bot, upsert = await world.caller(), world.services.questions.upsert.upsert
    goal, other = await new_goal(world, "goal"), await new_goal(world, "other")
    before = world.clock.advance(minutes=1)
    world.clock.advance(minutes=1)

    def pair(question: dict[str, Any], story: dict[str, Any]) -> UpsertQuestionStory:
        return UpsertQuestionStory(
            question=QuestionDraft(client_key="q", **question), story=StoryDraft(client_key="s", **story)
        )

    (seen,) = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="steam", confidence=0.5)]
    )
    asked = await upsert(bot, pair({"text": "How?", "goal_id": goal.uid}, {"narrative": "So"}))
    begun = world.clock.now()
    told = world.clock.advance(minutes=1)
    answered = {"status": QuestionStatus.ANSWERED, "text": "How long?"}
    story = {"narrative": "Ten minutes", "status": StoryStatus.ACCEPTED, "evidence_refs": (seen.uid,)}
    await upsert(bot, pair(answered, story))
    world.clock.advance(seconds=10)
    await world.services.scratch.service.change(bot, ResolveObservation(id=seen.uid))
    moved = world.clock.advance(minutes=1)
    await upsert(bot, pair({"goal_id": other.uid}, {}))

    async def at(time: datetime, uid: str = goal.uid) -> tuple[set[tuple[Any, ...]], set[Any]]:
        nodes, edges = drawn(await lineage(world, uid, time))
        return {node for node in nodes if node[0] in ("question", "story", "evidence")}, edges

    assert await at(before) == (set(), set())
    assert await at(told - SECOND) == (
        {("question", "How?", "open", None), ("story", "So", "draft", None)},
        {("How?", "ABOUT", "goal"), ("So", "ANSWERS", "How?")},
    )
    later = {("question", "How long?", "answered", None), ("story", "Ten minutes", "accepted", None)}
    links = {
        ("How long?", "ABOUT", "goal"),
        ("Ten minutes", "ANSWERS", "How long?"),
        ("steam", "EVIDENCES", "Ten minutes"),
    }
    assert await at(told) == (later | {("evidence", "steam", "active", None)}, links)
    resolved = ("evidence", "steam", "resolved", None)
    assert await at(moved - SECOND) == (later | {resolved}, links)
    assert await at(moved) == (set(), set())
    assert (await at(moved, other.uid))[0] == later | {resolved}
    (about,) = [e for e in (await lineage(world, goal.uid, told)).edges if e.source == asked.question.uid]
    assert (about.since, about.until) == (begun, moved)


async def test_an_edge_tells_since_when_and_until_when_it_held(world: World) -> None:
    bot = await world.caller()
    parent = await new_goal(world, "parent")
    begun = world.clock.advance(minutes=1)
    goal = await new_goal(world, "goal", parent_goal_id=parent.uid)
    ended = world.clock.advance(minutes=1)
    await world.services.goals.upsert.upsert(bot, UpsertGoal(parent_goal_id=None, id=goal.uid))

    (edge,) = (await lineage(world, goal.uid, begun)).edges

    assert (edge.since, edge.until) == (begun, ended)
    assert (await lineage(world, goal.uid, ended)).edges == ()


async def test_a_lineage_is_read_in_one_statement(world: World) -> None:
    goal = await new_goal(world, "goal")
    caller = await world.caller()
    world.statements.clear()

    await world.services.goals.service.lineage(caller, goal.uid, at=world.clock.now())

    assert world.statements.names == ["goals/trace_lineage_as_of"]


async def test_who_may_not_read_a_goal_now_does_not_read_how_it_was(world: World) -> None:
    bot, _ = await world.caller(), await world.caller("other")
    top = await new_goal(world, "top")
    goal = await new_goal(world, "goal", parent_goal_id=top.uid)
    who = (ActorKind.AGENT, "other")
    now = world.clock.now()

    with pytest.raises(NotFound):
        await lineage(world, goal.uid, now, "other")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(goal_id=goal.uid, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.READ),
    )
    # What lies behind what may not be read stays unseen.
    assert [node.name for node in (await lineage(world, goal.uid, now, "other")).nodes] == ["goal"]
    await world.services.goals.sharing.unshare(
        bot, UnshareGoal(goal_id=goal.uid, actor=Actor(kind=who[0], key=who[1]))
    )
    with pytest.raises(NotFound):
        await lineage(world, goal.uid, now, "other")


async def test_a_time_without_a_zone_is_refused(world: World) -> None:
    goal = await new_goal(world, "goal")

    with pytest.raises(InvalidInput) as caught:
        await lineage(world, goal.uid, world.clock.now().replace(tzinfo=None))

    assert caught.value.field == "at"
