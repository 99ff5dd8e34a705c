"""Records of outcomes (source 000, §Request: FC Commits Outcome)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from prefrontal.graph.journal.command import Command, TurnName
from prefrontal.graph.record import Key, Limit, Record
from prefrontal.graph.sessions.record import InSession

FeedbackText = Annotated[str, Limit("description_characters", may_be_empty=True)]


class FeedbackDraft(Record):
    """What went well, and what could go better."""

    what_worked: FeedbackText | None = Field(default=None, description="What went well.")
    what_could_improve: FeedbackText | None = Field(
        default=None, description="What went wrong, or could be better."
    )


class OutcomeDraft(Record):
    """What came of a turn."""

    success: bool = Field(description="Whether the turn did what it was for, if need be in another way.")
    result: FeedbackText | None = Field(default=None, description="What came of it, in a sentence.")
    user_satisfaction: Key | None = Field(
        default=None, description="How satisfied the user is, in your own words, e.g. `high`."
    )
    feedback: FeedbackDraft | None = None


class RecordOutcome(InSession, Command):
    """The outcome of a turn, and the feedback about it."""

    turn_id: TurnName
    outcome: OutcomeDraft
    feedback: FeedbackDraft | None = Field(
        default=None,
        description="The same as `outcome.feedback`. If both are given, what stands here counts, field by "
        "field.",
    )
    client_key: Key | None = Field(
        default=None,
        description="Your own id for the outcome, unique in the space of the turn. The same outcome again "
        "under its id is recorded once, also in a later turn.",
    )


class Outcome(Record):
    """A stored outcome."""

    uid: str
    scope_id: str
    turn_uid: str
    success: bool
    result: str | None = None
    user_satisfaction: str | None = None
    what_worked: str | None = None
    what_could_improve: str | None = None
    conflicting: bool
    """Whether success and feedback contradict each other."""
    episode_uid: str | None = None
    """The id of the episode that tells the outcome; None if its text was forgotten in the space before."""
    client_key: str | None = None
    created_at: datetime
    by_uid: str


class OutcomeFilter(Record):
    """Conditions on outcomes; all given conditions must hold."""

    success: bool | None = None
    turn_id: Key | None = Field(default=None, description="The turn, by its name or its `id`.")


class RecordedOutcome(Record):
    """An outcome that was recorded, and whether it was new."""

    outcome: Outcome
    created: bool
