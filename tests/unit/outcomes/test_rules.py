"""What an outcome says."""

from __future__ import annotations

import pytest

from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.lessons.outcome_rules import digest_of, feedback_of
from prefrontal.graph.outcomes.rules import episode_of, is_conflicting


def feedback(worked: str | None = None, improve: str | None = None) -> FeedbackDraft:
    return FeedbackDraft(what_worked=worked, what_could_improve=improve)


@pytest.mark.covers("OUT-01")
@pytest.mark.parametrize(
    ("inside", "beside", "together"),
    [
        (None, None, feedback()),
        (feedback("a", "b"), None, feedback("a", "b")),
        (None, feedback("a", "b"), feedback("a", "b")),
        (feedback("a", "b"), feedback("c"), feedback("c", "b")),
        (feedback("a"), feedback(improve="d"), feedback("a", "d")),
        (feedback("a", "b"), feedback("", "  "), feedback("a", "b")),
        (feedback("", " "), None, feedback()),
    ],
)
def test_feedback_beside_the_outcome_counts_before_that_inside(
    inside: FeedbackDraft | None, beside: FeedbackDraft | None, together: FeedbackDraft
) -> None:
    command = RecordOutcome(turn_id="t", outcome=OutcomeDraft(success=True, feedback=inside), feedback=beside)
    assert feedback_of(command) == together


@pytest.mark.covers("OUT-13")
@pytest.mark.parametrize(
    ("success", "feedback", "conflicting"),
    [
        (True, feedback(), False),
        (True, feedback("a", "b"), False),
        (True, feedback("The API", "the  api"), True),
        (False, feedback(), False),
        (False, feedback("a"), True),
        (False, feedback("a", "b"), False),
        (False, feedback(improve="b"), False),
        (True, feedback("a"), False),
    ],
)
def test_a_praised_failure_and_the_same_words_on_both_sides_conflict(
    *, success: bool, feedback: FeedbackDraft, conflicting: bool
) -> None:
    assert is_conflicting(OutcomeDraft(success=success), feedback) is conflicting


@pytest.mark.parametrize(
    ("outcome", "feedback", "text"),
    [
        (OutcomeDraft(success=True), feedback(), "Turn t succeeded."),
        (OutcomeDraft(success=False), feedback(), "Turn t failed."),
        (
            OutcomeDraft(success=True, result="Gave the forecast for Paris", user_satisfaction="high"),
            feedback("Weather API provided accurate data", "Could have included the next 3 days!"),
            (
                "Succeeded: Gave the forecast for Paris. User satisfaction: high. "
                "What worked: Weather API provided accurate data. "
                "What could improve: Could have included the next 3 days!"
            ),
        ),
        (OutcomeDraft(success=False, result=" "), feedback("x"), "Turn t failed. What worked: x."),
    ],
)
def test_the_episode_tells_the_outcome_in_sentences(
    outcome: OutcomeDraft, feedback: FeedbackDraft, text: str
) -> None:
    assert episode_of("t", outcome, feedback) == text


def test_where_the_feedback_stands_makes_no_difference() -> None:
    inside = RecordOutcome(turn_id="t", outcome=OutcomeDraft(success=True, feedback=feedback("a")))
    beside = RecordOutcome(turn_id="u", outcome=OutcomeDraft(success=True), feedback=feedback("a"))
    other = RecordOutcome(turn_id="t", outcome=OutcomeDraft(success=False), feedback=feedback("a"))
    assert digest_of(inside) == digest_of(beside) != digest_of(other)
