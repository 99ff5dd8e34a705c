"""The use case of reverting: a record gets the content of an earlier version, as a new version.

Each kind of record decides what can be reverted: a `Reverter` has the steps that all kinds share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from prefrontal.graph.errors import InvalidInput, NotFound, SeveralConflicts
from prefrontal.graph.history import store
from prefrontal.graph.history.events import result_of, reverted
from prefrontal.graph.history.record import Revert, RevertWarning
from prefrontal.graph.history.rules import REVERTED_TO
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.record import Record
from prefrontal.graph.validation import require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.errors import Conflict
    from prefrontal.graph.history.record import Content
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Tx

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class LockedRecord(Generic[R]):
    """A record that is locked until the commit, with the records that are locked beside it, by id."""

    record: R
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RestoredRecord(Generic[R]):
    """A record with the content of an earlier version."""

    after: R
    """The next version of the record; the present one if it has the content already."""
    warnings: Sequence[RevertWarning] = ()
    """What the revert does not undo."""
    conflicts: Sequence[Conflict] = ()
    """Why the record cannot be reverted."""
    links: Mapping[str, Any] = field(default_factory=dict)
    """The links that were changed, by their names in versions."""


class Reverter(ABC, Generic[R]):
    """Reverts records of one kind, under the locks of any other change: the steps that all kinds share."""

    event: ClassVar[EventType]
    """The event of a revert."""

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Revert a record inside a transaction; return the change.

        Raises:
            NotFound: If the record or the version is unknown or not readable.
            Forbidden: If the caller may not change the record.
            VersionConflict: If the record has another version than expected.
            SeveralConflicts: If later changes build on what would be undone.
        """
        # A version never changes, so it can be read before the lock: it may name other records to lock.
        content = await store.read_version(tx, caller, asked.id, asked.version)
        locked = await self.lock(tx, caller, asked.id, content, now)
        before: Any = locked.record
        require_version(before.version, asked.expected_version)
        if content is None:
            raise NotFound(f"the record has no version {asked.version}", field="version")
        restored = await self.restored(tx, caller, locked, content, now)
        if restored.conflicts:
            raise SeveralConflicts(list(restored.conflicts))
        after: Any = restored.after
        if after == before:
            return Change(result=result_of(before.version, restored.warnings))
        more = {**restored.links, REVERTED_TO: asked.version}
        await self.save(tx, caller, before, after, more, asked.turn_id)
        return reverted(
            self.event,
            after,
            asked,
            fields=[*changed_fields(before, after), *restored.links],
            data=self.data(after),
            warnings=restored.warnings,
        )

    @abstractmethod
    async def lock(
        self, tx: Tx, caller: Caller, uid: str, content: Content | None, now: datetime
    ) -> LockedRecord[R]:
        """Lock a record that the caller may change, and the records that the decision depends on.

        Raises:
            NotFound: If the record is unknown or not readable.
            Forbidden: If the record is readable but not writable.
        """

    @abstractmethod
    async def restored(
        self, tx: Tx, caller: Caller, locked: LockedRecord[R], content: Content, now: datetime
    ) -> RestoredRecord[R]:
        """Return the locked record with the content; links are changed, the record is not stored yet."""

    @abstractmethod
    async def save(
        self, tx: Tx, caller: Caller, before: R, after: R, more: Mapping[str, Any], turn_id: str | None
    ) -> None:
        """Store the next version of the record; its version records `more` beside the changed fields."""

    @abstractmethod
    def data(self, after: R) -> dict[str, Any]:
        """Return the data of the event, without what was reverted."""


class RevertService:
    """Reverts goals, pending actions, questions and stories to earlier versions."""

    def __init__(self, changes: ChangeWriter, reverters: Mapping[Kind, Reverter[Any]]) -> None:
        self._changes = changes
        self._reverters = reverters

    async def revert(self, caller: Caller, command: Revert) -> tuple[int, tuple[RevertWarning, ...]]:
        """Revert a record to an earlier version.

        A record that already has the content of that version stays unchanged and gets no new version.

        Returns:
            The record's version after the revert, and warnings about what was not undone.

        Raises:
            NotFound: If the record or the version is unknown or not readable, or the record has no versions.
            InvalidInput: If records of this kind cannot be reverted; the message says what to do instead.
            Forbidden: If the caller may read the record but not write to it.
            VersionConflict: If the record has another version than expected.
            Conflict: If later changes build on what would be undone; `problems` has each reason.
            OwnerViolation: If an agent would undo or repeat something that only a user may do.
        """
        kind, turn_id = kind_of(command.id), command.turn_id
        reverter = self._reverters.get(kind) if kind is not None else None

        async def work(tx: Tx, now: datetime) -> Change:
            if reverter is None:
                raise await _refusal(tx, caller, command.id, kind)
            change = await reverter.revert_in(tx, caller, command, now)
            return change.model_copy(update={"turns": (turn_id,) if turn_id else ()})

        result = await self._changes.run(caller, command, work)
        warnings = tuple(RevertWarning.model_validate(item) for item in result["warnings"])
        return int(result["version"]), warnings


_INSTEAD = {
    Kind.OBSERVATION: "an observation is a note and is not reverted: `history` has its earlier texts, and "
    "`updateObservation` gives it one of them",
    Kind.MANDATE: "a mandate has one version only, so there is nothing to return to",
    Kind.CAPABILITY: "a capability has one version only, so there is nothing to return to",
    Kind.ACTION_TYPE: "a definition of an action type is not reverted: `history` has its earlier versions, "
    "and `registerActionType` puts one of them in force",
    Kind.REGISTRY_PROPOSAL: "a proposal is not reverted, because its review is a record of who decided: "
    "withdraw it with `withdrawRegistryProposal`, and submit a new one",
}
"""Why records of the other kinds with versions cannot be reverted, and what to do instead."""


async def _refusal(tx: Tx, caller: Caller, uid: str, kind: Kind | None) -> NotFound | InvalidInput:
    """Return why a record without a reverter is not reverted; nothing of a record that is not readable."""
    if kind in _INSTEAD and await store.list_versions(tx, caller, uid, before=2, limit=1):
        return InvalidInput(_INSTEAD[kind], field="id")
    return NotFound("no such goal, pending action, question or story", field="id")
