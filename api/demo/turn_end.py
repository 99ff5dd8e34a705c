"""The demo story's last turn: what its agent sees, what it calls, what comes of it, and what it writes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.questions.record import QuestionDraft, StoryDraft
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitTurn, StateDraft
from prefrontal.graph.turns.record import TurnCompletion, TurnProgress, TurnStory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prefrontal.api.fixtures.built import BuiltGraph

TURN = "ordering-3"
_PROMPT = "Which wine for the turbot, and may I order it?"
_ANSWER = "The 2019 Meursault goes with it. I ask Ann before I order."
_BUDGET = 600
_SAW_BEFORE_NOW = timedelta(minutes=16)
_BEFORE_NOW = timedelta(minutes=15)


async def end_turn(graph: BuiltGraph) -> None:
    """Assemble the turn's context, call tools, and commit the turn.

    The commit has what was said, what came of the turn, progress, a completed action, and two questions. A
    job links the turn to what it saw.
    """
    now = graph.clock.moment
    graph.clock.moment = now - _SAW_BEFORE_NOW
    seen = AssembleContext(prompt=_PROMPT, budget=_BUDGET, turn_id=TURN)
    await graph.services.context.assemble(await graph.caller(), seen)
    for number, call in enumerate(calls_of(graph.keys.uids)):
        graph.clock.moment = now - _SAW_BEFORE_NOW + timedelta(seconds=10 * (number + 1))
        await graph.services.tools.track(await graph.caller(), call)
    graph.clock.moment = now - _BEFORE_NOW
    await graph.services.turns.finalization.commit(await graph.caller(), end_of(graph.keys.uids))
    graph.clock.moment = now


_OUTCOME = OutcomeDraft(
    success=True,
    result="Two whites for the turbot are found; the order waits for Ann.",
    user_satisfaction="high",
)
_COMPARED = StateDraft(
    content="Nine bottles of the 2019 Meursault were left at 41 euros.", tags=("wine",), importance=0.7
)
_FEEDBACK = FeedbackDraft(
    what_worked="wine_search has prices and stock",
    what_could_improve="Ask cellar_api less often, it has rate limits",
)


def calls_of(uids: Mapping[str, str]) -> tuple[TrackToolInvocation, ...]:
    """Return the tools that the turn called: one that failed, and one that took its place."""
    wine = {"wine": "Meursault 2019"}
    return (
        TrackToolInvocation(
            turn_id=TURN,
            tool="cellar_api",
            parameters=wine,
            result={"error": "Rate limit exceeded"},
            execution_time_ms=87,
            goal_id=uids["order"],
        ),
        TrackToolInvocation(
            turn_id=TURN,
            tool="wine_search",
            parameters=wine,
            result={"bottles": 9, "euros": 41},
            execution_time_ms=412,
            goal_id=uids["order"],
        ),
    )


def end_of(uids: Mapping[str, str]) -> CommitTurn:
    """Return the results of the turn; `uids` are the nodes' ids by their names in the fixture."""
    step = TurnProgress(
        goal_id=uids["order"],
        delta=0.4,
        note="Prices and stock are compared; Ann has not said yes yet.",
        references=(uids["meursault"], uids["natural"]),
    )
    found = TurnCompletion(id=uids["find_whites"], result={"found": 2, "dearest": "41 euros"})
    which = TurnStory(
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
    ida = TurnStory(
        question=QuestionDraft(
            client_key="ida", text="Does Ida come?", goal_id=uids["table"], owner=ActionOwner.USER
        )
    )
    return CommitTurn(
        turn_id=TURN,
        user_input=_PROMPT,
        assistant_response=_ANSWER,
        outcome=_OUTCOME,
        feedback=_FEEDBACK,
        events=(_COMPARED,),
        progress=(step,),
        completed_actions=(found,),
        story_updates=(which, ida),
    )
