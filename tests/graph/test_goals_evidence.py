"""A link of evidence keeps what it was made with: the text of the observation, and what it added."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    LinkObservation,
    ProgressDelta,
    TransitionGoal,
    UnlinkObservation,
    UpdateEvidence,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.errors import Expired, NotFound
from prefrontal.graph.jobs.retention import DeleteArchived
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationDraft,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.lists import all_of
from tests.support.world import World


async def noted(world: World, *texts: str, **given: Any) -> list[Observation]:
    drafts = [ObservationDraft(content=text, confidence=1.0, **given) for text in texts]
    return list(await world.services.scratch.service.add(await world.caller(), drafts))


async def goal_at(world: World, progress: float) -> Goal:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Plan the trip"))
    await world.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=progress)])
    )
    return goal


async def link(world: World, goal: Goal, o: Observation) -> tuple[float, float, bool]:
    moved = await world.services.goals.evidence.link(
        await world.caller(), LinkObservation(goal_id=goal.uid, observation_id=o.uid)
    )
    return moved.before, moved.after, moved.clamped


async def unlink(world: World, goal: Goal, o: Observation) -> tuple[float, float, bool]:
    moved = await world.services.goals.evidence.unlink(
        await world.caller(), UnlinkObservation(goal_id=goal.uid, observation_id=o.uid)
    )
    return moved.before, moved.after, moved.clamped


async def edit(world: World, o: Observation, **changes: Any) -> None:
    world.clock.advance(seconds=1)
    command = UpdateObservation(id=o.uid, **changes)
    await world.services.scratch.service.change(await world.caller(), command)


async def evidence_texts(world: World, goal: Goal) -> list[tuple[str, str | None]]:
    """What the evidence of a goal says now, and what it said when it was linked."""
    reader = world.services.goals.service.evidence
    found = await all_of(reader, await world.caller(), [goal.uid], 1)
    return [(e.observation.content, e.content) for e in found[goal.uid]]


@pytest.mark.covers("GOAL-47", "VER-05")
async def test_evidence_keeps_the_text_that_it_was_linked_with(world: World) -> None:
    first, second = await noted(world, "The train leaves at 9", "It rains")
    await edit(world, first, content="The train leaves at 10", confidence=0.9)
    evidence = tuple(EvidenceDraft(observation_id=o.uid) for o in (first, second))
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Travel", evidence=evidence))
    later = await goal_at(world, 0.1)
    await edit(world, first, confidence=0.8)
    await link(world, later, first)
    assert await evidence_texts(world, goal) == [("The train leaves at 10",) * 2, ("It rains",) * 2]

    await edit(world, first, content="The train is cancelled", tags=("train",))
    between = await goal_at(world, 0.1)
    await link(world, between, first)
    await edit(world, first, content="There is a bus")
    await world.services.scratch.service.change(caller, ResolveObservation(id=first.uid))

    assert await evidence_texts(world, goal) == [
        ("There is a bus", "The train leaves at 10"),
        ("It rains",) * 2,
    ]
    assert await evidence_texts(world, later) == [("There is a bus", "The train leaves at 10")]
    assert await evidence_texts(world, between) == [("There is a bus", "The train is cancelled")]
    history = await world.services.history.service.history(caller, first.uid)
    texts = [
        (version.number, change.before, change.after)
        for version in history.items
        for change in version.changes
        if change.name == "content"
    ]
    assert texts == [
        (5, "The train is cancelled", "There is a bus"),
        (4, "The train leaves at 10", "The train is cancelled"),
        (2, "The train leaves at 9", "The train leaves at 10"),
        (1, None, "The train leaves at 9"),
    ]


@pytest.mark.alone
async def test_no_text_of_a_deleted_observation_stays_in_its_versions(world: World) -> None:
    (o,) = await noted(world, "The secret number is 7")
    await edit(world, o, content="The secret number is 8", metadata={"secret": 8})
    await world.services.scratch.service.change(await world.caller(), ArchiveObservation(id=o.uid))
    found = (
        "MATCH (v:Version {org_id: $org}) "
        "RETURN v.fields AS fields, v.changes AS changes, v.before AS before ORDER BY v.number"
    )
    assert "secret" in str(await world.rows(found))

    world.clock.advance(days=7)
    await world.services.jobs.run_once(DeleteArchived(world.services.catalog))

    assert await world.rows(found) == [
        {"fields": ["content", "metadata"], "changes": "{}", "before": None},
        {"fields": ["archived_at", "status"], "changes": "{}", "before": None},
    ]


@pytest.mark.covers("GOAL-58")
async def test_unlinking_takes_back_what_the_link_added_also_after_a_clamp(world: World) -> None:
    first, second, third = await noted(world, "It rains", "The hotel is full", "The bus is late")
    goal = await goal_at(world, 0.95)
    assert await link(world, goal, first) == (0.95, 1.0, True)
    assert await link(world, goal, second) == (1.0, 1.0, True)
    assert await unlink(world, goal, second) == (1.0, 1.0, False)
    assert await unlink(world, goal, first) == (1.0, 0.95, False)

    # Of several that are linked at once, the first ones add what there is room for.
    caller = await world.caller()
    drafts = [EvidenceDraft(observation_id=o.uid) for o in (first, second, third)]
    full = await goal_at(world, 0.85)

    async def join(tx: Any, now: Any) -> Any:
        return await world.services.goals.evidence.join(tx, caller, full.uid, drafts, now, turn_id=None)

    await world.services.goals.evidence._changes.write(caller, join, operation="join")
    assert await unlink(world, full, third) == (1.0, 1.0, False)
    assert await unlink(world, full, second) == (1.0, 0.95, False)
    assert await unlink(world, full, first) == (0.95, 0.85, False)


async def test_what_counts_after_a_contradiction_is_taken_back_exactly_too(world: World) -> None:
    fifty, sixty, extra = await noted(world, "The budget is $50", "The budget is $60", "It rains")
    goal = await goal_at(world, 0.8)
    await link(world, goal, fifty)
    assert await link(world, goal, sixty) == (0.9, 0.9, False)
    await link(world, goal, extra)
    # Fifty goes, so that sixty counts: 0.1 is taken back and 0.1 is added.
    assert await unlink(world, goal, fifty) == (1.0, 1.0, False)
    assert await unlink(world, goal, extra) == (1.0, 0.9, False)
    assert await unlink(world, goal, sixty) == (0.9, 0.8, False)

    near = await goal_at(world, 0.95)
    await link(world, near, fifty)
    await link(world, near, sixty)
    await world.services.scratch.service.change(await world.caller(), ResolveObservation(id=fifty.uid))
    (moved,) = await world.services.goals.evidence.settle(await world.caller(), goal_ids=[near.uid])
    assert (moved.before, moved.after, moved.clamped) == (1.0, 1.0, True)
    assert await unlink(world, near, sixty) == (1.0, 1.0, False)
    assert await unlink(world, near, fifty) == (1.0, 0.95, False)


async def state(world: World, goal: Goal) -> tuple[str, float]:
    found = (await world.services.goals.service.get(await world.caller(), [goal.uid]))[goal.uid]
    return found.status.value, found.progress


async def move(world: World, goal: Goal, status: GoalStatus, reason: str | None = None) -> None:
    command = TransitionGoal(id=goal.uid, status=status, reason=reason)
    await world.services.goals.transitions.transition(await world.caller(), command)


async def step(world: World, goal: Goal, delta: float) -> None:
    command = UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=delta)])
    await world.services.goals.transitions.update_progress(await world.caller(), command)


async def new_goal(world: World) -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title="Plan the trip"))


async def test_a_goal_that_a_link_has_begun_is_pending_again_without_the_link(world: World) -> None:
    rain, hotel = await noted(world, "It rains", "The hotel is full")
    goal = await new_goal(world)
    await link(world, goal, rain)
    await link(world, goal, hotel)
    assert await state(world, goal) == ("in_progress", 0.2)
    # What the other link has added is still there.
    await unlink(world, goal, rain)
    assert await state(world, goal) == ("in_progress", 0.1)
    command = UnlinkObservation(goal_id=goal.uid, observation_id=hotel.uid)
    gone = await world.services.goals.evidence.unlink(await world.caller(), command)
    assert (gone.goal.status, gone.after) == (GoalStatus.PENDING, 0.0)
    assert await state(world, goal) == ("pending", 0.0)
    history = await world.services.history.service.history(await world.caller(), goal.uid)
    assert {change.name: (change.before, change.after) for change in history.items[0].changes} == {
        "evidence": ([hotel.uid], []),
        "progress": (0.1, 0.0),
        "status": ("in_progress", "pending"),
    }
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $goal}) RETURN e.type AS type, e.data AS data "
        "ORDER BY e.uid DESC LIMIT 2",
        goal=goal.uid,
    )
    assert {(row["type"], json.loads(row["data"])["status"]) for row in events} == {
        ("goal.progressed", "pending"),
        ("goal.evidence_unlinked", "pending"),
    }

    # The next link begins it again.
    await link(world, goal, rain)
    assert await state(world, goal) == ("in_progress", 0.1)
    await unlink(world, goal, rain)
    assert await state(world, goal) == ("pending", 0.0)


async def test_what_somebody_else_has_moved_stays_in_progress_without_the_link(world: World) -> None:
    (rain,) = await noted(world, "It rains")
    by_hand, stopped, stepped, back, begun = [await new_goal(world) for _ in range(5)]
    await step(world, begun, 0.3)
    await step(world, begun, -0.3)
    for goal in (by_hand, stopped, stepped, back, begun):
        await link(world, goal, rain)
    await move(world, by_hand, GoalStatus.BLOCKED)
    await move(world, by_hand, GoalStatus.IN_PROGRESS)
    await move(world, stopped, GoalStatus.BLOCKED)
    await step(world, stepped, 0.2)
    await step(world, back, 0.2)
    await step(world, back, -0.2)
    for goal in (by_hand, stopped, stepped, back, begun):
        await unlink(world, goal, rain)

    found = [await state(world, goal) for goal in (by_hand, stopped, stepped, back, begun)]
    assert found == [
        ("in_progress", 0.0),
        ("blocked", 0.0),
        ("in_progress", 0.2),
        ("in_progress", 0.0),
        ("in_progress", 0.0),
    ]


async def test_a_change_of_the_title_does_not_keep_a_goal_in_progress(world: World) -> None:
    (rain,) = await noted(world, "It rains")
    goal = await new_goal(world)
    await link(world, goal, rain)
    command = UpsertGoal(id=goal.uid, title="Plan the journey", priority="high")
    await world.services.goals.upsert.upsert(await world.caller(), command)
    await unlink(world, goal, rain)
    assert await state(world, goal) == ("pending", 0.0)


async def test_a_goal_returns_to_the_progress_with_which_somebody_set_it_pending(world: World) -> None:
    rain, hotel = await noted(world, "It rains", "The hotel is full")
    goal = await new_goal(world)
    await link(world, goal, rain)
    await move(world, goal, GoalStatus.PENDING, "not before May")
    await link(world, goal, hotel)
    assert await state(world, goal) == ("in_progress", 0.2)
    await unlink(world, goal, hotel)
    assert await state(world, goal) == ("pending", 0.1)


async def test_evidence_that_counts_after_a_contradiction_begins_a_goal_and_is_taken_back(
    world: World,
) -> None:
    fifty, sixty = await noted(world, "The budget is $50", "The budget is $60")
    goal = await new_goal(world)
    await link(world, goal, fifty)
    await link(world, goal, sixty)
    # Sixty counts in the place of fifty, so the goal is in progress still.
    await unlink(world, goal, fifty)
    assert await state(world, goal) == ("in_progress", 0.1)
    await unlink(world, goal, sixty)
    assert await state(world, goal) == ("pending", 0.0)


async def test_a_link_with_another_confidence_leaves_the_goal_in_progress(world: World) -> None:
    (rain,) = await noted(world, "It rains")
    goal = await new_goal(world)
    await link(world, goal, rain)
    update = world.services.goals.evidence.update
    change = UpdateEvidence(goal_id=goal.uid, observation_id=rain.uid, confidence=0.5)
    await update(await world.caller(), change)
    assert await state(world, goal) == ("in_progress", 0.05)
    await unlink(world, goal, rain)
    assert await state(world, goal) == ("pending", 0.0)


async def test_a_text_that_an_early_version_did_not_keep_is_not_made_up(world: World) -> None:
    caller = await world.caller()
    edited, same = await noted(world, "The train leaves at 9", "It rains")
    goals = [await goal_at(world, 0.1) for _ in range(2)]
    await link(world, goals[0], edited)
    await link(world, goals[0], same)
    await edit(world, edited, content="The train leaves at 10", tags=('"changed": ["entities"]',))
    await link(world, goals[1], edited)
    # As early versions were written: with the names of the changed texts and without the texts.
    await world.rows(
        "MATCH (v:Version {of_uid: $uid}) SET v.changes = $changes, v.before = $changes, v.fields = $fields",
        uid=edited.uid,
        changes='{"tags": ["\\"changed\\": [\\"entities\\"]"], "changed": ["content"]}',
        fields=["content", "tags"],
    )
    await edit(world, edited, content="The train is cancelled")

    assert await evidence_texts(world, goals[0]) == [
        ("The train is cancelled", None),
        ("It rains", "It rains"),
    ]
    assert await evidence_texts(world, goals[1]) == [("The train is cancelled", "The train leaves at 10")]
    third, second, first = (await world.services.history.service.history(caller, edited.uid)).items
    assert ("content", None, None) in [(c.name, c.before, c.after) for c in second.changes]
    assert "content" not in {change.name for change in first.changes}
    past = await world.services.history.service.as_of(caller, edited.uid, edited.created_at)
    assert past
    assert "content" not in past.fields
    assert (past.fields["status"], "changed" in past.fields) == ("active", False)
    assert [change.after for change in third.changes if change.name == "content"] == [
        "The train is cancelled"
    ]


async def changed(world: World, goal: Goal, o: Observation, **values: Any) -> tuple[float, float, bool]:
    moved = await world.services.goals.evidence.update(
        await world.caller(), UpdateEvidence(goal_id=goal.uid, observation_id=o.uid, **values)
    )
    return moved.before, moved.after, moved.clamped


async def links_of(world: World, goal: Goal) -> list[tuple[float, str | None, float, bool]]:
    """Each link that the goal has had: its confidence, its note, what it adds, and whether it holds."""
    rows = await world.rows(
        "MATCH (:Observation)-[link:EVIDENCES]->(g:Goal {uid: $goal}) RETURN link.confidence AS confidence, "
        "link.note AS note, link.gain AS gain, link.until IS NULL AS holds ORDER BY link.position",
        goal=goal.uid,
    )
    return [(row["confidence"], row["note"], round(row["gain"], 9), row["holds"]) for row in rows]


async def test_a_link_gets_another_confidence_and_note_and_the_one_before_stays_as_history(
    world: World,
) -> None:
    goal, (o,) = await goal_at(world, 0.3), await noted(world, "The train leaves at 9")
    assert await link(world, goal, o) == (0.3, pytest.approx(0.4), False)

    assert await changed(world, goal, o, confidence=0.5) == (pytest.approx(0.4), pytest.approx(0.35), False)
    # What is omitted stays; null clears the note and sets the confidence of the observation.
    assert await changed(world, goal, o, note="said the clerk") == (
        pytest.approx(0.35),
        pytest.approx(0.35),
        False,
    )
    assert (await links_of(world, goal))[-1] == (0.5, "said the clerk", 0.05, True)
    assert await changed(world, goal, o, confidence=None, note=None) == (
        pytest.approx(0.35),
        pytest.approx(0.4),
        False,
    )
    assert await links_of(world, goal) == [
        (1.0, None, 0.1, False),
        (0.5, None, 0.05, False),
        (0.5, "said the clerk", 0.05, False),
        (1.0, None, 0.1, True),
    ]


async def test_a_link_that_has_the_values_already_is_not_touched(world: World) -> None:
    goal, (o,) = await goal_at(world, 0.3), await noted(world, "The train leaves at 9")
    await link(world, goal, o)
    before, counts = await links_of(world, goal), await world.counts()
    assert await changed(world, goal, o, confidence=1.0) == (pytest.approx(0.4), pytest.approx(0.4), False)
    assert await changed(world, goal, o) == (pytest.approx(0.4), pytest.approx(0.4), False)
    assert await links_of(world, goal) == before
    assert await world.counts() == counts


async def test_a_refused_change_of_a_link_leaves_the_link(world: World) -> None:
    goal, (o, other) = await goal_at(world, 0.3), await noted(world, "The train leaves at 9", "It rains")
    await link(world, goal, o)
    before, counts = await links_of(world, goal), await world.counts()
    with pytest.raises(NotFound) as refused:
        await changed(world, goal, other, note="n")
    assert refused.value.field == "observationId"
    world.clock.advance(minutes=60 * 24 * 30)
    with pytest.raises(Expired):
        await changed(world, goal, o, note="n")
    assert await links_of(world, goal) == before
    assert await world.counts() == counts
