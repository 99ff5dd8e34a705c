"""The topics of observations and goals (decisions G-022, G-029).

topics of an observation   the stems of its tags, and the subject words of its text
topics of a goal           the subject words of its title and type, and the topics of evidence in its space
related                    of one space, about the same person (or both about none), with a common topic

Evidence of another space gives a goal no topics: the readers of the goal's space may not read its words.
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.config.tables import TopicsTable
from prefrontal.graph.cortex.goals.record import KnownGoal
from prefrontal.graph.scratch.record import Observation
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import stem, words_of
from prefrontal.graph.topics.rules import topics_in_order


def topics_of(o: Observation, table: TopicsTable) -> frozenset[str]:
    return frozenset(topics_in_order(o.tags, o.content, table))


def topics_to_compare(o: Observation, table: TopicsTable, most: int) -> dict[str, str]:
    """Return the first topics of an observation, each with the tag or the word that it comes from first.

    They are its tags, then the words of its text in their order, case-folded.
    """
    words = {stem(word): word for word in reversed(words_of(o.content))}
    spelled = words | {stem(fold(tag)): tag for tag in reversed(o.tags)}
    return {topic: spelled[topic] for topic in topics_in_order(o.tags, o.content, table)[:most]}


def topics_of_evidence(
    observations: Iterable[Observation], scope_id: str, table: TopicsTable
) -> frozenset[str]:
    """Return the topics that evidence gives a goal in a space, at most as many as a goal keeps.

    They are the first ones in the order of the alphabet.
    """
    found: set[str] = set()
    for o in observations:
        if o.scope_id == scope_id:
            found |= topics_of(o, table)
    return frozenset(sorted(found)[: table.per_goal])


def topics_of_title(title: str, goal_type: str | None, table: TopicsTable) -> frozenset[str]:
    """Return the topics of a goal's title and type."""
    return frozenset(topics_in_order((), f"{title} {(goal_type or '').replace('_', ' ')}", table))


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
