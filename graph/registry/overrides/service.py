"""Use cases of the registry at run time: maintainers register and deprecate action types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import InvalidInput, NotFound, TooLarge, VersionConflict
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.record import Change, ChangeKind, EventType, TraceKind, one_change
from prefrontal.graph.registry.overrides import store
from prefrontal.graph.registry.overrides.record import ActionTypeOverride, HeldRegistry
from prefrontal.graph.registry.overrides.rules import (
    approved,
    checked_type,
    fitting_problems,
    in_force,
    registered,
    retired,
    text_limits,
)
from prefrontal.graph.validation import raise_all, require_version, text_problems

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionType, ActionTypes
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_Decide = Callable[["ActionTypes"], "ActionType"]
"""Returns the new definition, given the types in force."""


class OverrideService:
    """Manages an organisation's own action types, which override the files and are never deleted."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, tables: EffectiveTypes
    ) -> None:
        """Store the database, the tables, the change writer and the action types in force."""
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
        self._tables.hold(org_id, known, approved(found))

    async def list_overrides(self, caller: Caller) -> tuple[ActionTypeOverride, ...]:
        """Return the organisation's overrides and drafts, in order of type."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> tuple[int, tuple[ActionTypeOverride, ...]]:
            return await store.list_overrides(tx, caller.org_id)

        return (await self._database.read(work))[1]

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, ActionTypeOverride]:
        """Return the readable overrides among some ids, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, ActionTypeOverride]:
            return await store.find_overrides(tx, caller, uids)

        return await self._database.read(work)

    async def register(
        self,
        caller: Caller,
        definition: Mapping[str, Any],
        *,
        approve: bool = False,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ActionTypeOverride:
        """Store a definition of an action type for the organisation; return the override.

        `approve` puts the definition in force; otherwise it is a draft.

        Raises:
            Forbidden: If the caller is no maintainer.
            InvalidInput: If the definition is invalid, conflicts with other types, or leaves open actions in
                a status that the type no longer has.
            VersionConflict: If the override has another version than expected.
        """
        require(caller, Permission.MAINTAIN)
        kind, problems = checked_type(definition, "definition")
        if kind is not None:
            problems += text_limits(kind, self._catalog.limits, "definition")
        problems += self._turn_problems(turn_id)
        raise_all(problems)
        if kind is None:
            raise InvalidInput("does not describe an action type", field="definition")
        made = kind

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._put(
                tx,
                caller,
                made.id,
                lambda _: made,
                now,
                approve=approve,
                expected_version=expected_version,
                turn_id=turn_id,
                path="definition",
                said=_REGISTERED,
            )

        body = [kind.model_dump(mode="json"), approve, expected_version, turn_id]
        return await self._write(caller, work, "registerActionType", body, idempotency_key)

    async def deprecate(
        self,
        caller: Caller,
        type_id: str,
        *,
        replaced_by: str | None = None,
        note: str | None = None,
        block_new: bool = True,
        keep: frozenset[str] = frozenset(),
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ActionTypeOverride:
        """Deprecate an action type for the organisation, with immediate effect, also if it comes from a file.

        Args:
            caller: The caller, who must be a maintainer.
            type_id: The type; it keeps its id, and existing actions continue.
            replaced_by: The type to use instead.
            note: A hint for people.
            block_new: Whether to refuse new actions; if False, new actions get the successor, if there is
                one.
            keep: `replaced_by` or `note`, if the present value of the type shall stay.
            expected_version: The version of the organisation's own definition that the caller has read.
            turn_id: The turn in which the call happens.
            idempotency_key: A repeated call with the same key changes nothing.

        Raises:
            Forbidden: If the caller is no maintainer.
            NotFound: If there is no such type.
            InvalidInput: If the successor is not an active type, or the type is the safe type for unknown
                types.
            VersionConflict: If the override has another version than expected.
        """
        require(caller, Permission.MAINTAIN)
        limits = self._catalog.limits
        problems = text_problems(type_id, "id", limits.key_characters)
        problems += text_problems(note, "note", limits.description_characters)
        raise_all(problems + self._turn_problems(turn_id))

        def decide(types: ActionTypes) -> ActionType:
            found = types.get(type_id)
            if found is None:
                raise NotFound("no such action type", field="id")
            kind, wrong = retired(
                found,
                replaced_by=found.replaced_by if "replaced_by" in keep else replaced_by,
                note=found.note if "note" in keep else note,
                block_new=block_new,
            )
            raise_all(wrong)
            return kind or found

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._put(
                tx,
                caller,
                type_id,
                decide,
                now,
                approve=True,
                expected_version=expected_version,
                turn_id=turn_id,
                path="",
                said=_DEPRECATED,
            )

        body = [type_id, replaced_by, note, block_new, sorted(keep), expected_version, turn_id]
        return await self._write(caller, work, "deprecateActionType", body, idempotency_key)

    async def _put(
        self,
        tx: Tx,
        caller: Caller,
        type_id: str,
        decide: _Decide,
        now: datetime,
        *,
        approve: bool,
        expected_version: int | None,
        turn_id: str | None,
        path: str,
        said: ChangeKind,
    ) -> Change:
        held = await store.lock(tx, caller, now)
        known = held.overrides.get(type_id)
        if known is None and expected_version is not None:
            raise VersionConflict(
                "your organisation has no definition of this type yet", field="expectedVersion"
            )
        if known is not None:
            require_version(known.version, expected_version)
        files = self._tables.files(caller)
        before = in_force(files, held.overrides.values())
        kind = decide(before)
        override = known or _nothing(type_id, caller, held, now)
        usable = before.for_new(type_id) is not None
        after = registered(override, kind, now, approve=approve, usable_before=usable)
        if after == known:
            return Change(result={"uid": known.uid, "revision": held.revision})
        most = self._catalog.limits.action_type_overrides
        if known is None and len(held.overrides) >= most:
            raise TooLarge(
                f"an organisation can have at most {most} action types of its own", field=path or "id"
            )
        types = in_force(files, [*held.overrides.values(), after])
        if approve:
            raise_all(fitting_problems(kind, types, path))
            await self._refuse_stranding(tx, caller, before.get(type_id), kind, path)
        await store.save(tx, caller, after, known, revision=held.revision + 1, turn_id=turn_id)
        return _journal(after, said, held.revision + 1, turn_id, approved=approve)

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

    def _turn_problems(self, turn_id: str | None) -> list[InvalidInput]:
        most = self._catalog.limits.key_characters
        return text_problems(turn_id, "turnId", most)

    async def _write(
        self, caller: Caller, work: Any, operation: str, body: Any, idempotency_key: str | None
    ) -> ActionTypeOverride:
        result = await self._changes.write(
            caller, work, operation=operation, body=body, idempotency_key=idempotency_key
        )
        # The caller's next request in this process sees the change at once.
        await self.refresh(caller.org_id, result["revision"])
        # Types belong to the whole organisation, so the override is returned whatever spaces the caller may
        # read.
        found = next((o for o in await self.list_overrides(caller) if o.uid == result["uid"]), None)
        if found is None:
            raise NotFound("no such action type", field="id")
        return found


_REGISTERED = (TraceKind.ACTION_TYPE_REGISTERED, EventType.ACTION_TYPE_REGISTERED, "Action type registered")
_DEPRECATED = (TraceKind.ACTION_TYPE_DEPRECATED, EventType.ACTION_TYPE_DEPRECATED, "Action type deprecated")


def _nothing(type_id: str, caller: Caller, held: HeldRegistry, now: datetime) -> ActionTypeOverride:
    """Return the empty override (version 0) that precedes a first definition."""
    return ActionTypeOverride(
        uid=new_id(Kind.ACTION_TYPE, now),
        scope_id=held.scope_id,
        type_id=type_id,
        definition=None,
        draft=None,
        since=None,
        created_at=now,
        updated_at=now,
        by_uid=caller.actor_id,
        version=0,
    )


def _journal(
    after: ActionTypeOverride, said: ChangeKind, revision: int, turn_id: str | None, *, approved: bool
) -> Change:
    details = {"type_id": after.type_id, "approved": approved}
    result = {"uid": after.uid, "revision": revision}
    return one_change(after, said, turn_id, details=details, data=details, result=result)
