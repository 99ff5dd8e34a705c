"""Summaries, and what they are made of, as values."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from prefrontal.graph.record import Record


class SummaryKind(StrEnum):
    """What a summary is of."""

    MESO = "meso"
    """A stretch of a goal's life."""
    MACRO = "macro"
    """A milestone of a goal, or its completion."""
    LOG = "log"
    """The log of a finished action, which it stands in for."""


class Summary(Record):
    """A stored summary."""

    uid: str
    scope_id: str
    org_id: str
    kind: SummaryKind
    of_uid: str
    goal_id: str | None
    label: str
    """What it is of, once for one goal or action and kind: `v17`, `milestone:…`, `completed:v20`, `log`."""
    text: str
    refs: tuple[str, ...]
    """Every piece of evidence of what it is of: ids, and what else was named."""
    upto: int
    """The last version it tells of."""
    entries: int
    """How many log entries it stands in for."""
    created_at: datetime


class LogVersion(Record):
    """A version as a summary reads it."""

    number: int
    at: datetime
    turn: str | None
    changes: dict[str, Any]


class Witness(Record):
    """An observation that speaks for a goal, and what it says where that may be told."""

    uid: str
    content: str | None


class GoalLog(Record):
    """What happened to a goal since its last summary."""

    uid: str
    org_id: str
    scope_id: str
    title: str
    status: str
    milestones: tuple[dict[str, Any], ...]
    version: int
    versions: tuple[LogVersion, ...]
    actions: tuple[LogVersion, ...]
    """Changes of its actions since then."""
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


class Compacted(Record):
    """What was done, or would be."""

    summaries: int
    narratives: int
    actions: int
    entries: int
