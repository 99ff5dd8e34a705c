"""The commit of the demo story's last turn: the deltas that its agent writes at the end."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions.record import ActionDone, ActionOwner
from prefrontal.graph.cortex.goals.record import ProgressDelta
from prefrontal.graph.cortex.questions.record import (
    PairDraft,
    QuestionDraft,
    StoryDraft,
)
from prefrontal.graph.turns.record import Delta, DeltaKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prefrontal.api.fixtures.build import BuiltGraph

TURN = "ordering-3"
_BEFORE_NOW = timedelta(minutes=15)


async def end_turn(graph: BuiltGraph) -> None:
    """Commit the turn: a goal's progress, a completed action, an answered question and an open one."""
    now = graph.clock.moment
    graph.clock.moment = now - _BEFORE_NOW
    await graph.services.turns.commit.commit(await graph.caller(), TURN, deltas(graph.keys.uids))
    graph.clock.moment = now


def deltas(uids: Mapping[str, str]) -> list[Delta]:
    """Return the deltas of the turn; `uids` are the nodes' ids by their names in the fixture."""
    step = ProgressDelta(
        goal_id=uids["order"],
        delta=0.4,
        note="Prices and stock are compared; Ann has not said yes yet.",
        references=(uids["meursault"], uids["natural"]),
    )
    found = ActionDone(uid=uids["find_whites"], result={"found": 2, "dearest": "41 euros"})
    which = PairDraft(
        question=QuestionDraft(
            client_key="which-white",
            text="Which white suits the turbot, and Jonas too?",
            goal_id=uids["saturday"],
            priority="high",
        ),
        story=StoryDraft(
            client_key="two-whites",
            narrative="The 2019 Meursault for five, and a low-sulphite Chardonnay for Jonas.",
            acceptance_criteria=("Jonas can drink it", "350 euros in all"),
            evidence_refs=(uids["meursault"], uids["natural"], uids["allergy"]),
        ),
    )
    ida = PairDraft(
        question=QuestionDraft(
            client_key="ida", text="Does Ida come?", goal_id=uids["table"], owner=ActionOwner.USER
        )
    )
    return [
        Delta(kind=DeltaKind.PROGRESS, path="progress[0]", body=step),
        Delta(kind=DeltaKind.COMPLETED_ACTION, path="completedActions[0]", body=found),
        Delta(kind=DeltaKind.STORY_UPDATE, path="storyUpdates[0]", body=which),
        Delta(kind=DeltaKind.STORY_UPDATE, path="storyUpdates[1]", body=ida),
    ]
