"""Which items of a session answer a search, and how well (decision G-083).

    words      the share of the search text's terms, weighted by their rarity in English, that the item has
    entities   the share of the names that the item names
    match      words + entities; an item matches if it has any of them

The best match comes first; of equal ones the item of the higher priority. Without a text and names every item
matches, in the order of its priority.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prefrontal.graph.sessions.components import stems_of_item
from prefrontal.graph.sessions.names import keys
from prefrontal.graph.sessions.record import Item
from prefrontal.graph.text.terms import weighted_terms


def matching(
    items: Iterable[Item], text: str | None, entities: Sequence[str], stop_words: frozenset[str] = frozenset()
) -> list[Item]:
    """Return the items that match a search, the best match first.

    Args:
        items: Items with their ranks.
        text: The words to look for.
        entities: The names to look for.
        stop_words: The stems of words that say nothing.
    """
    terms, names = weighted_terms(text or "", stop_words), keys(entities)
    if not text and not names:
        return sorted(items, key=lambda item: item.priority_rank)
    found = []
    for item in items:
        stems = stems_of_item(item.content, item.entities, item.themes)
        had = sum(rare for term, rare in terms.items() if term in stems)
        words = had / sum(terms.values()) if terms else 0.0
        named = sum(set(name.split()) <= stems for name in names) / len(names) if names else 0.0
        if words + named > 0:
            found.append((words + named, item))
    found.sort(key=lambda each: (-each[0], each[1].priority_rank))
    return [item for _, item in found]
