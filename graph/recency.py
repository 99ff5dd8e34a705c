"""Recency: how new something is.

recency = 0.5 ** (age in hours / half-life); 1 for what does not age
"""

from __future__ import annotations

from datetime import datetime


def recency(created_at: datetime, now: datetime, half_life_hours: float | None) -> float:
    """Return the recency: 1 for now or the future, 0.5 after one half-life, then falling towards 0."""
    if half_life_hours is None:
        return 1.0
    age_hours = max(0.0, (now - created_at).total_seconds() / 3600)
    return float(0.5 ** (age_hours / half_life_hours))
