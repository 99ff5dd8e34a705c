"""What the importance of an observation is made of (decision G-011); the formula is in `graph.importance`.

    relevance_to_goals   1 if the observation names an active goal, 0.5 if it shares a topic with one, else 0
    relevance_to_user    1 if the observation is about the user, else 0
    confidence           the observation's confidence
    novelty              1 for the first observation with its text, 0 for an exact repeat
    actionability        1 if the observation calls for something, else 0

The type, the tags and the words of the text decide whether an observation is about the user. The lists of
words are in the registry. Whether it calls for something is said by its type, a tag or its vector
(`graph.embedding.judge`); if no vector was judged, by words. It is operational by its type, a tag or its form
(`measurements`); if no vector was judged, by phrases, too.
"""

from __future__ import annotations

from prefrontal.graph.config.tables import EvaluationTable
from prefrontal.graph.evaluation.measurements import is_measurement
from prefrontal.graph.importance import names_one_of
from prefrontal.graph.scratch.record import Observation
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import words_of


def is_about_user(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether an observation names a user, or has a type, tag or word about the user."""
    return o.context.user_id is not None or names_one_of(table.about_user, (o.type, *o.tags), o.content)


def is_declared(o: Observation, table: EvaluationTable) -> bool:
    """Tell whether an observation has a type or tag that says that something can be done about it."""
    return bool(_labels(o) & table.actionable)


def is_actionable(o: Observation, table: EvaluationTable, *, judged: bool | None = None) -> bool:
    """Tell whether an observation calls for something.

    `judged` is what its vector says; None if it has no vector or nothing judges it.
    """
    if judged is not None:
        return judged or is_declared(o, table)
    return names_one_of(table.actionable, (o.type, *o.tags), o.content)


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
