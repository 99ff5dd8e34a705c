"""Use cases that create, read and count pending actions."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.cortex.actions import gates, locks, store
from prefrontal.graph.cortex.actions.events import creation_journal
from prefrontal.graph.cortex.actions.ranking import position, ranked_page
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOrder,
    PendingAction,
    PendingActionDraft,
)
from prefrontal.graph.cortex.actions.rules import is_open
from prefrontal.graph.cortex.actions.type_resolution import unknown_uses, untyped_uses
from prefrontal.graph.cortex.actions.usage import EVER, TypeUsage
from prefrontal.graph.cortex.actions.utility import due_key, sort_key
from prefrontal.graph.cortex.actions.validation import (
    action_of,
    draft_list_problems,
    filter_problems,
    type_warnings,
)
from prefrontal.graph.errors import Forbidden, InvalidInput, OwnerViolation
from prefrontal.graph.ids import Kind, new_ids
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.registry.overrides.record import TypeWarning
from prefrontal.graph.storage.paging import Page, checked_first, decode_cursor, page_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.validation import raise_all, require_zone

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.registry.overrides.service import OverrideService
    from prefrontal.graph.registry.proposals.unknown_types import UnknownTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class ActionService:
    """Creates the pending actions of a new goal, and reads actions."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        types: EffectiveTypes,
        overrides: OverrideService,
        unknown: UnknownTypes,
    ) -> None:
        """Store the database, the clock, the tables, the action types, and the proposals for unknown types.

        `overrides` says which types a turn sees.

        `by_goal` is the list of a goal's actions, `blockers` the list of the open ones that block the others.
        """
        self.by_goal = RelatedReader(database, clock, store.of_goals, require_reader)
        self.blockers = RelatedReader(database, clock, store.blockers, require_reader)
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._types = types
        self._overrides = overrides
        self._unknown = unknown

    def problems(
        self, caller: Caller, drafts: Sequence[PendingActionDraft], path: str, *, in_turn: bool
    ) -> builtins.list[InvalidInput]:
        """Return what is wrong with some drafts beside the length of their fields.

        What depends on the types of a turn, which may have been others, is left to `create_in`.
        """
        if in_turn and self._types.changed_at(caller) is not None:
            return []
        return draft_list_problems(drafts, self._types.of(caller), path)

    async def create_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[PendingActionDraft],
        *,
        goal_id: str,
        scope_id: str,
        turn_id: str | None,
        priorities: Sequence[tuple[str, int]],
        now: datetime,
        path: str = "pendingActions",
    ) -> tuple[tuple[PendingAction, ...], tuple[TypeWarning, ...], Change]:
        """Store a goal's actions inside the transaction that creates the goal.

        Returns the actions, what deprecated types did, and a change: the journal of the actions and of the
        proposals for unknown types.

        Raises:
            InvalidInput: If a draft is invalid for the types that the turn sees.
            OwnerViolation: If an agent would create an action that is weaker than its type says.
        """
        if not drafts:
            return (), (), Change(result={})
        types = await self._overrides.types_in_turn(tx, caller, turn_id, now)
        raise_all(draft_list_problems(drafts, types, path))
        people = await locks.people_for(
            tx, caller, drafts, types, new=[(draft, None, scope_id) for draft in drafts]
        )
        actions = tuple(
            action_of(
                draft,
                uid=uid,
                scope_id=scope_id,
                goal_id=goal_id,
                turn_id=turn_id,
                by_uid=caller.actor_id,
                now=now,
                types=types,
                priority=priority,
                title_characters=self._catalog.limits.title_characters,
                person_id=locks.person_for(
                    caller, people, draft, types, goal_id=None, scope_id=scope_id, path=f"{path}[{number}]"
                ),
            )
            for number, (draft, priority, uid) in enumerate(
                zip(drafts, priorities, new_ids(Kind.PENDING_ACTION, now, len(drafts)), strict=True)
            )
        )
        by_user = caller.is_person
        for number, action in enumerate(actions):
            try:
                gates.require_new(action, types[action.type], by_user=by_user)
            except OwnerViolation as error:
                error.field = f"pendingActions[{number}].{error.field}"
                raise
        untyped = untyped_uses(zip(drafts, actions, strict=True))
        if actions and await store.create(tx, caller, actions, untyped=untyped) != len(actions):
            raise Forbidden("you may not write to this space any more", field="space")
        uses = unknown_uses(zip(drafts, actions, strict=True), types)
        proposed = await self._unknown.propose_in(tx, caller, uses, turn_id, now)
        traces, events = creation_journal(actions, types)
        named = [(draft, f"pendingActions[{number}]") for number, draft in enumerate(drafts)]
        change = merged([Change(result={}, traces=traces, events=events), proposed])
        return actions, tuple(type_warnings(named, types)), change

    async def of_goals(self, caller: Caller, goal_ids: Sequence[str]) -> dict[str, tuple[PendingAction, ...]]:
        """Return the readable actions of each goal, in order of creation."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> builtins.list[PendingAction]:
            return await store.list_by_goal(tx, caller, goal_ids)

        found: dict[str, builtins.list[PendingAction]] = {}
        for action in await self._database.read(work):
            found.setdefault(action.goal_id or "", []).append(action)
        return {goal_id: tuple(actions) for goal_id, actions in found.items()}

    async def open_in(self, tx: Tx, caller: Caller, goal_ids: Sequence[str]) -> builtins.list[PendingAction]:
        """Return the readable open actions of goals inside a transaction, in order of creation."""
        return [action for action in await store.list_by_goal(tx, caller, goal_ids) if is_open(action)]

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, PendingAction]:
        """Return the readable actions among some ids, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, uids)

        return await self._database.read(work)

    async def list(
        self,
        caller: Caller,
        wanted: ActionFilter | None = None,
        order: ActionOrder = ActionOrder.UTILITY,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[PendingAction]:
        """Return a page of the readable actions that match a filter; without statuses, of the open ones.

        In the order by utility, the best actions are also ranked by the relevance of their goals.

        Raises:
            InvalidInput: If the filter is not valid, `first` is out of range, or `after` is not a cursor of
                this order.
        """
        require(caller, Permission.READ)
        size, found_by, table = checked_first(first), self._checked(caller, wanted), self._catalog.goals
        now = self._clock.now()
        if order is ActionOrder.UTILITY and not store.is_few(found_by):
            start = position(after) if after is not None else None
            best = self._types.table.ranked

            async def rank(tx: Tx) -> Page[PendingAction]:
                return await ranked_page(
                    tx, caller, found_by, start, size=size, best=best, table=table, now=now
                )

            return await self._database.read(rank)
        key = ""
        if after is not None:
            named, value = decode_cursor(after, str, str)
            if named != order.value:
                raise InvalidInput(
                    "the cursor belongs to another order; begin again without `after`", field="after"
                )
            key = str(value)

        async def work(tx: Tx) -> builtins.list[PendingAction]:
            # One more than requested shows whether there is a next page.
            return await store.list_page(
                tx, caller, found_by, order, table, now=now, after=key, limit=size + 1
            )

        found = await self._database.read(work)
        place = due_key if order is ActionOrder.DUE_AT else sort_key
        return page_of(found, size, lambda action: (order.value, place(action)))

    async def count(self, caller: Caller, wanted: ActionFilter | None = None) -> int:
        """Return the number of readable actions that match a filter."""
        require(caller, Permission.READ)
        found_by = self._checked(caller, wanted)

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, found_by, self._catalog.goals, self._clock.now())

        return await self._database.read(work)

    async def usage(
        self, caller: Caller, types: Sequence[str], since: datetime | None = None
    ) -> dict[str, TypeUsage]:
        """Return what became of the actions of each type in the caller's spaces, created since a time.

        Without a time all actions count.

        Raises:
            InvalidInput: If the time has no time zone.
        """
        require(caller, Permission.READ)
        if since is not None:
            require_zone(since, "since")

        async def work(tx: Tx) -> dict[str, TypeUsage]:
            return await store.usage(tx, caller, types, since or EVER, self._clock.now())

        return await self._database.read(work)

    def _checked(self, caller: Caller, wanted: ActionFilter | None) -> ActionFilter:
        found_by = wanted or ActionFilter()
        raise_all(filter_problems(found_by, self._types.of(caller), self._catalog.limits))
        return found_by
