"""The types with an id: a table from the kind of an id to its type and loader, and fields that show them.

The types are named, not imported: types refer to each other in all directions, modules in one. A type imports
this module; the table's modules are imported when the schema is built.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import strawberry
from strawberry.types.lazy_type import LazyType

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import Connection
from prefrontal.api.graphql.records import REFERS
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.ids import Kind, kind_of

if TYPE_CHECKING:
    from strawberry.dataloader import DataLoader

    from prefrontal.api.graphql.loaders import Loaders
    from prefrontal.graph.storage.paging import Page


class Shape(NamedTuple):
    """How nodes of a kind are shown: their GraphQL type, and the loader of their records."""

    type: LazyType[Any, Any]
    records: Callable[[Loaders], DataLoader[str, Any]]


def _shape(module: str, name: str, loader: str) -> Shape:
    return Shape(LazyType(name, f"prefrontal.api.graphql.{module}"), attrgetter(loader))


NODES: Mapping[Kind, Shape] = {
    Kind.AGENT: _shape("access.types", "ActorType", "actors"),
    Kind.PERSON: _shape("access.types", "ActorType", "actors"),
    Kind.DEVICE: _shape("access.types", "ActorType", "actors"),
    Kind.SPACE: _shape("access.types", "SpaceType", "spaces"),
    Kind.OBSERVATION: _shape("scratch.types", "ObservationType", "observations"),
    Kind.GOAL: _shape("goals.types", "GoalType", "goals"),
    Kind.PENDING_ACTION: _shape("actions.types", "PendingActionType", "actions"),
    Kind.ACTION_TYPE: _shape("registry.types", "ActionTypeOverrideType", "overrides"),
    Kind.QUESTION: _shape("questions.types", "QuestionType", "questions"),
    Kind.STORY: _shape("questions.types", "StoryType", "stories"),
    Kind.REGISTRY_PROPOSAL: _shape("proposals.types", "RegistryProposalType", "proposals"),
    Kind.MANDATE: _shape("memory.types", "MemoryType", "memories"),
    Kind.CAPABILITY: _shape("memory.types", "MemoryType", "memories"),
    Kind.ENTITY: _shape("entities.types", "EntityType", "entities"),
    Kind.TURN: _shape("turns.types", "TurnType", "turns"),
}
"""The GraphQL type of each kind of node that clients can read by id, and the loader of its records."""

_CONNECTIONS: Mapping[Kind, LazyType[Any, Any]] = {
    Kind.OBSERVATION: LazyType("ObservationConnection", "prefrontal.api.graphql.scratch.types")
}
"""The connections with more fields than others."""


def shown_as(kind: Kind) -> Any:
    """Return the GraphQL type of a kind of node."""
    return NODES[kind].type.resolve_type()


def list_of(kind: Kind) -> Any:
    """Return the type of a field that lists nodes of a kind."""
    connection: Any = Connection
    return _CONNECTIONS.get(kind) or connection[NODES[kind].type]


def connection_of(kind: Kind, page: Page[Any], counted: Callable[[], Awaitable[int]], **more: Any) -> Any:
    """Return the connection of a page of records of a kind; the arguments are those of `Connection.of`."""
    special = _CONNECTIONS.get(kind)
    connection = special.resolve_type() if special else Connection
    return connection.of(shown_as(kind), page, counted, **more)


def node_types() -> list[type]:
    """Return the GraphQL types of all kinds of node, each once."""
    return list(dict.fromkeys(shown_as(kind) for kind in NODES))


async def find_node(loaders: Loaders, uid: str) -> Any:
    """Return the node with an id, or None if it is unknown, not readable, or of a kind without a type."""
    kind = kind_of(uid)
    if kind is None or kind not in NODES:
        return None
    shape = NODES[kind]
    record = await shape.records(loaders).load(uid)
    return None if record is None else shown_as(kind).from_record(record)


def node_at(
    kind: Kind | None, source: str, description: str, *, required: bool = False, name: str | None = None
) -> Any:
    """Return a field that shows the node whose id the record has.

    The node is null if there is no id, or if the node is unknown or not readable. All nodes of a kind that
    a request asks for are read with one statement.

    Args:
        kind: The kind of the node; None for a node of any kind.
        source: The field of the record that holds the id. The class is refused if the record has none.
        description: What the node is for the record.
        required: Whether the node always exists and is readable.
        name: The name of the field, if it is not that of the class's attribute.
    """
    hint: Any = Node if kind is None else NODES[kind].type
    uid_of = attrgetter(source)

    async def resolve(root: Any, info: Context) -> Any:
        uid = uid_of(root.record)
        return None if uid is None else await find_node(info.context.loaders, uid)

    return strawberry.field(
        resolver=resolve,
        name=name,
        description=description,
        graphql_type=hint if required else Optional[hint],  # noqa: UP045 - a type by name knows no `|`
        metadata={REFERS: source},
    )


def actor_at(source: str, description: str) -> Any:
    """Return a field that shows the actor whose id the record has; null for the service itself."""
    return node_at(Kind.AGENT, source, f"{description}; null for the service itself.")


def space_at(source: str = "scope_id") -> Any:
    """Return the field `space` of a record."""
    return node_at(Kind.SPACE, source, "The space that holds the record; null if you may not read the space.")
