"""Use cases of access control: resolve callers, create organisations and spaces, grant and revoke access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefrontal.graph.access import store
from prefrontal.graph.access.record import (
    AcceptGrant,
    CreateSpace,
    GrantAccess,
    GrantResult,
    KnownActor,
    LeaveSpace,
    OfferedGrant,
    RevokeAccess,
    Space,
)
from prefrontal.graph.access.rules import checked_key, permissions_of
from prefrontal.graph.caller import (
    ActorKind,
    Caller,
    Permission,
    Principal,
    SpacePermission,
    is_maintainer,
    require,
)
from prefrontal.graph.errors import Duplicate, Forbidden, InvalidInput, NotFound, Unauthenticated
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.storage.paging import checked_first, page_of, start_of
from prefrontal.graph.validation import raise_all, text_problems

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.paging import Page
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.shared_read import ExpectedRow
    from prefrontal.graph.storage.unit_of_work import Database, Tx


@dataclass(frozen=True, slots=True)
class ResolvedCaller:
    """A caller, and the row that it was made from."""

    caller: Caller
    expected: ExpectedRow

    @property
    def weight(self) -> int:
        """The number of the caller's spaces, which says how large it is."""
        return 1 + len(self.expected.row["spaces"])


class AccessService:
    """Resolves callers, and manages organisations, spaces and grants."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        on_registry: Callable[[str, int], Awaitable[None]],
    ) -> None:
        """Store the dependencies.

        `on_registry` is called with an organisation's id and registry revision whenever a caller is resolved,
        so that a changed registry is loaded.
        """
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._on_registry = on_registry

    async def caller(self, principal: Principal) -> Caller:
        """Return the caller of a verified token. Actors that do not exist yet are created.

        Raises:
            Unauthenticated: If the organisation or a role is unknown, or the token names no actor.
        """
        return (await self.resolve(principal)).caller

    async def resolve(self, principal: Principal) -> ResolvedCaller:
        """Return the caller of a verified token, which later requests may expect to be the same.

        Raises:
            Unauthenticated: If the organisation or a role is unknown, or the token names no actor.
        """
        permissions = permissions_of(principal.roles, self._catalog.roles)
        if not principal.actors:
            raise Unauthenticated("the token names no agent, person or device")
        row = await self._find(principal)
        if len(row["actors"]) < len(principal.actors):
            now = self._clock.now()

            async def ensure(tx: Tx) -> None:
                await store.ensure_actors(tx, principal, now)

            await self._database.write(ensure)
            row = await self._find(principal)
        await self._on_registry(row["org_id"], row["registry_revision"])
        return ResolvedCaller(_caller(principal, row, permissions), store.expected_caller(principal, row))

    async def assume(self, resolved: ResolvedCaller) -> Caller:
        """Return a caller that an earlier request has resolved; the next statement confirms its rights.

        For requests that only read, and are answered again if `Database.verify` says that it has changed.
        """
        self._database.speculate(resolved.expected)
        row = resolved.expected.row
        await self._on_registry(row["org_id"], row["registry_revision"])
        return resolved.caller

    async def operator(self, org_key: str) -> Caller:
        """Return a caller that acts as the organisation itself, with all permissions in all of its spaces.

        Command-line commands of the service's operator use this caller.

        Raises:
            NotFound: If there is no such organisation.
        """

        async def find(tx: Tx) -> Row | None:
            return await store.find_operator(tx, org_key)

        row = await self._database.read(find)
        if row is None:
            raise NotFound(f"there is no organisation {org_key!r}", field="org")
        await self._on_registry(row["org_id"], row["registry_revision"])
        spaces = tuple(sorted(row["spaces"]))
        return Caller(
            org_id=row["org_id"],
            org_key=org_key,
            actor_id=row["org_id"],
            home=row["home"],
            common=row["home"],
            readable=spaces,
            writable=spaces,
            permissions=frozenset(Permission),
        )

    async def _find(self, principal: Principal) -> Row:
        async def find(tx: Tx) -> Row | None:
            return await store.find_caller(tx, principal)

        row = await self._database.read(find)
        if row is None:
            raise Unauthenticated(
                f"there is no organisation {principal.org!r}; "
                f"create it with: prefrontal org create {principal.org}"
            )
        return row

    async def create_organisation(self, key: str, name: str | None = None) -> str:
        """Create an organisation with its common space and return the organisation's id.

        Raises:
            Duplicate: If the key is already used by an organisation.
            InvalidInput: If the key is not well-formed.
        """
        uid, created = await self.ensure_organisation(key, name)
        if not created:
            raise Duplicate(f"there is an organisation {key!r} already", field="key")
        return uid

    async def ensure_organisation(self, key: str, name: str | None = None) -> tuple[str, bool]:
        """Return an organisation's id, and whether it was created; one that exists keeps its name.

        Raises:
            InvalidInput: If the key is not well-formed.
        """
        checked_key(key, "key")
        now = self._clock.now()

        async def work(tx: Tx) -> tuple[str, bool]:
            return await store.create_organisation(tx, key, name or key, now)

        return await self._database.write(work)

    async def actors(self, caller: Caller, uids: Sequence[str]) -> dict[str, KnownActor]:
        """Return the actors of the caller's organisation among some ids, by id; other ids are left out."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, KnownActor]:
            return await store.find_actors(tx, caller, uids)

        return await self._database.read(work)

    async def spaces(self, caller: Caller, uids: Sequence[str]) -> dict[str, Space]:
        """Return the readable spaces among some ids, by id, each with the caller's permission."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Space]:
            return await store.find_spaces(tx, caller, uids)

        return await self._database.read(work)

    async def create_space(self, caller: Caller, command: CreateSpace) -> str:
        """Create a shared space, make the caller its administrator, and return the space's id.

        Raises:
            InvalidInput: If the name is empty or too long.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            uid = new_id(Kind.SPACE, now)
            await store.create_space(tx, caller, uid, command.name, now)
            return Change(
                result={"uid": uid},
                traces=(Trace(kind=TraceKind.SPACE_CREATED, message="Space created", ids=(uid,)),),
                events=(
                    Event(type=EventType.SPACE_CREATED, aggregate=uid, aggregate_version=1, scope_id=uid),
                ),
            )

        problems = text_problems(command.name, "name", 60)
        result = await self._changes.run(caller, command, work, problems=problems)
        return str(result["uid"])

    async def grant_access(self, caller: Caller, command: GrantAccess) -> GrantResult:
        """Grant an actor of the organisation a permission in a space, replacing the actor's earlier grant.

        The grant counts at once if the caller is a maintainer, if the actor is one of its own, or if the
        actor uses the space already. Otherwise it counts as soon as the actor accepts it.

        Raises:
            NotFound: If the caller may not read the space, or the organisation has no such actor.
            Forbidden: If the caller does not administer the space.
        """
        self._administers(caller, command)

        async def work(tx: Tx, now: datetime) -> Change:
            granted = await store.grant(tx, caller, command, now, trusted=is_maintainer(caller))
            if granted is None:
                raise NotFound("no such actor; it appears with its first request", field="actor")
            actor_id, version, accepted = granted
            kind = EventType.ACCESS_GRANTED if accepted else EventType.ACCESS_OFFERED
            change = _access_change(kind, command.space, [(actor_id, command.permission.value)], version)
            return change.model_copy(update={"result": {"actor_id": actor_id, "accepted": accepted}})

        result = await self._changes.run(caller, command, work, checked=True)
        # A request of an earlier version stored no `accepted`: its grants counted at once.
        return GrantResult(actor_id=result["actor_id"], accepted=result.get("accepted", True))

    async def accept_grant(self, caller: Caller, command: AcceptGrant) -> str:
        """Accept what is offered to the caller's actors in a space, and return the space's id.

        Raises:
            NotFound: If nothing is offered to them there.
        """
        self._decides(caller, command)

        async def work(tx: Tx, now: datetime) -> Change:
            accepted, version = await store.accept(tx, caller, command, now)
            if not accepted:
                raise NotFound("no such space is offered to you", field="space")
            actors = [(row["actor_id"], row["permission"]) for row in accepted]
            return _access_change(EventType.ACCESS_GRANTED, command.space, actors, version)

        await self._changes.run(caller, command, work, checked=True)
        return command.space

    async def leave_space(self, caller: Caller, command: LeaveSpace) -> str:
        """End the grants of the caller's actors on a space, decline its offers, and return the space's id.

        Raises:
            NotFound: If they have no access to the space, and are offered none.
            InvalidInput: If the space is the private space of one of them.
        """
        self._decides(caller, command)
        if command.space in caller.own:
            raise InvalidInput("this is your private space; nobody granted it to you", field="space")

        async def work(tx: Tx, now: datetime) -> Change:
            left, version = await store.leave(tx, caller, command, now)
            if not left:
                raise NotFound("no such space", field="space")
            actors: list[tuple[str, str | None]] = [(uid, None) for uid in sorted(left)]
            return _access_change(EventType.ACCESS_REVOKED, command.space, actors, version)

        await self._changes.run(caller, command, work, checked=True)
        return command.space

    async def offered_grants(
        self, caller: Caller, *, first: int | None = None, after: str | None = None
    ) -> tuple[Page[OfferedGrant], int]:
        """Return a page of the grants that the caller's actors have not accepted yet, and their number.

        Raises:
            InvalidInput: If the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        space, actor = start_of(after, "", "")

        async def work(tx: Tx) -> tuple[list[OfferedGrant], int]:
            return await store.list_offers(tx, caller, after=(space, actor), limit=limit + 1)

        found, total = await self._database.read(work)
        return page_of(found, limit, lambda offer: (offer.space_id, offer.actor_id)), total

    async def revoke_access(self, caller: Caller, command: RevokeAccess) -> str:
        """Revoke the grants of an actor on a space and return the actor's id.

        Raises:
            NotFound: If the caller may not read the space, or the actor has no access to it.
            Forbidden: If the caller does not administer the space.
        """
        self._administers(caller, command)

        async def work(tx: Tx, now: datetime) -> Change:
            found = await store.revoke(tx, caller, command, now)
            if found is None:
                raise NotFound("this actor has no access to the space", field="actor")
            actor_id, version = found
            return _access_change(EventType.ACCESS_REVOKED, command.space, [(actor_id, None)], version)

        result = await self._changes.run(caller, command, work, checked=True)
        return str(result["actor_id"])

    def _decides(self, caller: Caller, command: AcceptGrant | LeaveSpace) -> None:
        # What somebody else granted can be accepted or left with every token that may read.
        require(caller, Permission.READ)
        raise_all(limit_problems(command, self._catalog.limits))

    def _administers(self, caller: Caller, command: GrantAccess | RevokeAccess) -> None:
        require(caller, Permission.WRITE)
        # What is wrong with the input itself is reported before the space is looked for.
        raise_all(limit_problems(command, self._catalog.limits))
        if command.space not in caller.readable:
            raise NotFound("no such space", field="space")
        if command.space not in caller.administrable:
            raise Forbidden(
                "this needs the permission admin in the space; ask an administrator of it", field="space"
            )


_TRACE_MESSAGES = {
    EventType.ACCESS_OFFERED: "Access offered",
    EventType.ACCESS_GRANTED: "Access granted",
    EventType.ACCESS_REVOKED: "Access revoked",
}


def _access_change(
    event: EventType, space_id: str, actors: Sequence[tuple[str, str | None]], version: int
) -> Change:
    """Return the journal of a change of the access of some actors, each with its permission.

    The result has the id of the first actor.
    """
    # The version was raised once for each actor.
    said = [
        (version - len(actors) + number, {"space_id": space_id, "actor_id": uid, "permission": permission})
        for number, (uid, permission) in enumerate(actors, start=1)
    ]
    return Change(
        result={"actor_id": actors[0][0]},
        traces=tuple(
            Trace(
                kind=TraceKind.ACCESS_CHANGED,
                message=_TRACE_MESSAGES[event],
                ids=(space_id, str(data["actor_id"])),
                details=data,
            )
            for _, data in said
        ),
        events=tuple(
            Event(type=event, aggregate=space_id, aggregate_version=number, scope_id=space_id, data=data)
            for number, data in said
        ),
    )


def _caller(principal: Principal, row: Row, permissions: frozenset[Permission]) -> Caller:
    by_kind = {actor["kind"]: actor for actor in row["actors"]}
    acting = by_kind[principal.actors[0][0].value]
    strongest: dict[str, SpacePermission] = {}
    order = list(SpacePermission)
    for space in row["spaces"]:
        granted = SpacePermission(space["permission"])
        known = strongest.get(space["uid"])
        if known is None or order.index(granted) > order.index(known):
            strongest[space["uid"]] = granted
    return Caller(
        org_id=row["org_id"],
        org_key=principal.org,
        actor_id=acting["uid"],
        agent_id=by_kind.get("agent", {}).get("uid"),
        person_id=by_kind.get("person", {}).get("uid"),
        device_id=by_kind.get("device", {}).get("uid"),
        home=acting["home_id"],
        homes=tuple(sorted(actor["home_id"] for actor in row["actors"])),
        person_home=by_kind.get("person", {}).get("home_id"),
        stored=row["stored"],
        common=next((space["uid"] for space in row["spaces"] if space["kind"] == "common"), None),
        readable=tuple(sorted(strongest)),
        writable=tuple(sorted(s for s, p in strongest.items() if p is not SpacePermission.READ)),
        administrable=tuple(sorted(s for s, p in strongest.items() if p is SpacePermission.ADMIN)),
        shared_with=tuple(
            by_kind[kind]["uid"]
            for kind in (ActorKind.AGENT, ActorKind.PERSON)
            if kind in by_kind and by_kind[kind]["has_shares"]
        ),
        permissions=permissions,
    )
