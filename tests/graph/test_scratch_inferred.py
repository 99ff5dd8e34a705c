"""Contradictions in different words: found beside the add, logged, shown, and without power over anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, GoalDraft, LinkObservation
from prefrontal.graph.cortex.questions.record import QuestionFilter, QuestionStatus
from prefrontal.graph.evaluation.record import EvaluateScratchPage
from prefrontal.graph.scratch.record import (
    Observation,
    ObservationDraft,
    ObservationFilter,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.world import World

TUESDAY, THURSDAY = "The meeting is on Tuesday", "The meeting was moved to Thursday"


async def noted(world: World, *texts: str, agent: str = "bot", **given: Any) -> list[Observation]:
    drafts = [ObservationDraft.model_validate({"content": text, **given}) for text in texts]
    return list(await world.services.scratch.service.add(await world.caller(agent), drafts))


async def pairs(world: World) -> set[tuple[str, str, str, str | None, bool]]:
    """The stored contradictions that have not ended: both texts, how, the kind, whether it is open."""
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org})-[c:CONTRADICTS]->(other) WHERE c.until IS NULL "
        "RETURN o.content AS one, other.content AS other, c.how AS how, c.kind AS kind, "
        "o.status = 'active' AND other.status = 'active' AS open"
    )
    return {(row["one"], row["other"], row["how"], row["kind"], row["open"]) for row in rows}


@pytest.mark.covers("OBS-69", "OBS-70", "TRC-20")
async def test_a_contradiction_in_other_words_is_linked_and_logged_and_both_are_kept(world: World) -> None:
    (first,) = await noted(world, TUESDAY)
    caller = await world.caller()
    world.statements.clear()
    (second,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=THURSDAY)], turn_id="turn_1"
    )
    assert world.statements.names == [
        "scratch/create_observations",
        "scratch/link_conflicts",
        "journal/append_entries",
        "scratch/find_observations",
    ]

    found = await world.services.scratch.service.conflicts_of(caller, [first.uid, second.uid])
    (conflict,) = found[first.uid]
    assert found[second.uid] == (conflict,)
    assert (conflict.source_id, conflict.target_id, conflict.how.value, conflict.kind, conflict.open) == (
        second.uid,
        first.uid,
        "inferred",
        "date",
        True,
    )
    assert conflict.since == world.clock.now()
    page = await world.services.scratch.service.find(caller, ObservationFilter())
    assert [(o.content, o.status.value) for o in page.items] == [(THURSDAY, "active"), (TUESDAY, "active")]
    trace = await world.services.turns.trace.trace(caller, "turn_1")
    assert [(entry.kind.value, entry.ids, entry.details) for entry in trace.items][1:] == [
        ("observations_conflict", (second.uid, first.uid), {"how": "inferred", "kind": "date"})
    ]
    (event,) = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'observation.conflicted'}) RETURN e.data AS data"
    )
    assert json.loads(event["data"]) == {
        "observation_id": second.uid,
        "contradicts": first.uid,
        "how": "inferred",
        "kind": "date",
    }


async def test_an_add_without_a_contradiction_costs_no_statement_more(world: World) -> None:
    await noted(world, TUESDAY)
    caller = await world.caller()
    world.statements.clear()
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content="The meeting was a success"), ObservationDraft(content="It rains")]
    )
    assert world.statements.names == [
        "scratch/create_observations",
        "journal/append_entries",
        "scratch/find_observations",
    ]


async def test_what_is_elsewhere_over_or_about_somebody_else_is_not_compared(world: World) -> None:
    await noted(world, TUESDAY, agent="stranger")
    await noted(world, TUESDAY, context={"user_id": "ann"})
    await noted(world, TUESDAY, entities=[{"name": "Board"}])
    await noted(world, TUESDAY, ttl_minutes=0)
    (resolved,) = await noted(world, TUESDAY)
    await world.services.scratch.service.change(await world.caller(), ResolveObservation(id=resolved.uid))
    await noted(world, TUESDAY, ttl_minutes=1)
    world.clock.advance(minutes=1)
    await noted(world, THURSDAY, entities=[{"name": "Staff"}])
    assert await pairs(world) == set()

    await noted(world, THURSDAY, entities=[{"name": "Board"}])
    assert await pairs(world) == {(THURSDAY, TUESDAY, "inferred", "date", True)}


async def test_observations_of_one_call_are_compared_with_each_other_and_with_stored_ones(
    world: World,
) -> None:
    await noted(world, "Oskar lives in Graz", "Room 12 is free")
    many = [f"Shelf {number} holds {number} boxes" for number in range(90)]
    world.statements.clear()
    await noted(
        world,
        *many,
        "Oskar has moved to Linz",
        "Room 14 is taken",
        "The heating is on",
        "The heating is switched off",
    )
    assert world.statements.counts["scratch/create_observations"] == 1
    assert world.statements.counts["scratch/link_conflicts"] == 1
    assert await pairs(world) == {
        ("Oskar has moved to Linz", "Oskar lives in Graz", "inferred", "place", True),
        ("The heating is switched off", "The heating is on", "inferred", "state", True),
    }


async def test_a_changed_text_ends_what_was_inferred_of_the_old_one(world: World) -> None:
    (first, heating) = await noted(world, TUESDAY, "The heating is on")
    (second,) = await noted(world, THURSDAY)
    update = world.services.scratch.service.change
    caller = await world.caller()
    await update(caller, UpdateObservation(id=second.uid, content="The heating is switched off"))
    assert await pairs(world) == {("The heating is switched off", heating.content, "inferred", "state", True)}
    await update(caller, UpdateObservation(id=second.uid, content="It rains"))
    assert await pairs(world) == set()
    await update(caller, UpdateObservation(id=first.uid, content="The heating is out of order"))
    assert await pairs(world) == set()


async def test_a_declared_contradiction_keeps_the_kind_that_is_inferred(world: World) -> None:
    (first,) = await noted(world, TUESDAY)
    await noted(world, THURSDAY, contradicts=(first.uid,))
    assert await pairs(world) == {(THURSDAY, TUESDAY, "declared", "date", True)}


@pytest.mark.covers("GOAL-57")
@pytest.mark.parametrize("declared", [False, True])
async def test_only_a_declared_contradiction_in_other_words_withholds_progress(
    world: World, declared: bool
) -> None:
    (first,) = await noted(world, TUESDAY, confidence=0.8)
    (second,) = await noted(world, THURSDAY, confidence=0.8, contradicts=(first.uid,) if declared else ())
    caller = await world.caller()
    goals = world.services.goals
    goal = await goals.service.create(caller, CreateGoal(**dict(GoalDraft(title="Meet"))))
    moved = [
        await goals.evidence.link(caller, LinkObservation(goal_id=goal.uid, observation_id=o.uid))
        for o in (first, second)
    ]
    assert [(each.before, each.after) for each in moved] == [(0.0, 0.08), (0.08, 0.08 if declared else 0.16)]
    rows = await world.rows(
        "MATCH (o:Observation)-[e:EVIDENCES]->(:Goal {uid: $uid}) "
        "RETURN o.uid AS uid, e.withheld AS withheld",
        uid=goal.uid,
    )
    assert {row["uid"]: row["withheld"] for row in rows} == {
        first.uid: None,
        second.uid: 0.08 if declared else None,
    }


async def test_what_waits_for_a_detected_contradiction_does_not_wait_for_an_inferred_one(
    world: World,
) -> None:
    tuesday, friday, thursday = await noted(
        world, TUESDAY, "The meeting is on Friday", THURSDAY, confidence=0.8
    )
    caller = await world.caller()
    goals = world.services.goals
    goal = await goals.service.create(caller, CreateGoal(**dict(GoalDraft(title="Meet"))))
    for o in (tuesday, friday, thursday):
        await goals.evidence.link(caller, LinkObservation(goal_id=goal.uid, observation_id=o.uid))
    assert (await goals.service.get(caller, [goal.uid]))[goal.uid].progress == 0.16
    # Friday contradicts Tuesday by its wording, and Thursday in other words.
    await world.services.scratch.service.change(caller, ResolveObservation(id=tuesday.uid))
    moved = await goals.evidence.settle(caller, observation_ids=[tuesday.uid])
    assert [(each.before, each.after) for each in moved] == [(0.16, 0.24)]


@pytest.mark.covers("OBS-71")
async def test_the_user_is_asked_about_an_inferred_contradiction_if_the_caller_says_so(world: World) -> None:
    await noted(world, TUESDAY, THURSDAY)
    caller = await world.caller()
    wanted = QuestionFilter(statuses=tuple(QuestionStatus))
    assert (await world.services.questions.service.list(caller, wanted)).items == ()
    await world.services.evaluation.review(caller, EvaluateScratchPage(ask=True))
    (question,) = (await world.services.questions.service.list(caller, wanted)).items
    assert question.text == f'Which holds: "{TUESDAY}" or "{THURSDAY}"?'
