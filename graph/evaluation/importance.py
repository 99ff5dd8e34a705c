"""The importance of an observation (source 004, §Importance Scoring; decision G-011).

    importance = 0.3·relevance_to_goals + 0.2·relevance_to_user + 0.2·confidence + 0.15·novelty
                 + 0.15·actionability                       (weights: registry/evaluation.yaml)

    relevance_to_goals   1 if the observation names an active goal, 0.5 if it shares a topic with one, else 0
    relevance_to_user    1 if the observation is about the user, else 0
    confidence           the observation's confidence
    novelty              1 for the first observation with its text, 0 for an exact repeat
    actionability        1 if the observation calls for something, else 0

Each part is clamped to 0–1, so the sum is within 0–1 too. The type, the tags and the words of the text decide
whether an observation is about the user. The lists of words are in the registry. Whether it calls for
something is said by its type, a tag or its vector (`calling`); if no vector was judged, by words. It is
operational by its type, a tag or its form (`measured`); if no vector was judged, by phrases, too.
"""

from __future__ import annotations

from prefrontal.graph.config.tables import EvaluationTable, ImportanceWeights
from prefrontal.graph.evaluation.measured import is_measurement
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


def is_about_user(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether an observation names a user, or has a type, tag or word about the user."""
    return o.context.user_id is not None or bool(_labels_and_words(o) & table.about_user)


def is_declared(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether an observation has a type or tag that says that something can be done about it."""
    return bool(_labels(o) & table.actionable)


def is_actionable(o: Observation, table: EvaluationTable, *, judged: bool | None = None) -> bool:
    """Tell whether an observation calls for something.

    `judged` is what its vector says; None if it has no vector or nothing judges it.
    """
    if judged is not None:
        return judged or is_declared(o, table)
    return bool(_labels_and_words(o) & table.actionable)


def is_operational(o: Observation, table: EvaluationTable, *, by_phrases: bool = True) -> bool:
    """Tell whether an observation is about the operation of systems, by its type, tags, form or phrases."""
    if _labels(o) & table.operational.labels:
        return True
    if is_measurement(o.content, table.measured) and not is_declared(o, table):
        return True
    text = f" {' '.join(words_of(o.content))} "
    return by_phrases and any(f" {phrase} " in text for phrase in table.operational.phrases)


def _labels(o: Observation) -> set[str]:
    return {fold(o.type), *(fold(tag) for tag in o.tags)}


def _labels_and_words(o: Observation) -> set[str]:
    return _labels(o) | set(words_of(o.content))
