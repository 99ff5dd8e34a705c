"""The importance of what an agent noticed or did (source 004, §Importance Scoring).

    importance = 0.3·relevance_to_goals + 0.2·relevance_to_user + 0.2·confidence + 0.15·novelty
                 + 0.15·actionability                       (weights: registry/evaluation.yaml)

Each part is clamped to 0–1, so the sum is within 0–1 too.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from prefrontal.graph.config.tables import ImportanceWeights
from prefrontal.graph.record import Record
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import words_of


class Importance(Record):
    """An importance: the weighted sum and its five parts, each between 0 and 1."""

    value: float
    relevance_to_goals: float
    relevance_to_user: float
    confidence: float
    novelty: float
    actionability: float


def importance_of(
    *,
    relevance_to_goals: float,
    relevance_to_user: float,
    confidence: float,
    novelty: float,
    actionability: float,
    weights: ImportanceWeights,
) -> Importance:
    """Return the importance: the weighted sum and its clamped parts, each between 0 and 1."""
    parts = {
        "relevance_to_goals": relevance_to_goals,
        "relevance_to_user": relevance_to_user,
        "confidence": confidence,
        "novelty": novelty,
        "actionability": actionability,
    }
    clamped = {name: min(1.0, max(0.0, part)) for name, part in parts.items()}
    total = sum(getattr(weights, name) * part for name, part in clamped.items())
    return Importance(value=round(min(1.0, total), 9), **clamped)


def names_one_of(words: Container[str], labels: Iterable[str], text: str) -> bool:
    """Tell whether one of some folded words is a label, or a word of a text."""
    return any(fold(label) in words for label in labels) or any(word in words for word in words_of(text))
