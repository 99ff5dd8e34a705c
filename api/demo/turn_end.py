"""What the last conversation of the story leaves behind: its agent writes it down at the end of the turn."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions.record import ActionDone, ActionOwner
from prefrontal.graph.cortex.goals.record import ProgressDelta
from prefrontal.graph.cortex.questions.record import Named, PairDraft, QuestionChanges, StoryChanges
from prefrontal.graph.turns.record import Delta, DeltaKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prefrontal.api.fixtures.build import BuiltGraph

TURN = "ordering-3"
_BEFORE_NOW = timedelta(minutes=15)


async def end_turn(told: BuiltGraph) -> None:
    """Write down a step of a goal, a finished action, a question with its answer and one that waits."""
    now = told.clock.moment
    told.clock.moment = now - _BEFORE_NOW
    await told.services.turns.commit.commit(await told.caller(), TURN, deltas(told.keys.uids))
    told.clock.moment = now


def deltas(uids: Mapping[str, str]) -> list[Delta]:
    """Return what the turn leaves behind, of nodes with these ids."""
    step = ProgressDelta(
        goal_id=uids["order"],
        delta=0.4,
        note="Prices and stock are compared; Ann has not said yes yet.",
        references=(uids["meursault"], uids["natural"]),
    )
    found = ActionDone(uid=uids["find_whites"], result={"found": 2, "dearest": "41 euros"})
    which = PairDraft(
        question_named=Named(client_key="which-white"),
        question=QuestionChanges(
            text="Which white suits the turbot, and Jonas too?", goal_id=uids["saturday"], priority="high"
        ),
        story_named=Named(client_key="two-whites"),
        story=StoryChanges(
            narrative="The 2019 Meursault for five, and a low-sulphite Chardonnay for Jonas.",
            acceptance_criteria=("Jonas can drink it", "350 euros in all"),
            evidence_refs=(uids["meursault"], uids["natural"], uids["allergy"]),
        ),
    )
    ida = PairDraft(
        question_named=Named(client_key="ida"),
        question=QuestionChanges(text="Does Ida come?", goal_id=uids["table"], owner=ActionOwner.USER),
    )
    return [
        Delta(kind=DeltaKind.PROGRESS, path="progress[0]", body=step),
        Delta(kind=DeltaKind.COMPLETED_ACTION, path="completedActions[0]", body=found),
        Delta(kind=DeltaKind.STORY_UPDATE, path="storyUpdates[0]", body=which),
        Delta(kind=DeltaKind.STORY_UPDATE, path="storyUpdates[1]", body=ida),
    ]
