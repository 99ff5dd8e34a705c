"""Callers, spaces and grants as GraphQL types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import NamedLazyType, actor_field, graphql_type, list_of, node_field
from prefrontal.api.graphql.paging import After, Connection, First, UncountedPage, loaded_page
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.access.record import KnownActor, OfferedGrant, Space
from prefrontal.graph.caller import ActorKind, Caller, Permission, SpacePermission, require
from prefrontal.graph.cortex.actions.record import ActionFilter
from prefrontal.graph.cortex.questions.record import QuestionFilter
from prefrontal.graph.history.record import AuditFilter
from prefrontal.graph.ids import Kind
from prefrontal.graph.scratch.record import ObservationFilter
from prefrontal.graph.storage.paging import Page

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services

strawberry.enum(ActorKind, name="ActorKind", description="The kind of an actor.")
strawberry.enum(
    SpacePermission,
    name="SpacePermission",
    description="A permission in a space; each one includes the permissions before it.",
)


_AUDIT_ENTRY = NamedLazyType("history.types", "AuditEntryType")
_UNCOUNTED: Any = UncountedPage


def _roles(info: Context) -> list[str]:
    return sorted(info.context.principal.roles)


def _permissions(self: RecordType) -> list[str]:
    return sorted(self.record.permissions)


async def spaces_page(
    info: Context, uids: Sequence[str], first: int | None, after: str | None
) -> Connection[Any]:
    """Return a page of the spaces with some ids, which are in ascending order.

    Raises:
        Forbidden: If the caller may not read.
    """
    require(await info.context.caller(), Permission.READ)
    page = await loaded_page(info.context.loaders.spaces, uids, first, after)

    async def counted() -> int:
        return len(uids)

    return Connection.of(SpaceType, page, counted)


@graphql_type_of(
    OfferedGrant,
    "A grant that somebody offers to you; it allows nothing before you accept it.",
    rename={"offered_at": "since"},
)
class OfferedGrantType(RecordType):
    """An offered grant."""

    space_id: strawberry.ID = strawberry.field(description="The id to pass to `acceptGrant` or `leaveSpace`.")
    space_name: str = strawberry.field(description="The name that its creator gave to the space.")
    permission: SpacePermission
    actor = node_field(Kind.AGENT, "actor_id", "Which of your actors the grant is for.", required=True)
    offered_by = actor_field("granted_by", "Who offers the grant")
    offered_at: datetime


async def offers_page(info: Context, first: int | None, after: str | None) -> Connection[Any]:
    """Return a page of the grants that are offered to the caller's actors.

    Raises:
        Forbidden: If the caller may not read.
        InvalidInput: If the page size or the cursor is not valid.
    """
    caller = await info.context.caller()
    page, total = await info.context.services.access.offered_grants(caller, first=first, after=after)

    async def counted() -> int:
        return total

    return Connection.of(OfferedGrantType, page, counted)


@graphql_type_of(
    Caller,
    "The caller.",
    name="Me",
    rename={"organisation": "org_key"},
)
class Me(RecordType):
    """The caller."""

    organisation: str
    org_id: strawberry.ID
    roles: list[str] = strawberry.field(resolver=_roles)
    permissions: list[str] = strawberry.field(resolver=_permissions)
    actor = node_field(
        Kind.AGENT, "actor_id", "The actor that your changes name as `by` and `createdBy`.", required=True
    )
    agent = node_field(Kind.AGENT, "agent_id", "The agent that the token names.")
    person = node_field(Kind.PERSON, "person_id", "The person that the token names.")
    device = node_field(Kind.DEVICE, "device_id", "The device that the token names.")
    home_space = node_field(
        Kind.SPACE, "home", "The space that mutations write to by default.", required=True
    )

    @strawberry.field(
        description="The open actions of the person that the token names, in descending order of utility: "
        "with a person's own token in whatever space they are, with an agent's in the readable spaces.",
        graphql_type=list_of(Kind.PENDING_ACTION),
    )
    async def pending_actions(self, info: Context, first: First = None, after: After = None) -> Any:
        actions, caller = info.context.services.actions.service, await info.context.caller()
        wanted = ActionFilter(mine=True)
        page = await actions.list(caller, wanted, first=first, after=after)
        return Connection.of(graphql_type(Kind.PENDING_ACTION), page, partial(actions.count, caller, wanted))

    @strawberry.field(
        description="The spaces that you may read, ordered by id.",
        graphql_type=list_of(Kind.SPACE),
    )
    async def readable_spaces(self, info: Context, first: First = None, after: After = None) -> Any:
        return await spaces_page(info, self.record.readable, first, after)

    @strawberry.field(
        description="The spaces that you may write to, ordered by id.",
        graphql_type=list_of(Kind.SPACE),
    )
    async def writable_spaces(self, info: Context, first: First = None, after: After = None) -> Any:
        return await spaces_page(info, self.record.writable, first, after)

    @strawberry.field(description="The grants that others offer to you, ordered by space.")
    async def offered_grants(
        self, info: Context, first: First = None, after: After = None
    ) -> Connection[OfferedGrantType]:
        return await offers_page(info, first, after)


@graphql_type_of(KnownActor, "An actor of your organisation: an agent, a person or a device.", name="Actor")
class ActorType(RecordType, Node):
    """An actor; `KnownActor` says who may see which actors."""

    kind: ActorKind
    key: str = strawberry.field(description="The actor's key in tokens.")
    name: str
    home_space = node_field(
        Kind.SPACE, "home_id", "The private space of the actor; null if you may not read the space."
    )


_Reads = tuple[Callable[..., Awaitable[Page[Any]]], Callable[[], Awaitable[int]]]
"""How a list is read: the function that returns a page, and the one that counts."""


def _goals(services: Services, caller: Caller, space: str) -> _Reads:
    goals, within = services.goals.service, caller.within(space)
    return partial(goals.list, within), partial(goals.count, within)


def _observations(services: Services, caller: Caller, space: str) -> _Reads:
    scratch, within, wanted = services.scratch.service, caller.within(space), ObservationFilter()
    return partial(scratch.find, within, wanted), partial(scratch.count, within, wanted)


def _questions(services: Services, caller: Caller, space: str) -> _Reads:
    questions, wanted = services.questions.service, QuestionFilter(space=space)
    return partial(questions.list, caller, wanted), partial(questions.count, caller, wanted)


def _actions(services: Services, caller: Caller, space: str) -> _Reads:
    actions, wanted = services.actions.service, ActionFilter(space=space)
    return partial(actions.list, caller, wanted), partial(actions.count, caller, wanted)


def _list_in(kind: Kind, reads: Callable[[Services, Caller, str], _Reads], description: str) -> Any:
    """Return a field that shows a page of the nodes of a kind in the space."""

    async def resolve(root: Any, info: Context, first: First = None, after: After = None) -> Any:
        page, count = reads(info.context.services, await info.context.caller(), root.record.uid)
        return Connection.of(graphql_type(kind), await page(first=first, after=after), count)

    return strawberry.field(resolver=resolve, description=description, graphql_type=list_of(kind))


@graphql_type_of(Space, "A space: every node belongs to one, and permissions are granted per space.")
class SpaceType(RecordType, Node):
    """A space."""

    key: str
    name: str
    kind: str = strawberry.field(description="private, common or shared.")
    permission: SpacePermission = strawberry.field(description="Your permission in the space.")
    owner = node_field(
        Kind.AGENT, "owner_id", "The actor that a private space belongs to; null for other spaces."
    )
    links_devices: bool = strawberry.field(
        description="Whether sessions of a private space on different devices may be related; `linkSessions` "
        "changes it."
    )

    goals = _list_in(
        Kind.GOAL, _goals, "The active goals of the space, most urgent first; `goals` has filters."
    )
    observations = _list_in(
        Kind.OBSERVATION,
        _observations,
        "The active observations of the space, newest first; `observations` has filters.",
    )
    questions = _list_in(
        Kind.QUESTION,
        _questions,
        "The open questions of the space, most urgent first; `questions` has filters.",
    )
    pending_actions = _list_in(
        Kind.PENDING_ACTION,
        _actions,
        "The open actions of the space, in descending order of utility; `pendingActions` has filters and "
        "other orders.",
    )

    @strawberry.field(
        description="The changes in the space, newest first; `auditLog` has filters.",
        graphql_type=_UNCOUNTED[_AUDIT_ENTRY],
    )
    async def audit_log(self, info: Context, first: First = None, after: After = None) -> Any:
        caller = (await info.context.caller()).within(self.record.uid)
        page = await info.context.services.history.audit.page(caller, AuditFilter(), first=first, after=after)
        return UncountedPage.of_page(_AUDIT_ENTRY.resolve_type(), page)


@strawberry.type(description="The new space; you administer it.")
class CreateSpacePayload:
    """The result of `createSpace`."""

    space: SpaceType


class ActorRef(NamedTuple):
    """The id of an actor that a payload shows."""

    actor_id: str


@strawberry.type
class OneActor:
    """A payload with an actor."""

    record: strawberry.Private[ActorRef]
    actor = node_field(Kind.AGENT, "actor_id", "The actor.")


@strawberry.type(description="The actor and its permission in the space.")
class GrantAccessPayload(OneActor):
    """The result of `grantAccess`."""

    permission: SpacePermission
    accepted: bool = strawberry.field(
        description="Whether the grant counts already; otherwise the actor finds it in `offeredGrants`."
    )


@strawberry.type(description="The space that you can use now.")
class AcceptGrantPayload:
    """The result of `acceptGrant`."""

    space: SpaceType | None = strawberry.field(description="The space; null if you have left it since.")


@strawberry.type(description="The space that you have left.")
class LeaveSpacePayload:
    """The result of `leaveSpace`."""

    space_id: strawberry.ID


@strawberry.type(description="The actor whose access was revoked.")
class RevokeAccessPayload(OneActor):
    """The result of `revokeAccess`."""
