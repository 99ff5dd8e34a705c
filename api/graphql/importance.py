"""The importance of what an agent noticed or did, as a GraphQL type."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.importance import Importance


@graphql_type_of(Importance, "An importance, 0–1: a weighted sum of five parts, each 0–1.")
class ImportanceType(RecordType):
    """An importance and its parts."""

    value: float
    relevance_to_goals: float = strawberry.field(
        description="1 if it names an active goal, 0.5 if it shares a topic with one."
    )
    relevance_to_user: float
    confidence: float
    novelty: float = strawberry.field(description="0 for an exact repetition of what is known.")
    actionability: float
