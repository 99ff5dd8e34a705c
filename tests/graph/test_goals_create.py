"""Goals from evidence: what is stored, in one transaction, and what it keeps."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import ActionOwner, PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    GoalDraft,
    GoalStatus,
    Horizon,
    HorizonUnit,
    Milestone,
)
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter, ObservationStatus
from tests.graph.test_scratch_expiry import expire
from tests.support.lists import Links, evidence_of, links_of
from tests.support.world import World

BURGUNDY = ObservationDraft(
    type="contextual_insight",
    content="User prefers Burgundy wines",
    confidence=0.95,
    tags=("wine", "preference"),
)


def evidence(*observations: Any, **fields: Any) -> tuple[EvidenceDraft, ...]:
    return tuple(EvidenceDraft(observation_id=o.uid, **fields) for o in observations)


@pytest.mark.covers("GOAL-27..29", "GOAL-38", "OBS-52", "OBS-53", "TRC-10")
async def test_a_goal_names_its_observation_which_stays_active(world: World) -> None:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(caller, [BURGUNDY])
    world.clock.advance(minutes=3)

    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="Build a wine profile", evidence=evidence(seen), turn_id="turn-2")
    )

    assert kind_of(goal.uid) is Kind.GOAL
    assert (goal.status, goal.progress, goal.created_at) == (GoalStatus.PENDING, 0.0, world.clock.now())
    (linked,) = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert (linked.observation_id, linked.content, linked.confidence) == (seen.uid, seen.content, 0.95)
    assert linked.since == world.clock.now()
    page = await world.services.scratch.service.find(caller, ObservationFilter(tags=("wine",)))
    assert page.items == (seen,)
    assert await world.services.scratch.service.linked_goals(caller, [seen.uid]) == {seen.uid: (goal.uid,)}
    (entry,) = (await world.services.turns.trace.trace(caller, "turn-2")).items
    assert (entry.kind, entry.message) == (TraceKind.GOAL_CREATED, "Goal created from 1 observation")
    assert entry.ids == (goal.uid, seen.uid)
    assert entry.details == {"observations": 1, "actions": 0}


@pytest.mark.covers("GOAL-37..40", "OBS-53", "TRC-14")
@pytest.mark.parametrize("number", [2, 3, 12])
async def test_several_observations_make_one_goal_that_lists_them_all(world: World, number: int) -> None:
    caller = await world.caller()
    seen = await world.services.scratch.service.add(
        caller,
        [ObservationDraft(content=f"fact {n}", confidence=0.9 + n / 1000) for n in range(number)],
    )

    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="Find wine", evidence=evidence(*seen[::-1]), turn_id="t")
    )

    assert (await world.counts())["Goal"] == 1
    linked = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert [(item.observation_id, item.content, item.confidence) for item in linked] == [
        (o.uid, o.content, o.confidence) for o in seen[::-1]
    ]
    assert await world.services.scratch.service.linked_goals(caller, [o.uid for o in seen]) == {
        o.uid: (goal.uid,) for o in seen
    }
    assert {
        o.status for o in (await world.services.scratch.service.get(caller, [o.uid for o in seen])).values()
    } == {ObservationStatus.ACTIVE}
    (entry,) = (await world.services.turns.trace.trace(caller, "t")).items
    assert entry.message == f"Goal created from {number} observations"


@pytest.mark.covers("GOAL-01..10", "GOAL-14", "GOAL-30", "GOAL-32..34", "VER-01", "VER-02", "VER-05")
async def test_every_field_is_stored_and_read_back(world: World) -> None:
    caller = await world.caller("bot", person="ann")
    (seen,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="no tags", confidence=0.95)]
    )
    reached = datetime(2025, 11, 5, 10, 30, tzinfo=UTC)
    draft = GoalDraft(
        goal_type="find_wine_recommendation",
        title="Find wine recommendation for user",
        description="Based on observation that user prefers Burgundy wines",
        priority="high",
        horizon=Horizon(value=14, unit=HorizonUnit.DAYS),
        metrics={"bottles": 3, "deep": {"list": [1, None, 0.5], "text": "é"}},
        constraints=("at most $50", "within 1 hour"),
        milestones=(Milestone(title="first tasting"), Milestone(title="order", reached_at=reached)),
        evidence=evidence(seen, confidence=0.7, note="said so twice"),
    )

    created = await world.services.goals.service.create(caller, CreateGoal(**dict(draft), turn_id="turn-1"))
    goal = (await world.services.goals.service.get(caller, [created.uid]))[created.uid]

    assert goal == created
    for name in ("goal_type", "title", "description", "horizon", "metrics", "constraints", "milestones"):
        assert getattr(goal, name) == getattr(draft, name), name
    assert (goal.priority, goal.priority_rank) == ("high", 3)
    assert (goal.agent_id, goal.org_id, goal.by_uid) == (caller.agent_id, caller.org_id, caller.actor_id)
    assert goal.created_at == goal.updated_at == world.clock.now()
    assert (goal.version, goal.scope_id) == (1, caller.home)
    (linked,) = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert (linked.confidence, linked.note) == (0.7, "said so twice")
    rows = await world.rows(
        "MATCH (v:Version {org_id: $org})-[:OF]->(g:Goal)<-[:MADE]-(turn:Turn {uid: v.turn_uid}) "
        "RETURN v.number AS number, v.by_uid AS by, v.created_at AS at, turn.key AS turn, "
        "v.changes AS changes"
    )
    assert [(r["number"], r["by"], r["at"].to_native(), r["turn"]) for r in rows] == [
        (1, caller.actor_id, world.clock.now(), "turn-1")
    ]
    changes = json.loads(rows[0]["changes"])
    assert changes.pop("uid") == goal.uid
    # Where it stands is no field, and told with them.
    assert (changes.pop("parent_goal_id"), changes.pop("derived_from")) == (None, [])
    assert changes == {
        name: value
        for name, value in goal.model_dump(mode="json").items()
        if name not in ("uid", "version", "updated_at")
    }
    made_for = await world.rows("MATCH (g:Goal {org_id: $org})-[:FOR]->(a:Actor) RETURN a.uid AS uid")
    assert {row["uid"] for row in made_for} == {caller.agent_id, caller.person_id}


@pytest.mark.covers("GOAL-05", "ACT-35")
@pytest.mark.parametrize(
    ("given", "name", "rank"),
    [
        ("low", "low", 1),
        ("medium", "medium", 2),
        (" HIGH ", "high", 3),
        ("critical", "critical", 4),
        ("1", "low", 1),
        ("4", "critical", 4),
        (None, "medium", 2),
    ],
)
async def test_a_priority_is_a_name_or_its_number(
    world: World, given: str | None, name: str, rank: int
) -> None:
    caller = await world.caller()

    goal = await world.services.goals.service.create(
        caller,
        CreateGoal(
            title="g",
            priority=given,
            pending_actions=(PendingActionDraft(type="research", title="r", priority=given),),
        ),
    )

    (action,) = (await world.services.actions.service.of_goals(caller, [goal.uid]))[goal.uid]
    assert (goal.priority, goal.priority_rank) == (name, rank)
    assert (action.priority, action.priority_rank) == (name, rank)


@pytest.mark.covers("GOAL-27", "GOAL-33..35", "ACT-58")
async def test_the_example_of_the_source_document_makes_goal_and_action_and_a_proposal_of_the_unknown_type(
    world: World,
) -> None:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(caller, [BURGUNDY])
    world.statements.clear()

    goal = await world.services.goals.service.create(
        caller,
        CreateGoal(
            goal_type="find_wine_recommendation",
            title="Find wine recommendation for user",
            description="Based on observation that user prefers Burgundy wines",
            priority="high",
            evidence=evidence(seen, confidence=0.95),
            pending_actions=(
                PendingActionDraft(
                    type="research_wines",
                    description="Research Burgundy wines matching user preferences",
                    owner=ActionOwner.AGENT,
                    priority="high",
                ),
            ),
        ),
    )

    assert world.statements.names == [
        "scratch/lock_observations",
        "memory/list_mandates",
        "goals/create_goal",
        "actions/create_pending_actions",
        # Nobody knows `research_wines`: these three open its proposal.
        "proposals/find_common_space",
        "proposals/open_proposals",
        "proposals/link_use",
        "journal/append_entries",
        "goals/find_goals",
    ]
    assert goal.goal_type == "find_wine_recommendation"
    counts = await world.counts()
    made = [counts[label] for label in ("Goal", "PendingAction", "RegistryProposal", "Version")]
    assert made == [1, 1, 1, 3]
    events = await world.rows(
        "MATCH (e:OutboxEvent:Unsequenced {org_id: $org}) RETURN e.type AS type ORDER BY e.uid"
    )
    assert [row["type"] for row in events] == [
        "observation.added",
        "goal.created",
        "pending_action.created",
        "registry_proposal.submitted",
    ]


@pytest.mark.alone
@pytest.mark.covers("GOAL-47", "OBS-52")
async def test_a_goal_keeps_what_its_observation_said_after_it_faded(world: World) -> None:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="User prefers Burgundy wines", ttl_minutes=1)]
    )
    goal = await world.services.goals.service.create(caller, CreateGoal(title="g", evidence=evidence(seen)))

    world.clock.advance(minutes=2)
    faded = await world.services.scratch.service.find(caller, ObservationFilter())
    # The job puts evidence away and never deletes it, whatever the setting says.
    await expire(world, on_expiry="delete")

    assert faded.items == ()
    (linked,) = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert (linked.observation_id, linked.content) == (seen.uid, "User prefers Burgundy wines")
    lineage = await world.services.goals.service.lineage(caller, goal.uid)
    assert [(node.uid, node.status) for node in lineage.nodes if node.kind == "observation"] == [
        (seen.uid, "expired")
    ]


@pytest.mark.covers("GOAL-11", "GOAL-12", "GOAL-15")
async def test_a_goal_knows_its_parent_and_everything_it_comes_from(world: World) -> None:
    caller = await world.caller()
    create = world.services.goals.service.create
    root = await create(caller, CreateGoal(title="root"))
    before = await create(caller, CreateGoal(title="before"))
    middle = await create(
        caller, CreateGoal(title="middle", parent_goal_id=root.uid, derived_from=(before.uid,))
    )
    leaf = await create(caller, CreateGoal(title="leaf", parent_goal_id=middle.uid))

    world.statements.clear()
    links = await links_of(world.services, caller, [leaf.uid, middle.uid, root.uid])

    assert world.statements.names == [
        "goals/find_parents",
        "goals/list_predecessors",
        "goals/count_predecessors",
        "goals/list_origins",
        "goals/count_origins",
        "goals/find_goals",
    ]
    assert links == {
        leaf.uid: Links(parent_goal_id=middle.uid, lineage_ids=(middle.uid, *sorted((root.uid, before.uid)))),
        middle.uid: Links(
            parent_goal_id=root.uid,
            derived_from=(before.uid,),
            lineage_ids=tuple(sorted((root.uid, before.uid))),
        ),
        root.uid: Links(),
    }
