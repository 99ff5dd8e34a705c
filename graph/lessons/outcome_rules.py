"""What an outcome says, with its feedback (source 000, §Test Scenario 4; G-110).

feedback   the one beside the outcome and the one inside it, field by field; the one beside counts first
"""

from __future__ import annotations

import hashlib
import json

from prefrontal.graph.lessons.outcome_record import FeedbackDraft, RecordOutcome
from prefrontal.graph.lessons.record import Call, TurnEvidence


def feedback_of(command: RecordOutcome) -> FeedbackDraft:
    """Return the feedback of an outcome; what is empty counts as not said."""
    beside, inside = command.feedback or FeedbackDraft(), command.outcome.feedback or FeedbackDraft()
    return FeedbackDraft(
        what_worked=stripped_text(beside.what_worked) or stripped_text(inside.what_worked),
        what_could_improve=stripped_text(beside.what_could_improve)
        or stripped_text(inside.what_could_improve),
    )


def finding_from(command: RecordOutcome, turn_uid: str, calls: tuple[Call, ...]) -> TurnEvidence:
    """Return what lessons are learned from: an outcome with its feedback, and calls in their order."""
    feedback = feedback_of(command)
    return TurnEvidence(
        turn_uid=turn_uid,
        turn_name=command.turn_id,
        success=command.outcome.success,
        result=stripped_text(command.outcome.result),
        what_worked=(feedback.what_worked,) if feedback.what_worked else (),
        what_could_improve=(feedback.what_could_improve,) if feedback.what_could_improve else (),
        calls=calls,
    )


def digest_of(command: RecordOutcome) -> str:
    """Return a digest of an outcome with its feedback: equal ones have equal digests."""
    said = [command.outcome.model_dump(mode="json", exclude={"feedback"}), feedback_of(command).model_dump()]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode(errors="replace")).hexdigest()


def stripped_text(text: str | None) -> str | None:
    """Return a text without white space around it; None if nothing is left."""
    return (text or "").strip() or None
