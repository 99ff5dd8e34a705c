"""The use case of reverting: a record gets the content of an earlier version, as a new version.

Each kind of record has its own reverter, which decides what can be reverted.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.record import Revert, RevertWarning
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import Change
from prefrontal.graph.validation import raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Tx


class Reverter(Protocol):
    """Reverts records of one kind."""

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Revert a record inside a transaction; return the change.

        The result of the change has the record's new `version`, and the `warnings`.
        """


class RevertService:
    """Reverts goals, pending actions, questions and stories to earlier versions."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter, reverters: Mapping[Kind, Reverter]) -> None:
        """Store the registry, the change writer and the reverter of each kind of record."""
        self._catalog = catalog
        self._changes = changes
        self._reverters = reverters

    async def revert(
        self,
        caller: Caller,
        uid: str,
        number: int,
        *,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[int, tuple[RevertWarning, ...]]:
        """Revert a record to an earlier version.

        A record that already has the content of that version stays unchanged and gets no new version.

        Returns:
            The record's version after the revert, and warnings about what was not undone.

        Raises:
            NotFound: If the record or the version is unknown or not readable, or records of this kind cannot
                be reverted.
            Forbidden: If the caller may read the record but not write to it.
            VersionConflict: If the record has another version than `expected_version`.
            Conflict: If later changes build on what would be undone; `problems` has each reason.
            OwnerViolation: If an agent would undo or repeat something that only a user may do.
        """
        require(caller, Permission.WRITE)
        raise_all(text_problems(turn_id, "turnId", self._catalog.limits.key_characters))
        kind = kind_of(uid)
        reverter = self._reverters.get(kind) if kind is not None else None
        if reverter is None:
            raise NotFound("no such goal, pending action, question or story", field="id")

        async def work(tx: Tx, now: datetime) -> Change:
            asked = Revert(uid=uid, number=number, expected_version=expected_version, turn_id=turn_id)
            change = await reverter.revert_in(tx, caller, asked, now)
            return change.model_copy(update={"turns": (turn_id,) if turn_id else ()})

        result = await self._changes.write(
            caller,
            work,
            operation="revert",
            body=[uid, number, expected_version, turn_id],
            idempotency_key=idempotency_key,
        )
        warnings = tuple(RevertWarning.model_validate(item) for item in result["warnings"])
        return int(result["version"]), warnings
