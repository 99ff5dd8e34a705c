"""The checker itself: it finds nothing wrong in what is whole, and each thing that is torn out of it."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    LinkObservation,
    ProgressDelta,
    UpdateProgress,
)
from prefrontal.graph.scratch.record import ObservationDraft, UpdateObservation
from tests.support.integrity import Graph, halves, halves_of, rows_of
from tests.support.world import World


@pytest.fixture
async def whole(world: World) -> World:
    services, caller = world.services, await world.caller()
    drafts = [ObservationDraft(content=text, tags=("t",)) for text in "abc"]
    a, b, c = await services.scratch.service.add(caller, drafts, idempotency_key="add", turn_id="turn")
    goal = await services.goals.service.create(
        caller,
        CreateGoal(
            title="g",
            evidence=tuple(EvidenceDraft(observation_id=o.uid) for o in (a, b)),
            pending_actions=(PendingActionDraft(type="research", title="r"),),
            idempotency_key="create",
            turn_id="turn",
        ),
    )
    await services.goals.evidence.link(caller, LinkObservation(goal_id=goal.uid, observation_id=c.uid))
    await services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.25)], idempotency_key="step")
    )
    await services.scratch.service.change(caller, UpdateObservation(id=a.uid, confidence=0.25))
    return world


async def test_what_is_whole_is_found_whole(whole: World) -> None:
    assert await halves(whole) == []


# A node by its label, or an edge by its type, with what it has to have; of one of those nothing is left.
TORN: list[tuple[str, dict[str, Any]]] = [
    ("Observation", {}),
    ("OutboxEvent", {"type": "observation.added"}),
    ("TraceEvent", {"kind": "observations_added"}),
    ("TAGGED", {}),
    ("ON", {}),
    ("Topic", {}),
    ("LOGGED", {}),
    ("MADE", {}),
    ("Turn", {}),
    ("Goal", {}),
    ("OutboxEvent", {"type": "goal.created"}),
    ("TraceEvent", {"kind": "goal_created"}),
    ("Version", {"number": 1}),
    ("Version", {"number": 2}),
    ("Version", {"number": 3}),
    ("OF", {}),
    ("FOR", {}),
    ("EVIDENCES", {"gain": 0.0}),
    ("EVIDENCES", {"position": 2}),
    ("TraceEvent", {"kind": "observation_linked"}),
    ("OutboxEvent", {"type": "goal.evidence_linked"}),
    ("TraceEvent", {"kind": "progress_updated"}),
    ("OutboxEvent", {"type": "goal.progressed"}),
    ("PendingAction", {}),
    ("ADVANCES", {}),
    ("OutboxEvent", {"type": "pending_action.created"}),
]
CHANGED: list[tuple[str, dict[str, Any]]] = [
    ("Request", {"result": None}),
    ("Goal", {"progress": 0.5}),
    ("Goal", {"version": 9}),
    ("Version", {"turn_uid": "key:turn"}),
    ("Observation", {"version": 9}),
    ("Observation", {"uid": "obs_other"}),
]


def fits(row: dict[str, Any], name: str, wanted: dict[str, Any]) -> bool:
    return name in [*row.get("labels", ()), row.get("type")] and wanted.items() <= row["properties"].items()


async def test_whatever_is_torn_out_is_missed(whole: World) -> None:
    rows = await rows_of(whole)

    for name, wanted in TORN:
        hits = [row for kind in rows for row in kind if fits(row, name, wanted)]
        assert hits, (name, wanted)
        for hit in hits:
            left = [[row for row in kind if row is not hit] for kind in rows]
            assert halves_of(Graph(*left)) != [], hit


async def test_whatever_is_other_than_its_journal_says_is_found(whole: World) -> None:
    nodes, edges = await rows_of(whole)

    for label, change in CHANGED:
        for hit in [row for row in nodes if label in row["labels"]]:
            other = {**hit, "properties": hit["properties"] | change}
            changed = [other if row is hit else row for row in nodes]
            assert halves_of(Graph(changed, edges)) != [], other


async def test_what_is_there_twice_is_found(whole: World) -> None:
    nodes, edges = await rows_of(whole)

    assert halves_of(Graph([*nodes, nodes[0]], edges)) != []
