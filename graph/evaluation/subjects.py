"""The subjects of a decision: what no two evaluations decide about at the same time.

Two evaluations of one space that see different subjects create and join different goals, so neither waits for
the other. Two that share a subject wait for each other, so that one of them sees the other's goal.

    text    the text of the observation about its person; a second one with the same text is a duplicate
    key     the key that the observation names, or the type of the goal that a reviewer describes
    topic   a topic of the observation, of the key or of the described goal, for the person of the goal

An observation that is evidence already has no subject: nothing is decided about it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.goals.topics import topics_of, topics_of_title
from prefrontal.graph.evaluation.decision import named_key, needs_the_graph
from prefrontal.graph.scratch.record import ObservationStatus

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import EvaluationTable, TopicsTable
    from prefrontal.graph.cortex.goals.record import GoalDraft
    from prefrontal.graph.scratch.record import Reviewable

SLOTS = 1024
"""The number of locks of a space, so that an evaluation of long texts does not need thousands of them.

Two different subjects that share a lock only wait for each other.
"""


def subjects_of(
    c: Reviewable,
    table: EvaluationTable,
    topics: TopicsTable,
    called: GoalDraft | None = None,
    *,
    by_phrases: bool = True,
) -> frozenset[tuple[str, ...]]:
    """Return the subjects of the decision about an observation.

    Args:
        c: The observation.
        table: The registry's table of evaluation.
        topics: The registry's table of topics.
        called: The fields of the goal that the evaluation is to create, if a reviewer describes it.
        by_phrases: Whether the words of the text may say that it is operational.
    """
    o = c.observation
    if c.linked:
        return frozenset()
    found: set[tuple[str, ...]] = {("text", o.context.user_id or "", c.text_key)}
    if o.status is not ObservationStatus.ACTIVE or not needs_the_graph(o, table, by_phrases=by_phrases):
        return frozenset(found)
    goal_type = called.goal_type if called is not None else None
    keys = {key for key in (named_key(o), goal_type) if key is not None}
    people = {o.context.user_id, called.user_id if called is not None else o.context.user_id}
    title = called.title if called is not None else ""
    words = topics_of(o, topics) | topics_of_title(title, " ".join(sorted(keys)), topics)
    found |= {("key", key) for key in keys}
    found |= {("topic", person or "", word) for person in people for word in words}
    return frozenset(found)


def slots_of(subjects: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """Return the keys of the locks of some subjects."""
    return frozenset(f"{_number(subject) % SLOTS:04}" for subject in subjects)


def _number(subject: tuple[str, ...]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(subject).encode(), digest_size=8).digest())
