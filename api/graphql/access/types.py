"""Callers, spaces and grants as GraphQL types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import Named, list_of, node_at, shown_as
from prefrontal.api.graphql.paging import After, Connection, First, Uncounted, loaded_page
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.access.record import KnownActor, Space
from prefrontal.graph.caller import ActorKind, Caller, Permission, SpacePermission, require
from prefrontal.graph.cortex.actions.record import ActionFilter
from prefrontal.graph.cortex.questions.record import QuestionFilter
from prefrontal.graph.history.record import AuditFilter
from prefrontal.graph.ids import Kind
from prefrontal.graph.scratch.record import ObservationFilter

strawberry.enum(ActorKind, name="ActorKind", description="The kind of an actor.")
strawberry.enum(
    SpacePermission,
    name="SpacePermission",
    description="A permission in a space; each one includes the permissions before it.",
)


_AUDIT_ENTRY = Named("history.types", "AuditEntryType")
_UNCOUNTED: Any = Uncounted


def _roles(info: Context) -> list[str]:
    return sorted(info.context.principal.roles)


def _permissions(self: Shown) -> list[str]:
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


@shows(
    Caller,
    "The caller.",
    name="Me",
    rename={"organisation": "org_key"},
)
class Me(Shown):
    """The caller."""

    organisation: str
    org_id: strawberry.ID
    roles: list[str] = strawberry.field(resolver=_roles)
    permissions: list[str] = strawberry.field(resolver=_permissions)
    actor = node_at(
        Kind.AGENT, "actor_id", "The actor that your changes name as `by` and `createdBy`.", required=True
    )
    agent = node_at(Kind.AGENT, "agent_id", "The agent that the token names.")
    person = node_at(Kind.PERSON, "person_id", "The person that the token names.")
    device = node_at(Kind.DEVICE, "device_id", "The device that the token names.")
    home_space = node_at(Kind.SPACE, "home", "The space that mutations write to by default.", required=True)

    @strawberry.field(
        description="The spaces that you may read, ordered by id.",
        graphql_type=list_of(Kind.SPACE),
    )
    async def readable_spaces(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return the page."""
        return await spaces_page(info, self.record.readable, first, after)

    @strawberry.field(
        description="The spaces that you may write to, ordered by id.",
        graphql_type=list_of(Kind.SPACE),
    )
    async def writable_spaces(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return the page."""
        return await spaces_page(info, self.record.writable, first, after)


@shows(KnownActor, "An actor of your organisation: an agent, a person or a device.", name="Actor")
class ActorType(Shown, Node):
    """An actor; `KnownActor` says who may see which actors."""

    kind: ActorKind
    key: str = strawberry.field(description="The actor's key in tokens.")
    name: str
    home_space = node_at(
        Kind.SPACE, "home_id", "The private space of the actor; null if you may not read the space."
    )


@shows(Space, "A space: every node belongs to one, and permissions are granted per space.")
class SpaceType(Shown, Node):
    """A space."""

    key: str
    name: str
    kind: str = strawberry.field(description="private, common or shared.")
    permission: SpacePermission = strawberry.field(description="Your permission in the space.")
    owner = node_at(
        Kind.AGENT, "owner_id", "The actor that a private space belongs to; null for other spaces."
    )

    @strawberry.field(
        description="The active goals of the space, most urgent first; `goals` has filters.",
        graphql_type=list_of(Kind.GOAL),
    )
    async def goals(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return a page of the goals."""
        goals, caller = info.context.services.goals.service, await self._caller(info)
        page = await goals.list(caller, first=first, after=after)
        return Connection.of(shown_as(Kind.GOAL), page, partial(goals.count, caller))

    @strawberry.field(
        description="The active observations of the space, newest first; `observations` has filters.",
        graphql_type=list_of(Kind.OBSERVATION),
    )
    async def observations(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return a page of the observations."""
        scratch, caller = info.context.services.scratch.service, await self._caller(info)
        wanted = ObservationFilter()
        page = await scratch.find(caller, wanted, first=first, after=after)
        return Connection.of(shown_as(Kind.OBSERVATION), page, partial(scratch.count, caller, wanted))

    @strawberry.field(
        description="The open questions of the space, most urgent first; `questions` has filters.",
        graphql_type=list_of(Kind.QUESTION),
    )
    async def questions(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return a page of the questions."""
        questions, caller = info.context.services.questions.service, await info.context.caller()
        wanted = QuestionFilter(space=self.record.uid)
        page = await questions.list(caller, wanted, first=first, after=after)
        return Connection.of(shown_as(Kind.QUESTION), page, partial(questions.count, caller, wanted))

    @strawberry.field(
        description="The open actions of the space, in descending order of utility; `pendingActions` has "
        "filters and other orders.",
        graphql_type=list_of(Kind.PENDING_ACTION),
    )
    async def pending_actions(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return a page of the actions."""
        actions, caller = info.context.services.actions.service, await info.context.caller()
        wanted = ActionFilter(space=self.record.uid)
        page = await actions.list(caller, wanted, first=first, after=after)
        return Connection.of(shown_as(Kind.PENDING_ACTION), page, partial(actions.count, caller, wanted))

    @strawberry.field(
        description="The changes in the space, newest first; `auditLog` has filters.",
        graphql_type=_UNCOUNTED[_AUDIT_ENTRY],
    )
    async def audit_log(self, info: Context, first: First = None, after: After = None) -> Any:
        """Return a page of the changes."""
        audit, caller = info.context.services.history.audit, await self._caller(info)
        page = await audit.page(caller, AuditFilter(), first=first, after=after)
        return Uncounted.of_page(_AUDIT_ENTRY.resolve_type(), page)

    async def _caller(self, info: Context) -> Caller:
        return (await info.context.caller()).within(self.record.uid)


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
    actor = node_at(Kind.AGENT, "actor_id", "The actor.")


@strawberry.type(description="The actor and its permission in the space.")
class GrantAccessPayload(OneActor):
    """The result of `grantAccess`."""

    permission: SpacePermission


@strawberry.type(description="The actor whose access was revoked.")
class RevokeAccessPayload(OneActor):
    """The result of `revokeAccess`."""
