"""Which items leave a session that holds too many (source 002, §3.2; decisions G-061 and G-065 to G-070).

    score = 0.3·hours since the last access + 0.2·hours since admission + 0.2·(1 − salience)
            + 0.1·(1 − confidence) + 0.1·(1 − frequency) + 0.05·(1 − theme_alignment)
            + 0.05·(1 − coherence_contribution)

    frequency   accesses per hour since admission / 10, clamped to 0–1; the time since admission counts as at
                least one second

The items with the highest scores leave, exactly as many as are too many. Of equal scores the item with the
lower rank leaves first. A pinned item never leaves, even if too many stay. An exempt item, such as the one
just admitted, leaves only if there is no other.

    access_recency_weight = 1 / (1 + seconds since the last access / 300)

It is reported beside the score and is no term of it. The numbers are in `registry/eviction.yaml`. The hours
have no bound: after a while what was not used leaves first, however salient it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from prefrontal.graph.config.session_tables import CoherenceTable, EvictionTable
from prefrontal.graph.sessions.coherence import (
    coherence_contribution,
    contributions,
    dominant_themes_of,
    theme_alignment,
)
from prefrontal.graph.sessions.slot import Slot, ranks

_HOUR = 3600.0


class Eviction(NamedTuple):
    """The eviction score of an item, with its terms."""

    item_uid: str
    score: float
    parts: Mapping[str, float]
    """The terms as they are summed, by the names of `weights` in `eviction.yaml`."""
    access_recency_weight: float
    """1 for an access just now, 0.5 after five minutes; no term of the score."""


def eviction_of(
    slot: Slot,
    *,
    slots: Iterable[Slot],
    dominant_themes: Iterable[str],
    now: datetime,
    table: EvictionTable,
) -> Eviction:
    """Return the eviction score of an item among the items of its session."""
    contribution = coherence_contribution(slot, slots)
    return _scored(slot, theme_alignment(slot, dominant_themes), contribution, now, table)


def to_evict(
    slots: Sequence[Slot],
    *,
    limit: int,
    now: datetime,
    table: EvictionTable,
    coherence: CoherenceTable,
    exempt: Collection[str] = (),
) -> list[Eviction]:
    """Return the items that have to leave a session, the highest score first.

    Args:
        slots: The items that it holds.
        limit: How many it may hold. No item is chosen if it holds no more.
        now: The time of the decision.
        table: The weights of the score.
        coherence: How the dominant themes are found.
        exempt: The ids of items that leave only if there is no other.
    """
    excess = len(slots) - limit
    if excess <= 0:
        return []
    dominant = dominant_themes_of(slots, coherence)
    contributed = contributions(slots)
    rank = ranks(slots)
    scored = [
        _scored(slot, theme_alignment(slot, dominant), contributed[slot.item_uid], now, table)
        for slot in slots
        if not slot.pinned
    ]
    scored.sort(key=lambda one: (one.item_uid in exempt, -one.score, -rank[one.item_uid]))
    return scored[:excess]


def _scored(
    slot: Slot, alignment: float, contribution: float, now: datetime, table: EvictionTable
) -> Eviction:
    idle = max(0.0, (now - slot.last_access).total_seconds())
    held = max(0.0, (now - slot.admitted_at).total_seconds())
    per_hour = slot.access_count / max(table.least_elapsed_seconds, held) * _HOUR
    terms = {
        "time_since_access": idle / _HOUR,
        "time_since_admission": held / _HOUR,
        "salience": 1 - slot.salience,
        "confidence": 1 - slot.confidence,
        "frequency": 1 - min(1.0, max(0.0, per_hour / table.full_frequency_per_hour)),
        "theme": 1 - alignment,
        "coherence": 1 - contribution,
    }
    parts = {name: getattr(table.weights, name) * term for name, term in terms.items()}
    return Eviction(
        item_uid=slot.item_uid,
        score=round(sum(parts.values()), 9),
        parts=parts,
        access_recency_weight=1 / (1 + idle / table.recency_decay_seconds),
    )
