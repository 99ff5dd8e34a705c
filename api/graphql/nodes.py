"""The types with an id: a table from the kind of an id to its type and loader, and fields that show them.

The types are named, not imported: types refer to each other in all directions, modules in one. A type imports
this module; the table's modules are imported when the schema is built.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import strawberry
from strawberry.types.lazy_type import LazyType

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import After, Connection, First, loaded_page
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


class NamedLazyType(LazyType[Any, Any]):
    """A type that is named, and imported when the schema is built."""

    def __init__(self, module: str, name: str) -> None:
        super().__init__(name, f"prefrontal.api.graphql.{module}")

    @cache  # noqa: B019 - a type is named once, and kept as long as the process runs
    def resolve_type(self) -> Any:
        """Return the class."""
        return super().resolve_type()


def _shape(module: str, name: str, loader: str) -> Shape:
    return Shape(NamedLazyType(module, name), attrgetter(loader))


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
    Kind.EPISODE: _shape("memory.types", "MemoryType", "memories"),
    Kind.FACT: _shape("memory.types", "MemoryType", "memories"),
    Kind.SKILL: _shape("memory.types", "MemoryType", "memories"),
    Kind.MESSAGE: _shape("memory.types", "MemoryType", "memories"),
    Kind.ENTITY: _shape("entities.types", "EntityType", "entities"),
    Kind.SESSION: _shape("sessions.types", "SessionType", "sessions"),
    Kind.TURN: _shape("turns.types", "TurnType", "turns"),
    Kind.STATE_EXPORT: _shape("turns.types", "StateExportType", "state_exports"),
    Kind.LESSON: _shape("lessons.types", "LessonType", "lessons"),
    Kind.OUTCOME: _shape("outcomes.types", "OutcomeType", "outcomes"),
    Kind.TOOL_INVOCATION: _shape("tools.types", "ToolInvocationType", "tool_invocations"),
}
"""The GraphQL type of each kind of node that clients can read by id, and the loader of its records."""


def graphql_type(kind: Kind) -> Any:
    """Return the GraphQL type of a kind of node."""
    return NODES[kind].type.resolve_type()


def list_of(kind: Kind) -> Any:
    """Return the type of a field that lists nodes of a kind."""
    return _hint(NODES[kind].type)


def node_types() -> list[type]:
    """Return the GraphQL types of all kinds of node, each once."""
    return list(dict.fromkeys(graphql_type(kind) for kind in NODES))


async def find_node(loaders: Loaders, uid: str) -> Any:
    """Return the node with an id, or None if it is unknown, not readable, or of a kind without a type."""
    kind = kind_of(uid)
    if kind is None or kind not in NODES:
        return None
    shape = NODES[kind]
    record = await shape.records(loaders).load(uid)
    return None if record is None else graphql_type(kind).from_record(record)


def node_field(
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


def ids_field(source: str, description: str) -> Any:
    """Return a field with the ids, in a short list of the record, of the nodes that the caller may read."""
    uids_of = attrgetter(source)

    async def resolve(root: Any, info: Context) -> Any:
        uids = uids_of(root.record)
        found = await asyncio.gather(*(find_node(info.context.loaders, uid) for uid in uids))
        return [uid for uid, node in zip(uids, found, strict=True) if node is not None]

    return strawberry.field(
        resolver=resolve,
        description=description,
        graphql_type=list[strawberry.ID],
        metadata={REFERS: source},
    )


def actor_field(source: str, description: str) -> Any:
    """Return a field that shows the actor whose id the record has; null for the service itself."""
    return node_field(Kind.AGENT, source, f"{description}; null for the service itself.")


def space_field(source: str = "scope_id") -> Any:
    """Return the field `space` of a record."""
    return node_field(
        Kind.SPACE, source, "The space that holds the record; null if you may not read the space."
    )


def list_field(pages: str, of: Kind | type | NamedLazyType, description: str) -> Any:
    """Return a field that shows a page of a list that belongs to the record.

    The pages of all records that a request asks for are read with one statement.

    Args:
        pages: The loader of the pages.
        of: The kind of the nodes, their type, or the connection by its name.
        description: What the list is for the record.
    """
    shown: Any = NODES[of].type if isinstance(of, Kind) else of

    async def resolve(root: Any, info: Context, first: First = None, after: After = None) -> Any:
        loaded, uid = getattr(info.context.loaders, pages), root.record.uid
        return _connection(shown, await loaded.page(uid, first, after), loaded.counted(uid))

    return strawberry.field(resolver=resolve, description=description, graphql_type=_hint(shown))


def refs_field(kind: Kind, source: str, description: str) -> Any:
    """Return a field that shows the nodes of a kind whose ids are in a list of the record, in its order.

    Args:
        kind: The kind of the nodes; other ids and other texts in the list are left out.
        source: The field of the record that holds the list. The class is refused if the record has none.
        description: What the nodes are for the record.
    """
    shape, refs_of = NODES[kind], attrgetter(source)
    # Agents, persons and devices have one type.
    kinds = {other for other in NODES if NODES[other].type == shape.type}

    async def resolve(root: Any, info: Context, first: First = None, after: After = None) -> Any:
        loader = shape.records(info.context.loaders)
        uids = list(dict.fromkeys(ref for ref in refs_of(root.record) if kind_of(ref) in kinds))

        async def counted() -> int:
            return sum(record is not None for record in await loader.load_many(uids))

        return _connection(shape.type, await loaded_page(loader, uids, first, after), counted)

    return strawberry.field(
        resolver=resolve,
        description=description,
        graphql_type=_hint(shape.type),
        metadata={REFERS: source},
    )


def _hint(shown: Any) -> Any:
    """Return the type of a list: the connection itself, or the one of the nodes' type."""
    named = isinstance(shown, NamedLazyType) and shown.type_name.endswith("Connection")
    return shown if named else Connection[shown]


def _connection(shown: Any, page: Page[Any], counted: Callable[[], Awaitable[int]]) -> Any:
    kind = shown.resolve_type() if isinstance(shown, NamedLazyType) else shown
    made = kind.of_links if issubclass(kind, Connection) else partial(Connection.of, kind)
    return made(page, counted)


def turn_of() -> Any:
    """Return the field `turn` of a record: the turn that created the record."""

    async def resolve(root: Any, info: Context) -> Any:
        found = await info.context.loaders.turns_of.load(root.record.uid)
        return None if found is None else NODES[Kind.TURN].type.resolve_type().from_record(found)

    return strawberry.field(
        resolver=resolve,
        description="The turn that created the record; null if no turn did, or if you may not read the turn.",
        graphql_type=Optional[NODES[Kind.TURN].type],  # noqa: UP045 - a type by name knows no `|`
    )
