"""How well the items of a session belong together (source 002, §3.3; decision G-064).

    score      = 0.4·thematic + 0.3·entity + 0.3·temporal
    thematic   how much the items' themes have in common, over all pairs of items (`shared` of `names`)
    entity     the same for their entities
    temporal   0.5 ** (mean distance of the items' times from their median / half-life)

Each part is between 0 and 1, and 1 for a single item. A session without items has the score 1. Items without
themes, or without entities, share none.

    dominant themes          the most frequent ones, each counted once per item; of equally frequent ones
                             those of the more salient items, then in the order of the alphabet
    entity graph             for each pair of entities, in how many items both are
    theme alignment          the overlap of an item's themes and the dominant themes
    coherence contribution   the share of an item's entities and themes that another item has, too
    coherence boost          of an item that is not held: the shares of its themes and of its entities that
                             the items held have, weighed like the thematic and entity parts; a kind of which
                             it has none is left out

Names count as the same if they have the same stems. The numbers are in `registry/coherence.yaml`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import combinations
from statistics import median
from typing import NamedTuple

from prefrontal.graph.config.session_tables import CoherenceTable
from prefrontal.graph.sessions.names import key, keys, overlap, shared
from prefrontal.graph.sessions.slot import Slot


class Coherence(NamedTuple):
    """The coherence of a session, with its parts."""

    score: float
    dominant_themes: tuple[str, ...]
    entity_graph: Mapping[tuple[str, str], int]
    """In how many items two entities are together; each pair is in the order of the alphabet."""
    thematic: float
    entity: float
    temporal: float


def coherence_of(slots: Sequence[Slot], table: CoherenceTable) -> Coherence:
    """Return the coherence of the items of a session."""
    thematic = shared([keys(slot.themes) for slot in slots])
    entity = shared([keys(slot.entities) for slot in slots])
    temporal = _temporal(slots, table)
    weights = table.weights
    score = weights.thematic * thematic + weights.entity * entity + weights.temporal * temporal
    return Coherence(
        score=round(min(1.0, score), 9),
        dominant_themes=dominant_themes_of(slots, table),
        entity_graph=entity_graph_of(slots),
        thematic=thematic,
        entity=entity,
        temporal=temporal,
    )


def dominant_themes_of(slots: Sequence[Slot], table: CoherenceTable) -> tuple[str, ...]:
    """Return the most frequent themes, the most frequent first; of several spellings the shortest."""
    having: dict[str, list[float]] = {}
    spelt: dict[str, str] = {}
    for slot in slots:
        for name in slot.themes:
            word = key(name)
            spelt[word] = min(spelt.get(word, name), name, key=lambda text: (len(text), text))
        for word in keys(slot.themes):
            having.setdefault(word, []).append(slot.salience)
    order = sorted(having, key=lambda word: (-len(having[word]), -math.fsum(having[word]), spelt[word]))
    return tuple(spelt[word] for word in order[: table.dominant_themes])


def entity_graph_of(slots: Iterable[Slot]) -> dict[tuple[str, str], int]:
    """Return for each pair of entities in how many items both are."""
    pairs = Counter(pair for slot in slots for pair in combinations(sorted(slot.entities), 2))
    return dict(sorted(pairs.items()))


def coherence_boost(
    entities: Iterable[str], themes: Iterable[str], slots: Sequence[Slot], table: CoherenceTable
) -> float:
    """Return how well an item fits the items held, between 0 and 1; 0 in an empty session."""
    counted = _counted(slots)
    weights = table.weights
    shares = [
        (weight, _share_counted(names, counted))
        for weight, names in ((weights.thematic, keys(themes)), (weights.entity, keys(entities)))
        if names
    ]
    whole = sum(weight for weight, _ in shares)
    return sum(weight * share for weight, share in shares) / whole if whole else 0.0


def theme_alignment(slot: Slot, dominant_themes: Iterable[str]) -> float:
    """Return how far the themes of an item are the dominant ones, between 0 and 1."""
    return overlap(keys(slot.themes), keys(dominant_themes))


def coherence_contribution(slot: Slot, slots: Iterable[Slot]) -> float:
    """Return the share of an item's names that another item has, between 0 and 1."""
    return _share_counted(
        names_of(slot), _counted(other for other in slots if other.item_uid != slot.item_uid)
    )


def contributions(slots: Sequence[Slot]) -> dict[str, float]:
    """Return the coherence contribution of each item by its id, counting the names once."""
    every = _counted(slots)
    # Counted without the item itself.
    return {
        slot.item_uid: _share_counted(names_of(slot), {name: every[name] - 1 for name in names_of(slot)})
        for slot in slots
    }


def names_of(slot: Slot) -> frozenset[str]:
    """Return the keys of an item's entities and themes."""
    return keys((*slot.entities, *slot.themes))


def _counted(slots: Iterable[Slot]) -> Counter[str]:
    return Counter(name for slot in slots for name in names_of(slot))


def _share_counted(names: frozenset[str], counted: Mapping[str, int]) -> float:
    return sum(counted.get(name, 0) > 0 for name in names) / len(names) if names else 0.0


def _temporal(slots: Sequence[Slot], table: CoherenceTable) -> float:
    if not slots:
        return 1.0
    first = min(slot.time for slot in slots)
    times = [(slot.time - first) / timedelta(hours=1) for slot in slots]
    middle = median(times)
    apart = math.fsum(abs(time - middle) for time in times) / len(times)
    return float(0.5 ** (apart / table.temporal_half_life_hours))
