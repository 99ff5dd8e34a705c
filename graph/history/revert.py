"""The use case that takes a record back to an earlier version, as a new one.

What may be taken back is decided where the record lives: each kind has a reverter of its own.
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
    """Takes records of one kind back."""

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Give a record the content of the version asked for inside a transaction.

        The result of the change has the `version` that the record has then, and `warnings`.
        """


class RevertService:
    """Takes goals, pending actions, questions and stories back to earlier versions."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter, reverters: Mapping[Kind, Reverter]) -> None:
        """Take who reverts which kind."""
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
        """Give a record the content of an earlier version; return its version then and what was not undone.

        A record that has that content already gets no version.

        Raises:
            NotFound: The record or the version is unknown, not readable, or of a kind that is not taken back.
            Forbidden: It is readable but not writable.
            VersionConflict: It has another version than expected.
            Conflict: Others have built on what would be undone; each reason is in `problems`.
            OwnerViolation: An agent would undo or repeat what only a user may do.
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
