"""How likely an observation speaks for each of some goals, to suggest where to link it.

Each thing that an observation and a goal have in common is a reason by itself. The reasons are combined as
a noisy-or (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988, §4.3.2): more reasons make a goal
likelier, and none makes it certain.

    likelihood = 1 - (1 - meaning * closeness) * (1 - topic) ** topics * (1 - entity) ** entities
                   * (1 - named)

    closeness  how close the goal is to the text of the observation (`graph.search.rules`), 0 to 1
    topics     the number of topics that both are about
    entities   the number of entities of the observation that evidence of the goal mentions, too
    named      its weight if the observation names the goal, by its id or its type; else 0

The weights, and the likelihood below which a goal is not suggested, are `suggestions` of
`registry/goals.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.config.tables import SuggestionsTable
from prefrontal.graph.cortex.goals.record import InCommon


def likelihood(common: InCommon, table: SuggestionsTable) -> float:
    """Return how likely an observation speaks for a goal, 0 to 1."""
    unlike = 1.0 - table.meaning * (common.closeness or 0.0)
    unlike *= (1.0 - table.topic) ** len(common.topics)
    unlike *= (1.0 - table.entity) ** len(common.entities)
    return 1.0 - unlike * (1.0 - table.named * common.named)


def likeliest(found: Iterable[InCommon], table: SuggestionsTable) -> list[tuple[InCommon, float]]:
    """Return the goals that are likely enough with their likelihoods, the likeliest first."""
    rated = [(common, likelihood(common, table)) for common in found]
    likely = [(common, value) for common, value in rated if value >= table.least]
    return sorted(likely, key=lambda pair: (-pair[1], pair[0].goal_id))
