"""The score of a retrieved memory as a candidate for a context.

    score     = relevance_weight * relevance + recency_weight * recency + confidence_weight * confidence
    relevance = closeness to the prompt (`graph.search.rules`) / that of what is closest; 0 for what is a
                candidate because it is new
    recency   = 0.5 ** (age in hours / half-life); 1 for a kind whose memories do not age

The parts and the score are between 0 and 1. The weights are in `registry/context.yaml` and sum to 1. The
half-life of observations is there too, that of each kind of durable memory in `registry/memory.yaml`.
"""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.config.tables import ObservationScoreTable


def recency(created_at: datetime, now: datetime, half_life_hours: float | None) -> float:
    """Return the recency: 1 for now or the future, 0.5 after one half-life, then falling towards 0."""
    if half_life_hours is None:
        return 1.0
    age_hours = max(0.0, (now - created_at).total_seconds() / 3600)
    return float(0.5 ** (age_hours / half_life_hours))


def memory_score(
    relevance: float,
    at: datetime,
    confidence: float,
    half_life_hours: float | None,
    now: datetime,
    table: ObservationScoreTable,
) -> float:
    """Return the score of a memory that was noticed, said or happened at a time, between 0 and 1."""
    return (
        table.relevance_weight * relevance
        + table.recency_weight * recency(at, now, half_life_hours)
        + table.confidence_weight * confidence
    )
