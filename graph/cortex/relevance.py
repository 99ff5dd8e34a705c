"""The relevance of a goal when there is no prompt to compare it with; it is the alignment of an action.

    relevance = priority * rank / highest rank + status[its status] + progress * its progress

The weights are `relevance` of `registry/goals.yaml` and sum to at most 1. A goal whose status is not named
there (so every ended goal) has relevance 0, and so has an action without a goal. The query that ranks actions
computes the same from `Weights`, in the same order, so that both results are equal to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import GoalsTable


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the formula as factors."""

    per_rank: float
    by_status: dict[str, float]
    by_progress: float


def weights_of(table: GoalsTable) -> Weights:
    """Return the weights of the registry."""
    given = table.relevance
    highest = max(table.priorities.values())
    return Weights(given.priority / highest, dict(given.status), given.progress)


def relevance(priority_rank: int, status: str, progress: float, table: GoalsTable) -> float:
    weights = weights_of(table)
    if status not in weights.by_status:
        return 0.0
    return weights.per_rank * priority_rank + weights.by_status[status] + weights.by_progress * progress
