"""When a summary is due and what it contains (source 003, §Summarization & Compaction; G-039).

goal           due when `goal_every_turns` turns have changed the goal or its actions since the last summary,
               or when the goal's status has changed since then; a change outside of a turn counts as one turn
narrative      written once for each reached milestone and for each completion
figures        the status, the progress, the number of steps and the actions by status, as they are when the
               summary is made; they come first, and no figure of before stands beside them
evidence       a summary lists all evidence that its log entries name: ids of observations, and references
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from prefrontal.graph.summaries.record import ActionLog, GoalLog, LogEntry, LogVersion, SummaryKind
from prefrontal.graph.wording import counted

COMPLETED = "completed"
_REFERENCES = ("references", "evidence_refs", "evidence_linked", "evidence_unlinked", "evidence_counted")


def is_due(log: GoalLog, every_turns: int) -> bool:
    """Tell whether a summary of a goal is due."""
    if not log.versions and not log.actions:
        return False
    turns = {v.turn or f"{v.at}" for v in (*log.versions, *log.actions)}
    transitioned = any(v.number > 1 and "status" in v.changes for v in log.versions)
    return transitioned or len(turns) >= every_turns


def narratives_of(log: GoalLog) -> list[tuple[str, str]]:
    """Return the label and the subject of each narrative that is due and not stored yet."""
    stored = {summary.label for summary in log.summaries if summary.kind is SummaryKind.MACRO}
    wanted = [
        (f"milestone:{item['title']}", f"{log.title}: {item['title']}")
        for item in log.milestones
        if item.get("reached_at")
    ]
    wanted += [
        (f"completed:v{v.number}", log.title)
        for v in log.versions
        if v.number > 1 and v.changes.get("status") == COMPLETED
    ]
    return [(label, subject) for label, subject in wanted if label not in stored]


def sentences_of(log: GoalLog) -> list[str]:
    """Return sentences about a goal's log: changes of the goal and its actions, then the evidence."""
    by_time = [(v.at, _goal_sentence(v)) for v in log.versions]
    by_time += [(v.at, _action_sentence(v)) for v in log.actions]
    found = [text for _, texts in sorted(by_time, key=lambda item: item[0]) for text in texts]
    return [*found, *(_sentence(w.content) for w in log.witnesses if w.content)]


def figures_of(log: GoalLog, now: datetime) -> str:
    """Return a sentence with the goal's figures as they are now, from all of its steps and actions."""
    steps = counted(log.steps, "step")
    # Rounded down: what is not complete is not 100%.
    at = math.floor(round(log.progress * 100, 6))
    found = f"On {now:%Y-%m-%d} it was {log.status.replace('_', ' ')} at {at}% after {steps}"
    if log.statuses:
        counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in log.statuses.items())
        found += f"; actions: {counts}"
    return f"{found}."


def refs_of(log: GoalLog) -> tuple[str, ...]:
    """Return all evidence named by a goal's log and by the goal's earlier summaries, each once."""
    earlier = [ref for summary in log.summaries for ref in summary.refs]
    named = [ref for v in (*log.versions, *log.actions) for ref in references_in(v.changes)]
    return tuple(dict.fromkeys([*earlier, *named, *(w.uid for w in log.witnesses)]))


def action_refs(log: ActionLog, entries: Iterable[LogEntry]) -> tuple[str, ...]:
    """Return all evidence named by an action's log.

    The goal is left out, because `Summary.goal_id` has it.
    """
    named = [ref for v in log.versions for ref in references_in(v.changes)]
    others = [uid for entry in entries for uid in entry.ids if uid not in (log.uid, log.goal_id)]
    return tuple(dict.fromkeys([*named, *others]))


def references_in(changes: Mapping[str, Any]) -> list[str]:
    """Return the evidence named in the changes of one version."""
    return [str(ref) for name in _REFERENCES for ref in changes.get(name) or ()]


def log_sentences(log: ActionLog, entries: Sequence[LogEntry]) -> list[str]:
    """Return sentences about an action's log: its versions, then its trace entries."""
    messages = [f"{entry.at:%Y-%m-%d %H:%M}: {entry.message}." for entry in entries]
    found = [text for v in log.versions for text in _action_sentence(v)]
    return [*found, *messages]


def _goal_sentence(v: LogVersion) -> list[str]:
    found: list[str] = []
    if v.changes.get("note"):
        found.append(_sentence(str(v.changes["note"])))
    if v.number > 1 and "status" in v.changes:
        reason = v.changes.get("status_reason")
        found.append(
            f"It became {v.changes['status']} on {v.at:%Y-%m-%d}" + (f": {reason}." if reason else ".")
        )
    if v.number == 1:
        found.append(_sentence(str(v.changes.get("description") or v.changes.get("title") or "")))
    return found


def _action_sentence(v: LogVersion) -> list[str]:
    title = v.changes.get("title")
    found = [f"“{title}” was planned on {v.at:%Y-%m-%d}."] if v.number == 1 and title else []
    if v.number > 1 and "status" in v.changes:
        name = f"“{v.changes['title_now']}”" if "title_now" in v.changes else "It"
        found.append(f"{name} became {v.changes['status']} on {v.at:%Y-%m-%d}.")
    return found


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?…" else f"{text}."
