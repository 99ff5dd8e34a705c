"""How much an observation matters (source 004, §Importance Scoring; decision G-011).

    importance = 0.3·relevance_to_goals + 0.2·relevance_to_user + 0.2·confidence + 0.15·novelty
                 + 0.15·actionability                       (weights: registry/evaluation.yaml)

    relevance_to_goals   1 if it names an active goal, 0.5 if it shares a topic with one, else 0
    relevance_to_user    1 if it is about the user, else 0
    confidence           its own
    novelty              1 for the first of its text, 0 for an exact repeat
    actionability        1 if something can be done about it, else 0

A part outside 0–1 is held there, so the sum is within 0–1 too. Type, tags and words of the text decide
what is about the user, what can be acted on, and what is operational: measured rather than meant.
"""

from __future__ import annotations

from prefrontal.graph.config.tables import EvaluationTable, ImportanceWeights
from prefrontal.graph.evaluation.record import Importance
from prefrontal.graph.scratch.record import Observation
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import words_of


def importance_of(
    *,
    relevance_to_goals: float,
    relevance_to_user: float,
    confidence: float,
    novelty: float,
    actionability: float,
    weights: ImportanceWeights,
) -> Importance:
    """Return the weighted sum, 0–1, with its parts as they were counted."""
    parts = {
        "relevance_to_goals": relevance_to_goals,
        "relevance_to_user": relevance_to_user,
        "confidence": confidence,
        "novelty": novelty,
        "actionability": actionability,
    }
    held = {name: min(1.0, max(0.0, part)) for name, part in parts.items()}
    total = sum(getattr(weights, name) * part for name, part in held.items())
    return Importance(value=round(min(1.0, total), 9), **held)


def is_about_user(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether an observation names a person or speaks of the user."""
    return o.context.user_id is not None or bool(_labels_and_words(o) & table.about_user)


def is_actionable(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether something can be done about an observation."""
    return bool(_labels_and_words(o) & table.actionable)


def is_operational(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether an observation is about how systems run rather than about what is wanted."""
    if _labels(o) & table.operational.labels:
        return True
    text = f" {' '.join(words_of(o.content))} "
    return any(f" {phrase} " in text for phrase in table.operational.phrases)


def _labels(o: Observation) -> set[str]:
    return {fold(o.type), *(fold(tag) for tag in o.tags)}


def _labels_and_words(o: Observation) -> set[str]:
    return _labels(o) | set(words_of(o.content))
