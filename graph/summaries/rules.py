"""What is summarised when, and what a summary is made of (source 003, §Summarization & Compaction; G-039).

a goal         when `goal_every_turns` turns have changed it or its actions since the last summary, or its
               status has changed since then; a change outside of a turn counts as a turn
a narrative    once for each milestone that is reached, and for each completion
evidence       everything that any of the entries names is in the summary: ids of observations, references
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prefrontal.graph.summaries.record import ActionLog, GoalLog, LogEntry, LogVersion, SummaryKind

COMPLETED = "completed"
_REFERENCES = ("references", "evidence_refs", "evidence_linked", "evidence_unlinked", "evidence_counted")


def is_due(log: GoalLog, every_turns: int) -> bool:
    """Tell whether a goal is to be summarised."""
    if not log.versions and not log.actions:
        return False
    turns = {v.turn or f"{v.at}" for v in (*log.versions, *log.actions)}
    moved = any(v.number > 1 and "status" in v.changes for v in log.versions)
    return moved or len(turns) >= every_turns


def narratives_of(log: GoalLog) -> list[tuple[str, str]]:
    """Return label and subject of each narrative that is not there yet."""
    there = {summary.label for summary in log.summaries if summary.kind is SummaryKind.MACRO}
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
    return [(label, subject) for label, subject in wanted if label not in there]


def sentences_of(log: GoalLog) -> list[str]:
    """Return what happened to a goal, a sentence each, in its order."""
    told = [(v.at, _goal_sentence(v)) for v in log.versions]
    told += [(v.at, _action_sentence(v)) for v in log.actions]
    found = [text for _, texts in sorted(told, key=lambda item: item[0]) for text in texts]
    return [*found, *(_sentence(w.content) for w in log.witnesses if w.content)]


def refs_of(log: GoalLog) -> tuple[str, ...]:
    """Return every piece of evidence that a goal's log names, and that earlier summaries of it named."""
    earlier = [ref for summary in log.summaries for ref in summary.refs]
    named = [ref for v in (*log.versions, *log.actions) for ref in references_in(v.changes)]
    return tuple(dict.fromkeys([*earlier, *named, *(w.uid for w in log.witnesses)]))


def action_refs(log: ActionLog, entries: Iterable[LogEntry]) -> tuple[str, ...]:
    """Return every piece of evidence that an action's log names; its goal is named by the summary itself."""
    named = [ref for v in log.versions for ref in references_in(v.changes)]
    others = [uid for entry in entries for uid in entry.ids if uid not in (log.uid, log.goal_id)]
    return tuple(dict.fromkeys([*named, *others]))


def references_in(changes: Mapping[str, Any]) -> list[str]:
    """Return the evidence that one version names."""
    return [str(ref) for name in _REFERENCES for ref in changes.get(name) or ()]


def log_sentences(log: ActionLog, entries: Sequence[LogEntry]) -> list[str]:
    """Return what an action's log says, a sentence each."""
    told = [f"{entry.at:%Y-%m-%d %H:%M}: {entry.message}." for entry in entries]
    found = [text for v in log.versions for text in _action_sentence(v)]
    return [*found, *told]


def _goal_sentence(v: LogVersion) -> list[str]:
    found: list[str] = []
    if v.changes.get("note"):
        found.append(_sentence(str(v.changes["note"])))
    if v.number > 1 and "status" in v.changes:
        reason = v.changes.get("status_reason")
        found.append(
            f"It became {v.changes['status']} on {v.at:%Y-%m-%d}" + (f": {reason}." if reason else ".")
        )
    elif v.number > 1 and "progress" in v.changes:
        found.append(f"Its progress was {v.changes['progress']:.0%} on {v.at:%Y-%m-%d}.")
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
