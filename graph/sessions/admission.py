"""Whether a session admits an item (source 002, §3.1; decisions G-059 to G-063).

    salience   = 0.4·relevance + 0.2·urgency + 0.2·recency + 0.2·attention
    score      = salience · (1 + 0.3·task_relevance + 0.2·coherence_boost)
    threshold  = base_threshold · (1 + 0.5·items held / capacity)
    admitted     if score > threshold; an equal score is not enough

Each part is clamped to 0–1, so the salience is within 0–1 and the score within 0–1.5. The items held are
those before the item is added, and count at most as a full session. A part of at least `reason_at` is a
reason. The numbers are in `registry/admission.yaml`.
"""

from __future__ import annotations

from typing import NamedTuple

from prefrontal.graph.config.session_tables import AdmissionTable

_REASONS = {
    "relevance": "high_relevance",
    "urgency": "high_urgency",
    "recency": "recent_access",
    "attention": "user_attention",
}
_DIGITS = 9
"""Sums are rounded to so many digits: what is equal on paper is equal here."""


class Components(NamedTuple):
    """The parts of an item's salience, each between 0 and 1."""

    relevance: float
    urgency: float
    recency: float
    attention: float


class Decision(NamedTuple):
    """Whether an item is admitted, with the numbers that decided."""

    admitted: bool
    score: float
    """The salience, raised by its fit with the task and with the session: at most 1.5."""
    threshold: float
    salience: float
    task_relevance: float
    coherence_boost: float
    reasons: tuple[str, ...]
    """`high_relevance`, `high_urgency`, `recent_access` and `user_attention`, as far as they apply."""


def salience_of(parts: Components, table: AdmissionTable) -> float:
    """Return the salience of an item: the weighted sum of its parts, between 0 and 1."""
    weights = table.weights
    total: float = sum(getattr(weights, name) * _clamped(part) for name, part in parts._asdict().items())
    return round(min(1.0, total), _DIGITS)


def decide(
    parts: Components,
    *,
    task_relevance: float,
    coherence_boost: float,
    held: int,
    capacity: int,
    table: AdmissionTable,
) -> Decision:
    """Return whether a session admits an item.

    Args:
        parts: The parts of the item's salience.
        task_relevance: How relevant it is for the session's task; 0 without a task.
        coherence_boost: How well it fits the items held; 0 in an empty session.
        held: The number of items held before this one.
        capacity: The number of items that the session may hold.
        table: The weights and thresholds.
    """
    salience = salience_of(parts, table)
    task, boost = _clamped(task_relevance), _clamped(coherence_boost)
    modulation = table.modulation
    raised = 1 + modulation.task_relevance * task + modulation.coherence_boost * boost
    score = round(salience * raised, _DIGITS)
    threshold = threshold_of(held, capacity, table)
    return Decision(
        admitted=score > threshold,
        score=score,
        threshold=threshold,
        salience=salience,
        task_relevance=task,
        coherence_boost=boost,
        reasons=tuple(reason for name, reason in _REASONS.items() if getattr(parts, name) >= table.reason_at),
    )


def threshold_of(held: int, capacity: int, table: AdmissionTable) -> float:
    """Return what a score has to exceed in a session that holds so many items."""
    utilisation = min(1.0, held / capacity)
    return round(table.base_threshold * (1 + table.pressure * utilisation), _DIGITS)


def _clamped(part: float) -> float:
    return min(1.0, max(0.0, part))
