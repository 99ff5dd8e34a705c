"""The use case that creates and changes many pending actions: `upsert_pending_actions` of source 003.

Each entry is judged on its own, in one transaction: an invalid entry gets its problem, the others are
applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.cortex.actions import gates, locks, store
from prefrontal.graph.cortex.actions.events import FAILED, change_of, creation_journal, creation_traces
from prefrontal.graph.cortex.actions.outcomes import is_failed_result
from prefrontal.graph.cortex.actions.patch import revise
from prefrontal.graph.cortex.actions.record import (
    EntryProblem,
    Holds,
    PendingAction,
    PendingActionUpsert,
    UpsertPendingActions,
    UpsertResult,
)
from prefrontal.graph.cortex.actions.rules import next_version, reassigned, reported
from prefrontal.graph.cortex.actions.type_resolution import (
    require_later,
    require_usable,
    retyped,
    unknown_uses,
    untyped_uses,
)
from prefrontal.graph.cortex.actions.utility import option_problems
from prefrontal.graph.cortex.actions.validation import (
    action_of,
    blocks,
    draft_problems,
    fixed_problems,
    retitled,
    type_warnings,
)
from prefrontal.graph.cortex.endings import require_not_ended
from prefrontal.graph.cortex.priorities import priority_of, priority_problems
from prefrontal.graph.errors import (
    Forbidden,
    InvalidInput,
    NotFound,
    PrefrontalError,
    VersionConflict,
)
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, EventType, TraceKind, merged
from prefrontal.graph.registry.definitions import STARTED, ActionType
from prefrontal.graph.registry.overrides.record import TypeWarning
from prefrontal.graph.validation import problem_of, raise_all, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.registry.overrides.service import OverrideService
    from prefrontal.graph.registry.proposals.record import AwaitedType
    from prefrontal.graph.registry.proposals.unknown_types import UnknownTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_UPDATED = (TraceKind.ACTION_UPDATED, EventType.PENDING_ACTION_UPDATED, "Action changed")


class ActionUpserts:
    """Creates and changes actions, named by their id or by the client's own key."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        types: EffectiveTypes,
        overrides: OverrideService,
        unknown: UnknownTypes,
        *,
        on_refused: Callable[[str | None, str], None] | None = None,
    ) -> None:
        """Store the database, the tables, the change writer, the action types and the unknown-type proposals.

        `overrides` says which types a turn sees.
        `on_refused` is called with the action type (or None) and the error code of each refused entry, for a
        metric.
        """
        self._on_refused = on_refused
        self._overrides = overrides
        self._unknown = unknown
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._types = types

    async def upsert(self, caller: Caller, command: UpsertPendingActions) -> tuple[UpsertResult, ...]:
        """Create or change actions; return one result for each entry, in the order of the entries.

        An entry with an id changes that action. An entry with a client key changes the action that has the
        key, or creates it. An entry with neither creates an action. The space is the one of new actions
        without a goal and of client keys; the caller's own space if omitted.

        Raises:
            InvalidInput: If there are no entries or too many.
            Forbidden: If the space is readable but not writable.
        """
        require(caller, Permission.WRITE)
        scope_id = target_space(caller, command.space)
        none = [] if command.actions else [InvalidInput("name at least one action", field="actions")]
        refused: list[tuple[str | None, str]] = []

        async def work(tx: Tx, now: datetime) -> Change:
            # A retry of the transaction starts with an empty list; a replayed call does not run it at all.
            refused.clear()
            entries, turn_id = command.actions, command.turn_id
            paths = [f"actions[{number}]" for number in range(len(entries))]
            return await self.upsert_in(tx, caller, entries, scope_id, turn_id, now, paths, refused)

        result = await self._changes.run(caller, command, work, problems=none, once_more_if_duplicate=True)
        if self._on_refused is not None:
            for kind, code in refused:
                self._on_refused(kind, code)

        async def read(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, [item["uid"] for item in result["results"] if "uid" in item])

        found = await self._database.read(read)
        return tuple(_result(item, found) for item in result["results"])

    async def upsert_in(
        self,
        tx: Tx,
        caller: Caller,
        entries: Sequence[PendingActionUpsert],
        scope_id: str,
        turn_id: str | None,
        now: datetime,
        paths: Sequence[str],
        refused: list[tuple[str | None, str]],
    ) -> Change:
        """Create or change actions inside a transaction, each entry judged on its own; return the journal.

        The result's `results` holds for each entry the id and whether the action was created, or the problem
        with its fields under the entry's path. Type and error code of each refused entry are added to
        `refused`.
        """
        keys = [entry.client_key for entry in entries if entry.client_key and entry.id is None]
        known = await store.find_by_client_keys(tx, caller, scope_id, keys) if keys else {}
        named = [entry.id or known.get(entry.client_key or "") for entry in entries]
        held = await store.lock(tx, caller, [uid for uid in named if uid], now, self._catalog.goals)
        types = await self._overrides.types_in_turn(tx, caller, turn_id, now)
        goals = [
            (entry.goal_id, blocks(entry, types))
            for entry, uid in zip(entries, named, strict=True)
            if uid is None and entry.goal_id
        ]
        places = await store.goals_of(tx, caller, goals, now) if goals else {}
        typed = [uid for entry, uid in zip(entries, named, strict=True) if uid in held.actions and entry.type]
        awaited = await self._unknown.awaited_in(tx, caller, [uid for uid in typed if uid])
        unnamed = [
            (entry, entry.goal_id, _space_of(entry, places, scope_id))
            for entry, uid in zip(entries, named, strict=True)
            if uid is None
        ]
        people = await locks.people_for(tx, caller, entries, types, new=unnamed)
        made: list[PendingAction] = []
        drafts: list[PendingActionUpsert] = []
        updates: list[tuple[PendingAction, PendingAction, dict[str, Any]]] = []
        changes: list[Change] = []
        results: list[dict[str, Any]] = []
        seen: set[str] = set()
        for entry, uid, path in zip(entries, named, paths, strict=True):
            try:
                raise_all(self._problems(entry, uid, types, path, seen))
                if uid is None:
                    action = self._new_action(
                        caller, entry, places, scope_id, types, turn_id, now, path, people
                    )
                    made.append(action)
                    drafts.append(entry)
                    said = [each.model_dump(mode="json") for each in type_warnings([(entry, path)], types)]
                    results.append(
                        {"uid": action.uid, "created": True} | ({"warnings": said} if said else {})
                    )
                    continue
                before = locks.writable_of(held, uid, f"{path}.id")
                person = locks.named_person(people, entry.person, f"{path}.person")
                after = self._changed(
                    caller,
                    before,
                    held.holds_of(uid),
                    entry,
                    types,
                    now,
                    path,
                    awaited.get(uid),
                    turn_id,
                    person,
                )
            except PrefrontalError as error:
                results.append({"problem": problem_of(error, path)})
                refused.append((held.actions[uid].type if uid in held.actions else entry.type, error.code))
                continue
            if after != before:
                updates.append((before, after, {}))
                failed = _has_failed(before, after, entry)
                changes.append(change_of(before, after, FAILED if failed else _UPDATED, turn_id=turn_id))
            results.append({"uid": uid, "created": False})
        untyped = untyped_uses(zip(drafts, made, strict=True))
        if made and await store.create(tx, caller, made, untyped=untyped) != len(made):
            raise Forbidden("you may not write to this space any more", field="space")
        if updates:
            await store.update(tx, caller, updates, turn_id=turn_id)
            done = [after.uid for before, after, _ in updates if after.type != before.type]
            await self._unknown.end_in(tx, caller, done, now)
        uses = unknown_uses(zip(drafts, made, strict=True), types)
        proposed = await self._unknown.propose_in(tx, caller, uses, turn_id, now)
        traces, events = creation_journal(made, types)
        new = Change(
            result={},
            traces=(*creation_traces(made), *traces),
            events=events,
            turns=(turn_id,) if turn_id else (),
        )
        return merged([new, *changes, proposed], {"results": results})

    def _problems(
        self, entry: PendingActionUpsert, uid: str | None, types: ActionTypes, path: str, seen: set[str]
    ) -> list[InvalidInput]:
        """Return what is wrong with an entry, as far as the input alone shows it; add its name to `seen`."""
        problems = limit_problems(entry, self._catalog.limits, path)
        if uid is None:
            problems += draft_problems(entry, types, path)
        problems += priority_problems(entry.priority, self._catalog.goals, f"{path}.priority")
        if entry.id is not None and entry.client_key is not None:
            problems.append(
                InvalidInput("name the action by `id` or by `clientKey`", field=f"{path}.clientKey")
            )
        name = uid or entry.client_key
        if name is not None and name in seen:
            problems.append(InvalidInput("the action is named twice in this call", field=f"{path}.id"))
        seen.add(name or "")
        return problems

    def _new_action(
        self,
        caller: Caller,
        entry: PendingActionUpsert,
        places: dict[str, store.GoalOfActions],
        scope_id: str,
        types: ActionTypes,
        turn_id: str | None,
        now: datetime,
        path: str,
        people: store.People,
    ) -> PendingAction:
        if entry.expected_version is not None:
            raise VersionConflict("there is no such action yet", field=f"{path}.expectedVersion")
        goal = places.get(entry.goal_id) if entry.goal_id is not None else None
        if entry.goal_id is not None and goal is None:
            raise NotFound("no such goal", field=f"{path}.goalId")
        if goal is not None and not goal.writable:
            raise Forbidden("you may read this goal but not change it", field=f"{path}.goalId")
        if goal is not None:
            require_not_ended(goal.status, self._catalog.goals, f"{path}.goalId")
        scope_id = _space_of(entry, places, scope_id)
        made = action_of(
            entry,
            uid=new_id(Kind.PENDING_ACTION, now),
            scope_id=scope_id,
            goal_id=entry.goal_id,
            turn_id=turn_id,
            by_uid=caller.actor_id,
            now=now,
            types=types,
            priority=priority_of(entry.priority, self._catalog.goals) or ("", 0),
            title_characters=self._catalog.limits.title_characters,
            person_id=locks.person_for(
                caller, people, entry, types, goal_id=entry.goal_id, scope_id=scope_id, path=path
            ),
        )
        gates.require_new(made, types[made.type], by_user=caller.is_person)
        return made

    def _changed(
        self,
        caller: Caller,
        before: PendingAction,
        holds: Holds,
        entry: PendingActionUpsert,
        types: ActionTypes,
        now: datetime,
        path: str,
        awaited: AwaitedType | None,
        turn_id: str | None,
        person_id: str | None,
    ) -> PendingAction:
        require_version(before.version, entry.expected_version)
        by_user = caller.is_person
        known = types.for_new(entry.type)
        if awaited is not None and entry.type and entry.id is not None:
            # An action that is named by a client key may be the repetition of the first request.
            require_usable(entry.type, types, awaited)
        if awaited is not None and known is not None and known.id != before.type:
            require_later(before, awaited, entry.type or "", turn_id)
            base = retyped(before, known, awaited, entry.owner, requested=types.get(awaited.name))
            gates.require_handed_over(before, base.owner, awaited.owner, by_user=by_user)
            after = self._revised(base, entry, known, now, person_id)
            raise_all(option_problems(after.metadata, known, f"{path}.metadata.options"))
            # A new type brings its policies, and the entry must not weaken them.
            gates.require_open(base, after, known, by_user=by_user, holds=holds)
            former = types.get(before.type)
            gates.require_open(
                before, after, known, by_user=by_user, holds=holds, former=former, resolved=True
            )
            return after if after != base else next_version(base, now)
        kind = locks.kind_of_action(types, before)
        raise_all(fixed_problems(entry, before, kind, path))
        after = self._revised(before, entry, kind, now, person_id)
        gates.require_open(before, after, kind, by_user=by_user, holds=holds)
        return reported(
            before, after, entry.result, kind, now, by_user=by_user, by_uid=caller.actor_id, holds=holds
        )

    def _revised(
        self,
        before: PendingAction,
        entry: PendingActionUpsert,
        kind: ActionType,
        now: datetime,
        person_id: str | None,
    ) -> PendingAction:
        default = self._types.table.default_effort
        entry = retitled(entry, before, self._catalog.limits.title_characters)
        person = reassigned(before, person_id) if "person" in entry.model_fields_set else before.person_id
        return revise(before, entry, kind, now, self._catalog.goals, default, person_id=person)


def _has_failed(before: PendingAction, after: PendingAction, entry: PendingActionUpsert) -> bool:
    """Tell whether the entry's result said that the action failed, so that it is in progress no more."""
    return before.status == STARTED != after.status and is_failed_result(entry.result)


def _space_of(entry: PendingActionUpsert, places: dict[str, store.GoalOfActions], scope_id: str) -> str:
    """Return the space of a new action: that of its goal, else `scope_id`."""
    goal = places.get(entry.goal_id) if entry.goal_id is not None else None
    return scope_id if goal is None else goal.scope_id


def _result(item: dict[str, Any], found: dict[str, PendingAction]) -> UpsertResult:
    return UpsertResult(
        action=found.get(item.get("uid", "")),
        created=bool(item.get("created")),
        problem=EntryProblem.model_validate(item["problem"]) if "problem" in item else None,
        warnings=tuple(TypeWarning.model_validate(each) for each in item.get("warnings", ())),
    )
