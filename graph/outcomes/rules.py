"""What an outcome says (source 000, §Test Scenario 4; G-110).

feedback      the one beside the outcome and the one inside it, field by field; the one beside counts first
conflicting   a failure that is praised, or the same words as what worked and as what could improve
episode       the outcome in sentences, in the order success, result, satisfaction, feedback
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from prefrontal.graph.lessons.record import Call, Finding
from prefrontal.graph.outcomes.record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.text.folding import fold
from prefrontal.graph.tools.record import Invocation, InvocationStatus

_ENDS = (".", "!", "?", "…")


def feedback_of(command: RecordOutcome) -> FeedbackDraft:
    """Return the feedback of an outcome; what is empty counts as not said."""
    beside, inside = command.feedback or FeedbackDraft(), command.outcome.feedback or FeedbackDraft()
    return FeedbackDraft(
        what_worked=_said(beside.what_worked) or _said(inside.what_worked),
        what_could_improve=_said(beside.what_could_improve) or _said(inside.what_could_improve),
    )


def is_conflicting(outcome: OutcomeDraft, feedback: FeedbackDraft) -> bool:
    """Return whether an outcome and its feedback contradict each other."""
    worked, improve = feedback.what_worked, feedback.what_could_improve
    praised = worked is not None and improve is None
    return (not outcome.success and praised) or (
        worked is not None and improve is not None and fold(worked) == fold(improve)
    )


def finding_of(command: RecordOutcome, turn_uid: str, calls: Sequence[Invocation]) -> Finding:
    """Return what lessons are learned from: an outcome with its feedback, and calls in their order."""
    feedback = feedback_of(command)
    return Finding(
        turn_uid=turn_uid,
        turn_name=command.turn_id,
        success=command.outcome.success,
        result=_said(command.outcome.result),
        what_worked=(feedback.what_worked,) if feedback.what_worked else (),
        what_could_improve=(feedback.what_could_improve,) if feedback.what_could_improve else (),
        calls=tuple(
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
    said = _said(outcome.result)
    how = "succeeded" if outcome.success else "failed"
    parts = [f"{how.capitalize()}: {said}" if said else f"Turn {turn} {how}"]
    if outcome.user_satisfaction:
        parts.append(f"User satisfaction: {outcome.user_satisfaction}")
    if feedback.what_worked:
        parts.append(f"What worked: {feedback.what_worked}")
    if feedback.what_could_improve:
        parts.append(f"What could improve: {feedback.what_could_improve}")
    return " ".join(part if part.endswith(_ENDS) else f"{part}." for part in parts)


def digest_of(command: RecordOutcome) -> str:
    """Return a digest of an outcome with its feedback: equal ones have equal digests."""
    said = [command.outcome.model_dump(mode="json", exclude={"feedback"}), feedback_of(command).model_dump()]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode(errors="replace")).hexdigest()


def _said(text: str | None) -> str | None:
    return (text or "").strip() or None
