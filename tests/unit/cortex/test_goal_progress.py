"""Rules of a goal's progress: when unlinking evidence makes a goal pending again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.goals.progress import advance
from prefrontal.graph.cortex.goals.record import Course, GoalDraft, GoalStatus
from prefrontal.graph.cortex.goals.validation import goal_of

GOALS = load_catalog(ROOT / "registry").goals
NOW = datetime(2025, 11, 5, tzinfo=UTC)

BEGUN = {"status", "progress", "evidence_linked"}
COUNTED = {"status", "progress", "evidence_counted"}
MORE = {"progress", "evidence_linked"}
LESS = {"progress", "evidence_unlinked"}
BY_STEP = {"status", "progress"}
STEP = {"progress", "note"}
BY_HAND = {"status", "status_reason"}
REVERTED = {"status", "reverted_to"}


@pytest.mark.parametrize(
    ("status", "moves", "earlier", "becomes"),
    [
        ("in_progress", [BEGUN], 0.0, "pending"),
        ("in_progress", [COUNTED], 0.0, "pending"),
        ("in_progress", [BEGUN, MORE, LESS], 0.0, "pending"),
        # Something is left of what evidence has added since.
        ("in_progress", [BEGUN, MORE, LESS], -0.1, "in_progress"),
        # Something else has begun it, or has moved it since.
        ("in_progress", [BY_STEP, MORE], 0.0, "in_progress"),
        ("in_progress", [BY_HAND, MORE], 0.0, "in_progress"),
        ("in_progress", [REVERTED, MORE], 0.0, "in_progress"),
        ("in_progress", [BEGUN, STEP], 0.0, "in_progress"),
        # Nothing is known of how it began.
        ("in_progress", [], 0.0, "in_progress"),
        ("blocked", [BEGUN], 0.0, "blocked"),
        ("completed", [BEGUN], 0.0, "completed"),
        ("pending", [BEGUN], 0.0, "pending"),
    ],
)
def test_unlinking_takes_back_what_evidence_alone_has_begun(
    status: str, moves: list[set[str]], earlier: float, becomes: str
) -> None:
    draft = GoalDraft(title="Plan the trip")
    goal = goal_of(
        draft,
        uid="goal_1",
        scope_id="spc_1",
        org_id="org_1",
        agent_id=None,
        by_uid="agt_1",
        now=NOW,
        table=GOALS,
    ).model_copy(update={"status": GoalStatus(status), "progress": 0.4})
    course = Course(moves=tuple(frozenset(move) for move in moves), progress=round(0.3 + earlier, 9))

    moved = advance(goal, -0.1, NOW, GOALS, course=course)

    assert (moved.goal.status.value, moved.after, moved.goal.version) == (becomes, 0.3, 2)
    # Any other step, also one back, leaves the status.
    assert advance(goal, -0.1, NOW, GOALS).goal.status.value == status
