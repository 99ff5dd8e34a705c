"""Use cases of the registry at run time: maintainers register and deprecate action types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.caller import Permission, require, require_maintainer
from prefrontal.graph.errors import InvalidInput, NotFound, PrefrontalError, TooLarge, VersionConflict
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, EventType, TraceKind, one_change
from prefrontal.graph.journal.turns import turn_began
from prefrontal.graph.registry.files.record import TURN_LASTS
from prefrontal.graph.registry.overrides import store
from prefrontal.graph.registry.overrides.record import (
    ActionTypeOverride,
    DeprecateActionType,
    LockedRegistry,
    RegisterActionType,
    WithdrawActionTypeOverride,
)
from prefrontal.graph.registry.overrides.rules import (
    approved,
    checked_type,
    fitting_problems,
    in_force,
    is_removed,
    registered,
    removed,
    retired,
    text_limits,
)
from prefrontal.graph.validation import raise_all, require_version
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter, Work
    from prefrontal.graph.registry.definitions import ActionType, ActionTypes
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

_Decide = Callable[["ActionTypes"], "ActionType"]
"""Returns the new definition, given the types in force."""


class OverrideService:
    """Manages an organisation's own action types, which override the files and are never deleted."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        tables: EffectiveTypes,
        on_change: Callable[[Caller], Awaitable[object]],
    ) -> None:
        """Store the database, the tables, the change writer and the action types in force.

        `on_change` is called after each change of an organisation's types: it settles proposals.
        """
        self._on_change = on_change
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._tables = tables

    async def refresh(self, org_id: str, revision: int) -> None:
        """Read an organisation's overrides if the revision of its registry is newer than the known one."""
        if revision <= self._tables.revision(org_id):
            return

        async def work(tx: Tx) -> tuple[int, tuple[ActionTypeOverride, ...]]:
            return await store.list_overrides(tx, org_id)

        known, found = await self._database.read(work)
        changed = max((override.updated_at for override in found), default=None)
        self._tables.keep(org_id, known, approved(found), changed)

    async def types_in_turn(self, tx: Tx, caller: Caller, turn_id: str | None, now: datetime) -> ActionTypes:
        """Return the action types as a turn sees them: those of its beginning, from its start to its end.

        The beginning of the turn is read only if the types have changed within the time that a turn may last.
        """
        tables = self._tables
        present, changed = tables.of(caller), tables.changed_at(caller)
        if turn_id is None or changed is None or now - changed > TURN_LASTS:
            return present
        began = await turn_began(tx, caller, turn_id, now)
        if began is None or began > changed:
            return present
        own, overrides = tables.own_changed_at(caller), tables.own(caller)
        if own is not None and own >= began:
            overrides = await store.list_overrides_at(tx, caller.org_id, began)
        return tables.at(caller, began, overrides)

    async def list_overrides(self, caller: Caller) -> tuple[ActionTypeOverride, ...]:
        """Return the organisation's overrides and drafts, in order of type; removed ones are left out."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> tuple[int, tuple[ActionTypeOverride, ...]]:
            return await store.list_overrides(tx, caller.org_id)

        return tuple(each for each in (await self._database.read(work))[1] if not is_removed(each))

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, ActionTypeOverride]:
        """Return the readable overrides among some ids, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, ActionTypeOverride]:
            return await store.find_overrides(tx, caller, uids)

        return await self._database.read(work)

    async def register(self, caller: Caller, command: RegisterActionType) -> ActionTypeOverride:
        """Store a definition of an action type for the organisation; return the override.

        Raises:
            Forbidden: If the caller is no maintainer.
            InvalidInput: If the definition is invalid, conflicts with other types, or leaves open actions in
                a status that the type no longer has.
            VersionConflict: If the override has another version than expected.
        """
        require_maintainer(caller)
        limits = self._catalog.limits
        kind, problems = checked_type(command.definition.keys, "definition")
        if kind is None:
            raise_all([*problems, *limit_problems(command, limits)])
            raise InvalidInput("does not describe an action type", field="definition")
        made = kind

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._put(
                tx, caller, command, made.id, lambda _: made, now, approve=command.approved, path="definition"
            )

        return await self._write(caller, command, work, text_limits(made, limits, "definition"))

    async def deprecate(self, caller: Caller, command: DeprecateActionType) -> ActionTypeOverride:
        """Deprecate an action type for the organisation, with immediate effect, also if it comes from a file.

        The type keeps its id, and existing actions continue.

        Raises:
            Forbidden: If the caller is no maintainer.
            NotFound: If there is no such type.
            InvalidInput: If the successor is not an active type, or the type is the safe type for unknown
                types.
            VersionConflict: If the override has another version than expected.
        """
        require_maintainer(caller)
        given = command.model_fields_set

        def decide(types: ActionTypes) -> ActionType:
            found = types.get(command.id)
            if found is None:
                raise NotFound("no such action type", field="id")
            kind, wrong = retired(
                found,
                replaced_by=command.replaced_by if "replaced_by" in given else found.replaced_by,
                note=command.note if "note" in given else found.note,
                block_new=bool(command.block_new) if "block_new" in given else found.block_new,
            )
            raise_all(wrong)
            return kind or found

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._put(tx, caller, command, command.id, decide, now, approve=True, path="")

        return await self._write(caller, command, work)

    async def remove(self, caller: Caller, command: WithdrawActionTypeOverride) -> str:
        """Remove the organisation's own definition of a type and its draft; return the type's id.

        The file's definition is in force again. The versions of the removed one stay.

        Raises:
            Forbidden: If the caller is no maintainer.
            NotFound: If the organisation has no definition of the type.
            InvalidInput: If no file has the type, or open actions have a status that the file's type lacks.
            VersionConflict: If the definition has another version than expected.
        """
        require_maintainer(caller)

        async def work(tx: Tx, now: datetime) -> Change:
            locked = await store.lock(tx, caller, now)
            known = locked.overrides.get(command.id)
            if known is None or is_removed(known):
                raise NotFound("your organisation has no definition of this type", field="id")
            require_version(known.version, command.expected_version)
            after, files = removed(known, now), self._tables.files(caller)
            if known.definition is not None:
                if command.id not in files:
                    raise InvalidInput("no file has this type: deprecate it instead", field="id")
                types = in_force(files, [*(locked.overrides | {command.id: after}).values()])
                raise_all(fitting_problems(types[command.id], types, ""))
                await self._refuse_stranding(tx, caller, known.definition, types[command.id], "")
            revision = locked.revision + 1
            await store.save(tx, caller, after, known, revision=revision, turn_id=command.turn_id)
            details = {"type_id": after.type_id}
            result = {"uid": after.uid, "revision": revision}
            return one_change(after, _REMOVED, command.turn_id, details=details, data=details, result=result)

        result = await self._changes.run(caller, command, work)
        await self.refresh(caller.org_id, result["revision"])
        await self._settle(caller)
        return command.id

    async def _settle(self, caller: Caller) -> None:
        try:
            await self._on_change(caller)
        except PrefrontalError as error:
            # The change is committed; the next one settles the rest.
            log.warning("proposals_not_settled", code=error.code)

    async def _put(
        self,
        tx: Tx,
        caller: Caller,
        command: RegisterActionType | DeprecateActionType,
        type_id: str,
        decide: _Decide,
        now: datetime,
        *,
        approve: bool,
        path: str,
    ) -> Change:
        locked = await store.lock(tx, caller, now)
        known = locked.overrides.get(type_id)
        if known is None and command.expected_version is not None:
            raise VersionConflict(
                "your organisation has no definition of this type yet", field="expectedVersion"
            )
        if known is not None:
            require_version(known.version, command.expected_version)
        files = self._tables.files(caller)
        before = in_force(files, locked.overrides.values())
        kind = decide(before)
        override = known or _empty_override(type_id, caller, locked, now)
        usable = before.for_new(type_id) is not None
        after = registered(override, kind, now, approve=approve, usable_before=usable)
        if after == known:
            return Change(result={"uid": known.uid, "revision": locked.revision})
        most = self._catalog.limits.action_type_overrides
        if known is None and len(locked.overrides) >= most:
            raise TooLarge(
                f"an organisation can have at most {counted(most, 'action type')} of its own",
                field=path or "id",
            )
        types = in_force(files, [*locked.overrides.values(), after])
        if approve:
            raise_all(fitting_problems(kind, types, path))
            await self._refuse_stranding(tx, caller, before.get(type_id), types[type_id], path)
        revision = locked.revision + 1
        await store.save(tx, caller, after, known, revision=revision, turn_id=command.turn_id)
        details = {"type_id": after.type_id, "approved": approve}
        return one_change(
            after,
            _REGISTERED if isinstance(command, RegisterActionType) else _DEPRECATED,
            command.turn_id,
            details=details,
            data=details,
            result={"uid": after.uid, "revision": revision},
        )

    @staticmethod
    async def _refuse_stranding(
        tx: Tx, caller: Caller, before: ActionType | None, after: ActionType, path: str
    ) -> None:
        lost = before.loses(after) if before else ()
        found = await store.count_open(tx, caller, after.id, lost) if lost else {}
        if found:
            counts = ", ".join(f"{number} in {status}" for status, number in sorted(found.items()))
            raise InvalidInput(
                f"open actions have statuses that the type loses ({counts}); "
                "name their successors in formerStatuses",
                field=f"{path}.formerStatuses" if path else "id",
            )

    async def _write(
        self,
        caller: Caller,
        command: RegisterActionType | DeprecateActionType,
        work: Work,
        problems: Sequence[InvalidInput] = (),
    ) -> ActionTypeOverride:
        result = await self._changes.run(caller, command, work, problems=problems)
        # The caller's next request in this process sees the change at once.
        await self.refresh(caller.org_id, result["revision"])
        await self._settle(caller)
        # Types belong to the whole organisation, so the override is returned whatever spaces the caller may
        # read.
        found = next((o for o in await self.list_overrides(caller) if o.uid == result["uid"]), None)
        if found is None:
            raise NotFound("no such action type", field="id")
        return found


_REGISTERED = (TraceKind.ACTION_TYPE_REGISTERED, EventType.ACTION_TYPE_REGISTERED, "Action type registered")
_REMOVED = (
    TraceKind.ACTION_TYPE_OVERRIDE_REMOVED,
    EventType.ACTION_TYPE_OVERRIDE_REMOVED,
    "Own definition of an action type removed",
)
_DEPRECATED = (TraceKind.ACTION_TYPE_DEPRECATED, EventType.ACTION_TYPE_DEPRECATED, "Action type deprecated")


def _empty_override(
    type_id: str, caller: Caller, locked: LockedRegistry, now: datetime
) -> ActionTypeOverride:
    """Return the empty override (version 0) that precedes a first definition."""
    return ActionTypeOverride(
        uid=new_id(Kind.ACTION_TYPE, now),
        scope_id=locked.scope_id,
        type_id=type_id,
        definition=None,
        draft=None,
        since=None,
        created_at=now,
        updated_at=now,
        by_uid=caller.actor_id,
        version=0,
    )
