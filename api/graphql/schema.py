"""The GraphQL schema: the fields of all domains in one Query and one Mutation, with limits and a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry
from strawberry.extensions import DisableIntrospection, MaxTokensLimiter
from strawberry.schema.config import StrawberryConfig
from strawberry.tools import merge_types

from prefrontal.api.graphql.access.fields import AccessMutation, AccessQuery
from prefrontal.api.graphql.actions.fields import ActionMutation, ActionQuery
from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.context.fields import ContextMutation, ContextQuery
from prefrontal.api.graphql.document_cache import QuickSchema
from prefrontal.api.graphql.entities.fields import EntityQuery
from prefrontal.api.graphql.entities.types import EntityType
from prefrontal.api.graphql.errors import MaskDefects, OneOperation, ProblemHandler
from prefrontal.api.graphql.evaluation.fields import EvaluationMutation
from prefrontal.api.graphql.goals.fields import GoalMutation, GoalQuery
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.history.fields import HistoryQuery
from prefrontal.api.graphql.history.revert import HistoryMutation
from prefrontal.api.graphql.limits import QueryLimits
from prefrontal.api.graphql.memory.fields import RecallMutation
from prefrontal.api.graphql.memory.types import MemoryType
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.proposals.fields import ProposalMutation, ProposalQuery
from prefrontal.api.graphql.proposals.types import RegistryProposalType
from prefrontal.api.graphql.questions.fields import QuestionMutation, QuestionQuery
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.api.graphql.registry.fields import RegistryMutation, RegistryQuery
from prefrontal.api.graphql.registry.types import ActionTypeOverrideType
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.fields import ScratchMutation, ScratchQuery
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.api.graphql.turns.fields import TurnMutation, TurnQuery
from prefrontal.api.graphql.turns.types import TurnType
from prefrontal.graph.ids import Kind, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from strawberry.extensions import SchemaExtension

    from prefrontal.graph.config.settings import Settings


@strawberry.type
class NodeQuery:
    """The query for any node by its id."""

    @strawberry.field(description="The node with this id; null if it is unknown or not readable.")
    async def node(self, info: Context, id: strawberry.ID) -> Node | None:  # noqa: C901, PLR0911 - one for each kind
        """Return the node; the prefix of the id determines its kind."""
        loaders = info.context.loaders
        match kind_of(id):
            case Kind.OBSERVATION:
                observation = await loaders.observations.load(id)
                return ObservationType.from_record(observation) if observation else None
            case Kind.GOAL:
                goal = await loaders.goals.load(id)
                return GoalType.from_record(goal) if goal else None
            case Kind.PENDING_ACTION:
                action = await loaders.actions.load(id)
                return PendingActionType.from_record(action) if action else None
            case Kind.ACTION_TYPE:
                override = await loaders.overrides.load(id)
                own = info.context.services.registry.effective_types.of(await info.context.caller())
                return ActionTypeOverrideType.from_record(override, own) if override else None
            case Kind.QUESTION:
                question = await loaders.questions.load(id)
                return QuestionType.from_record(question) if question else None
            case Kind.STORY:
                story = await loaders.stories.load(id)
                return StoryType.from_record(story) if story else None
            case Kind.REGISTRY_PROPOSAL:
                proposal = await loaders.proposals.load(id)
                return RegistryProposalType.from_record(proposal) if proposal else None
            case Kind.MANDATE | Kind.CAPABILITY:
                memory = await loaders.memories.load(id)
                return MemoryType.from_record(memory) if memory else None
            case Kind.ENTITY:
                entity = await loaders.entities.load(id)
                return EntityType.from_record(entity) if entity else None
            case Kind.TURN:
                turn = await loaders.turns.load(id)
                return TurnType.from_record(turn) if turn else None
            case _:
                return None


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
        EntityQuery,
        QuestionQuery,
        HistoryQuery,
        RegistryQuery,
        ProposalQuery,
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
        RecallMutation,
        ContextMutation,
        HistoryMutation,
        TurnMutation,
        RegistryMutation,
    ),
)


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
        types=[
            ObservationType,
            GoalType,
            PendingActionType,
            ActionTypeOverrideType,
            MemoryType,
            TurnType,
            EntityType,
            QuestionType,
            StoryType,
            RegistryProposalType,
        ],
        extensions=extensions,
        exception_handlers=[ProblemHandler()],
        config=StrawberryConfig(disable_field_suggestions=settings.production),
    )
