"""What an outcome says (source 000, §Test Scenario 4; G-110).

conflicting   a failure that is praised, or the same words as what worked and as what could improve
episode       the outcome in sentences, in the order success, result, satisfaction, feedback
"""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.lessons.outcome_rules import finding_from, stripped_text
from prefrontal.graph.lessons.record import Call, TurnEvidence
from prefrontal.graph.text.folding import fold
from prefrontal.graph.tools.record import Invocation, InvocationStatus

_ENDS = (".", "!", "?", "…")


def is_conflicting(outcome: OutcomeDraft, feedback: FeedbackDraft) -> bool:
    """Return whether an outcome and its feedback contradict each other."""
    worked, improve = feedback.what_worked, feedback.what_could_improve
    praised = worked is not None and improve is None
    return (not outcome.success and praised) or (
        worked is not None and improve is not None and fold(worked) == fold(improve)
    )


def finding_of(command: RecordOutcome, turn_uid: str, calls: Sequence[Invocation]) -> TurnEvidence:
    """Return what lessons are learned from: an outcome with its feedback, and calls in their order."""
    return finding_from(
        command,
        turn_uid,
        tuple(
            Call(
                invocation_uid=call.uid,
                tool=call.tool,
                parameters=call.parameters,
                failed=call.status is InvocationStatus.FAILED,
                error=call.error,
            )
            for call in calls
        ),
    )


def episode_of(turn: str, outcome: OutcomeDraft, feedback: FeedbackDraft) -> str:
    """Return the text of the episode that tells the outcome of a turn with a name."""
    result = stripped_text(outcome.result)
    how = "succeeded" if outcome.success else "failed"
    parts = [f"{how.capitalize()}: {result}" if result else f"Turn {turn} {how}"]
    if outcome.user_satisfaction:
        parts.append(f"User satisfaction: {outcome.user_satisfaction}")
    if feedback.what_worked:
        parts.append(f"What worked: {feedback.what_worked}")
    if feedback.what_could_improve:
        parts.append(f"What could improve: {feedback.what_could_improve}")
    return " ".join(part if part.endswith(_ENDS) else f"{part}." for part in parts)
