"""The topics of observations and goals (decisions G-022, G-029).

topics of an observation   the stems of its tags, and the subject words of its text
topics of a goal           the subject words of its title and type, and the topics of its evidence
related                    of one space, about the same person (or both about none), with a common topic
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.config.tables import TopicsTable
from prefrontal.graph.cortex.goals.record import KnownGoal
from prefrontal.graph.scratch.record import Observation
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import stem, stems_of, subject_words


def topics_of(o: Observation, table: TopicsTable) -> frozenset[str]:
    """Return the topics of an observation."""
    tags = {stem(fold(tag)) for tag in o.tags}
    return subject_words(o.content, stems_of(table.stop_words)) | frozenset(tags)


def topics_of_all(observations: Iterable[Observation], table: TopicsTable) -> list[str]:
    """Return the topics of several observations, sorted, at most as many as a goal keeps."""
    found: set[str] = set()
    for o in observations:
        found |= topics_of(o, table)
    return sorted(found)[: table.per_goal]


def topics_of_goal(
    title: str, goal_type: str | None, evidence: Iterable[str], table: TopicsTable
) -> frozenset[str]:
    """Return the topics of a goal; `evidence` holds the topics of its evidence."""
    own = subject_words(f"{title} {(goal_type or '').replace('_', ' ')}", stems_of(table.stop_words))
    return own | frozenset(evidence)


def related(o: Observation, goals: Iterable[KnownGoal], table: TopicsTable) -> list[KnownGoal]:
    """Return the goals that have a topic in common with an observation, in the order given."""
    topics = topics_of(o, table)
    return [
        goal
        for goal in goals
        if goal.scope_id == o.scope_id
        and goal.user_id == o.context.user_id
        and not topics.isdisjoint(goal.topics)
    ]
