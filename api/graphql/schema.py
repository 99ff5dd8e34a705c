"""The GraphQL schema: the fields of all domains in one Query and one Mutation, with limits and a cache."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import strawberry
from strawberry.extensions import DisableIntrospection, MaxTokensLimiter
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.name_converter import NameConverter
from strawberry.tools import merge_types

from prefrontal.api.graphql.access.fields import AccessMutation, AccessQuery
from prefrontal.api.graphql.actions.fields import ActionMutation, ActionQuery
from prefrontal.api.graphql.browser.fields import BrowserQuery
from prefrontal.api.graphql.context.fields import ContextMutation, ContextQuery
from prefrontal.api.graphql.document_cache import QuickSchema
from prefrontal.api.graphql.entities.fields import EntityQuery
from prefrontal.api.graphql.erasure.fields import ErasureMutation
from prefrontal.api.graphql.errors import MaskDefects, OneOperation
from prefrontal.api.graphql.evaluation.fields import EvaluationMutation
from prefrontal.api.graphql.events.fields import EventMutation, EventQuery, EventSubscription
from prefrontal.api.graphql.goals.fields import GoalMutation, GoalQuery
from prefrontal.api.graphql.history.fields import HistoryQuery
from prefrontal.api.graphql.history.revert import HistoryMutation
from prefrontal.api.graphql.lessons.fields import LessonMutation, LessonQuery
from prefrontal.api.graphql.limits import QueryLimits
from prefrontal.api.graphql.memory.fields import MemoryMutation, MemoryQuery
from prefrontal.api.graphql.mutation import payloads_of
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import find_node, node_types
from prefrontal.api.graphql.outcomes.fields import OutcomeMutation, OutcomeQuery
from prefrontal.api.graphql.plain_fields import PlainFieldsContext
from prefrontal.api.graphql.proposals.fields import ProposalMutation, ProposalQuery
from prefrontal.api.graphql.questions.fields import QuestionMutation, QuestionQuery
from prefrontal.api.graphql.registry.fields import RegistryMutation, RegistryQuery
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scalars import SCALARS
from prefrontal.api.graphql.scratch.fields import ScratchMutation, ScratchQuery
from prefrontal.api.graphql.search.fields import SearchQuery
from prefrontal.api.graphql.sessions.fields import SessionMutation, SessionQuery
from prefrontal.api.graphql.summaries.fields import SummaryQuery
from prefrontal.api.graphql.tools.fields import ToolMutation, ToolQuery
from prefrontal.api.graphql.turns.fields import TurnMutation, TurnQuery

if TYPE_CHECKING:
    from collections.abc import Callable

    from strawberry.extensions import SchemaExtension

    from prefrontal.graph.config.settings import Settings


@strawberry.type
class NodeQuery:
    """The query for any node by its id."""

    @strawberry.field(description="The node with this id; null if it is unknown or not readable.")
    async def node(self, info: Context, id: strawberry.ID) -> Node | None:
        found: Node | None = await find_node(info.context.loaders, id)
        return found


Query = merge_types(
    "Query",
    (
        NodeQuery,
        AccessQuery,
        ScratchQuery,
        GoalQuery,
        ActionQuery,
        ContextQuery,
        TurnQuery,
        ToolQuery,
        OutcomeQuery,
        LessonQuery,
        EntityQuery,
        MemoryQuery,
        SearchQuery,
        SessionQuery,
        SummaryQuery,
        QuestionQuery,
        HistoryQuery,
        RegistryQuery,
        ProposalQuery,
        BrowserQuery,
        EventQuery,
    ),
)
Mutation = merge_types(
    "Mutation",
    (
        AccessMutation,
        ScratchMutation,
        EvaluationMutation,
        GoalMutation,
        QuestionMutation,
        ActionMutation,
        ProposalMutation,
        MemoryMutation,
        SessionMutation,
        ContextMutation,
        HistoryMutation,
        TurnMutation,
        ToolMutation,
        OutcomeMutation,
        ErasureMutation,
        LessonMutation,
        RegistryMutation,
        EventMutation,
    ),
)


@strawberry.type(name="Subscription", description="What comes by itself.")
class Subscription(EventSubscription):
    """The subscriptions of all domains."""


class _RememberedNames(NameConverter):
    """Converts each name once; strawberry asks for the names of arguments at every call of a resolver."""

    def __init__(self) -> None:
        super().__init__()
        self.apply_naming_config = lru_cache(maxsize=None)(super().apply_naming_config)  # type: ignore[method-assign]


def build_schema(settings: Settings) -> strawberry.Schema:
    """Return the schema with the limits in the settings; without introspection in production mode."""
    extensions: list[type[SchemaExtension] | Callable[[], SchemaExtension]] = [
        lambda: MaxTokensLimiter(max_token_count=settings.max_query_tokens),
        lambda: QueryLimits(settings),
        OneOperation,
        MaskDefects,
    ]
    if settings.production:
        extensions.append(DisableIntrospection)
    return QuickSchema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[*node_types(), *payloads_of(Mutation)],
        extensions=extensions,
        execution_context_class=PlainFieldsContext,
        config=StrawberryConfig(
            disable_field_suggestions=settings.production,
            name_converter=_RememberedNames(),
            scalar_map=SCALARS,
        ),
    )
