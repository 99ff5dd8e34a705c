"""What an outcome says."""

from __future__ import annotations

import pytest

from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.lessons.outcome_rules import digest_of, feedback_of
from prefrontal.graph.outcomes.rules import episode_of, is_conflicting


def said(worked: str | None = None, improve: str | None = None) -> FeedbackDraft:
    return FeedbackDraft(what_worked=worked, what_could_improve=improve)


@pytest.mark.covers("OUT-01")
@pytest.mark.parametrize(
    ("inside", "beside", "together"),
    [
        (None, None, said()),
        (said("a", "b"), None, said("a", "b")),
        (None, said("a", "b"), said("a", "b")),
        (said("a", "b"), said("c"), said("c", "b")),
        (said("a"), said(improve="d"), said("a", "d")),
        (said("a", "b"), said("", "  "), said("a", "b")),
        (said("", " "), None, said()),
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
        (True, said(), False),
        (True, said("a", "b"), False),
        (True, said("The API", "the  api"), True),
        (False, said(), False),
        (False, said("a"), True),
        (False, said("a", "b"), False),
        (False, said(improve="b"), False),
        (True, said("a"), False),
    ],
)
def test_a_praised_failure_and_the_same_words_on_both_sides_conflict(
    *, success: bool, feedback: FeedbackDraft, conflicting: bool
) -> None:
    assert is_conflicting(OutcomeDraft(success=success), feedback) is conflicting


@pytest.mark.parametrize(
    ("outcome", "feedback", "text"),
    [
        (OutcomeDraft(success=True), said(), "Turn t succeeded."),
        (OutcomeDraft(success=False), said(), "Turn t failed."),
        (
            OutcomeDraft(success=True, result="Gave the forecast for Paris", user_satisfaction="high"),
            said("Weather API provided accurate data", "Could have included the next 3 days!"),
            (
                "Succeeded: Gave the forecast for Paris. User satisfaction: high. "
                "What worked: Weather API provided accurate data. "
                "What could improve: Could have included the next 3 days!"
            ),
        ),
        (OutcomeDraft(success=False, result=" "), said("x"), "Turn t failed. What worked: x."),
    ],
)
def test_the_episode_tells_the_outcome_in_sentences(
    outcome: OutcomeDraft, feedback: FeedbackDraft, text: str
) -> None:
    assert episode_of("t", outcome, feedback) == text


def test_where_the_feedback_stands_makes_no_difference() -> None:
    inside = RecordOutcome(turn_id="t", outcome=OutcomeDraft(success=True, feedback=said("a")))
    beside = RecordOutcome(turn_id="u", outcome=OutcomeDraft(success=True), feedback=said("a"))
    other = RecordOutcome(turn_id="t", outcome=OutcomeDraft(success=False), feedback=said("a"))
    assert digest_of(inside) == digest_of(beside) != digest_of(other)
