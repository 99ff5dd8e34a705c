"""The types that `node(id)` returns: one table from the kind of an id to its type and its loader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.entities.types import EntityType
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.memory.types import MemoryType
from prefrontal.api.graphql.proposals.types import RegistryProposalType
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.api.graphql.registry.types import ActionTypeOverrideType
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.api.graphql.turns.types import TurnType
from prefrontal.graph.ids import Kind, kind_of

if TYPE_CHECKING:
    from strawberry.dataloader import DataLoader

    from prefrontal.api.graphql.loaders import Loaders
    from prefrontal.api.graphql.node import Node

NODES: Mapping[Kind, tuple[Any, Callable[[Loaders], DataLoader[str, Any]]]] = {
    Kind.OBSERVATION: (ObservationType, lambda loaders: loaders.observations),
    Kind.GOAL: (GoalType, lambda loaders: loaders.goals),
    Kind.PENDING_ACTION: (PendingActionType, lambda loaders: loaders.actions),
    Kind.ACTION_TYPE: (ActionTypeOverrideType, lambda loaders: loaders.overrides),
    Kind.QUESTION: (QuestionType, lambda loaders: loaders.questions),
    Kind.STORY: (StoryType, lambda loaders: loaders.stories),
    Kind.REGISTRY_PROPOSAL: (RegistryProposalType, lambda loaders: loaders.proposals),
    Kind.MANDATE: (MemoryType, lambda loaders: loaders.memories),
    Kind.CAPABILITY: (MemoryType, lambda loaders: loaders.memories),
    Kind.ENTITY: (EntityType, lambda loaders: loaders.entities),
    Kind.TURN: (TurnType, lambda loaders: loaders.turns),
}
"""The GraphQL type of each kind of node that clients can read by id, and the loader of its records."""


async def find_node(loaders: Loaders, uid: str) -> Node | None:
    """Return the node with an id, or None if it is unknown, not readable, or of a kind without a type."""
    kind = kind_of(uid)
    if kind is None or kind not in NODES:
        return None
    shown, loader = NODES[kind]
    record = await loader(loaders).load(uid)
    found: Node | None = None if record is None else shown.from_record(record)
    return found
