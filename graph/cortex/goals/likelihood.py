"""How likely an observation speaks for each of some goals, to suggest where to link it.

Each thing that an observation and a goal have in common is a reason by itself. The reasons are combined as
a noisy-or (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988, §4.3.2): more reasons make a goal
likelier, and none makes it certain.

    likelihood = 1 - (1 - meaning * closeness) * (1 - topic) ** topics * (1 - entity) ** entities
                   * (1 - named)

    closeness  how close the goal is to the text of the observation (`graph.search.rules`), 0 to 1
    topics     the topics that both are about, each as 1 / the number of goals that share it: what many goals
               have in common with an observation hardly tells them apart
    entities   the entities of the observation that evidence of the goal mentions too, each as 1 / the number
               of goals that share it
    named      its weight if the observation names the goal, by its id or its type; else 0

The weights, and the likelihood below which a goal is not suggested, are `suggestions` of
`registry/goals.yaml`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from prefrontal.graph.config.tables import SuggestionsTable
from prefrontal.graph.cortex.goals.record import InCommon


def likeliest(found: Iterable[InCommon], table: SuggestionsTable) -> list[tuple[InCommon, float]]:
    """Return the goals that are likely enough with their likelihoods (0 to 1), the likeliest first.

    `found` are all goals that have something in common with one observation.
    """
    every = list(found)
    topics = Counter(topic for common in every for topic in common.topics)
    entities = Counter(entity for common in every for entity in common.entities)
    rated = [(common, _likelihood(common, topics, entities, table)) for common in every]
    likely = [(common, value) for common, value in rated if value >= table.least]
    return sorted(likely, key=lambda pair: (-pair[1], pair[0].goal_id))


def _likelihood(
    common: InCommon, topics: Mapping[str, int], entities: Mapping[str, int], table: SuggestionsTable
) -> float:
    unlike = 1.0 - table.meaning * (common.closeness or 0.0)
    unlike *= (1.0 - table.topic) ** sum(1.0 / topics[topic] for topic in common.topics)
    unlike *= (1.0 - table.entity) ** sum(1.0 / entities[entity] for entity in common.entities)
    return 1.0 - unlike * (1.0 - table.named * common.named)
