"""Records of summaries, and of the logs from which summaries are made."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from prefrontal.graph.record import Record


class SummaryKind(StrEnum):
    """The kind of a summary."""

    MESO = "meso"
    """A summary of what happened to a goal since its last summary of this kind."""
    MACRO = "macro"
    """A narrative of a goal's milestone or completion."""
    LOG = "log"
    """A summary that replaces the log of a finished action."""


class Summary(Record):
    """A stored summary."""

    uid: str
    scope_id: str
    org_id: str
    kind: SummaryKind
    of_uid: str
    goal_id: str | None
    label: str
    """What the summary covers, unique per record and kind: `v17`, `milestone:…`, `completed:v20`, `log`."""
    text: str
    refs: tuple[str, ...]
    """All evidence: ids of observations, and other references that the log entries name."""
    upto: int
    """The number of the last version covered."""
    entries: int
    """The number of log entries that the summary replaces."""
    created_at: datetime
    seen_until: datetime | None = None
    """The time of the last change of an action that a summary of a goal covers."""


class LogVersion(Record):
    """A version of a goal or action, as the rules of summaries read it."""

    number: int
    at: datetime
    turn: str | None
    changes: dict[str, Any]


class Witness(Record):
    """An observation that is evidence of a goal. `content` is None where the summary must not quote it."""

    uid: str
    content: str | None


class GoalLog(Record):
    """The log of a goal since its last summary."""

    uid: str
    org_id: str
    scope_id: str
    title: str
    status: str
    milestones: tuple[dict[str, Any], ...]
    progress: float
    version: int
    steps: int
    """The number of all changes of the progress so far."""
    statuses: dict[str, int]
    """The number of the goal's actions now, by status."""
    versions: tuple[LogVersion, ...]
    actions: tuple[LogVersion, ...]
    """The versions of the goal's actions since then."""
    witnesses: tuple[Witness, ...]
    summaries: tuple[Summary, ...]


class ActionLog(Record):
    """The log of a finished action."""

    uid: str
    org_id: str
    scope_id: str
    goal_id: str | None
    title: str
    status: str
    version: int
    versions: tuple[LogVersion, ...]


class LogEntry(Record):
    """A trace entry of an action's log."""

    uid: str
    at: datetime
    message: str
    ids: tuple[str, ...]


class OldLog(Record):
    """The log of a finished action, and the summary that replaces its entries."""

    log: ActionLog
    entries: tuple[LogEntry, ...]
    summary: Summary


class MessageText(Record):
    """A message of a conversation, as the rule of its summary reads it."""

    uid: str
    speaker: str | None
    content: str
    happened_at: datetime


class Quote(Record):
    """A sentence of a message that a summary quotes."""

    uid: str
    """The id of the message."""
    speaker: str | None
    text: str


class ConversationSummary(Record):
    """The summary of the older messages of a conversation."""

    messages: int
    """The number of messages that it is about."""
    since: datetime
    until: datetime
    """When the first and the last of them were said."""
    upto_uid: str
    """The id of the last one that it is about."""
    speakers: tuple[str, ...]
    """Who spoke, in the order of their first messages: one more than a text names, if there are more."""
    quotes: tuple[Quote, ...]


class OldMessages(Record):
    """A conversation of whose older messages a summary is due."""

    org_id: str
    scope_id: str
    key: str
    earlier: ConversationSummary | None
    """The summary so far."""
    messages: tuple[MessageText, ...]
    """The messages after it, without the newest ones, in the order in which they were said."""
    left: int
    """The number of messages after those; what is more than a job counts is counted again later."""
    summary: ConversationSummary | None = None
    """The summary of these messages too; None if it is not due."""
    text: str = ""


class NamedTopic(Record):
    """A topic of messages, or an entity that they mention."""

    key: str
    """The topic; of an entity the one that its name would be."""
    name: str
    uids: tuple[str, ...]
    """The ids of the messages."""


class KeyTopic(Record):
    """What a conversation is about."""

    name: str
    messages: int
    """How many of its newest messages are about it."""
    last_uid: str
    """The id of the last of them."""


class SettledKind(StrEnum):
    """What a decision is about."""

    GOAL = "goal"
    ACTION = "action"
    STORY = "story"


class TurnEffect(Record):
    """What a turn of a conversation did with a goal, an action or a story."""

    kind: SettledKind
    turn_uid: str
    uid: str
    """The id of the goal, action or story."""
    scope_id: str
    title: str
    at: datetime
    status: str | None = None
    """Its new status; None if the turn created it."""


class Decision(Record):
    """Something that a turn of a conversation decided."""

    text: str
    turn_uid: str
    at: datetime
    of_uid: str
    """The id of the goal, action or story that it is about."""


class ConversationState(Record):
    """What is known of a conversation: the summary of its older messages, key topics and decisions."""

    key: str
    scope_id: str
    text: str | None
    """The summary of its older messages, on one line; None as long as it is too short for one."""
    key_topics: tuple[KeyTopic, ...]
    decisions: tuple[Decision, ...]
    """The newest ones, in the order in which they were made."""


class CompactionResult(Record):
    """The numbers of a compaction, or of a dry run."""

    summaries: int
    """The number of goal summaries written."""
    narratives: int
    """The number of narratives of milestones and completions written."""
    actions: int
    """The number of actions whose log was replaced by a summary."""
    entries: int
    """The number of log entries deleted."""
