"""The change writer: every write that a caller requests goes through it.

A change is one transaction: claim the idempotency key, do the work, append the journal, commit. With an
idempotency key the change happens exactly once, however often the client sends the request. Without a key an
unknown commit outcome is reported to the client as an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import Conflict, Duplicate, OutcomeUnknown, TimedOut, Unavailable, cause_of
from prefrontal.graph.journal import store
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.commits import COMMITS
from prefrontal.graph.journal.quota import Quota
from prefrontal.graph.journal.record import Change, PriorResult
from prefrontal.graph.journal.request_key import REQUEST_KEY
from prefrontal.graph.validation import raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.errors import InvalidInput
    from prefrontal.graph.journal.command import Command
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

Work = Callable[["Tx", datetime], Awaitable[Change]]


class ChangeWriter:
    """Runs writing units of work, each together with its journal and its idempotency key."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        *,
        on_change: Callable[[Change], None] | None = None,
        quota: Quota | None = None,
    ) -> None:
        self._on_change = on_change
        self._quota = quota or Quota()
        self._database = database
        self._clock = clock
        self._catalog = catalog

    async def write(
        self,
        caller: Caller,
        work: Work,
        *,
        operation: str,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Run `work` and append its journal in one transaction; return the result of the change.

        If the key was used before with the same operation and body, the first result is returned: `work` is
        not run and nothing is written.

        Args:
            caller: The caller that makes the change.
            work: The unit of work. It gets the transaction and the time of the change, and may run several
                times because the driver retries transactions.
            operation: The name of the use case. A key is valid for one operation only.
            body: The JSON-able input of the use case. A key is valid for one body only.
            idempotency_key: 1 to 200 characters chosen by the client, kept for 7 days.

        Raises:
            Conflict: If the key was used with another operation or body.
            InvalidInput: If the key is empty or too long.
            OutcomeUnknown: If it is unknown whether the transaction was committed. With a key this is raised
                only after a second attempt has failed too.
            Unavailable: If the database cannot be reached or refuses to write.
            TimedOut: If the transaction takes longer than its time limit.
            QuotaExceeded: If the organisation would have more records than it may; nothing was written.
        """
        key = _checked(idempotency_key, self._catalog.limits.key_characters)
        digest = digest_of(operation, body) if key is not None else ""
        now = self._clock.now()

        written: list[Change] = []

        async def attempt(tx: Tx) -> dict[str, Any]:
            written.clear()
            if key is not None:
                days = self._catalog.retention.request_days
                claim = await store.claim(tx, caller, key, digest, now, days)
                if not claim["mine"]:
                    return _earlier(claim, digest)
            token = REQUEST_KEY.set(key)
            try:
                change = await work(tx, now)
            finally:
                REQUEST_KEY.reset(token)
            self._quota.check(caller, change)
            await store.append(tx, caller, change, now, request_key=key)
            written.append(change)
            return change.result

        try:
            result = await self._once_more_if_unknown(attempt, operation, again=key is not None)
        except (Unavailable, TimedOut) as error:
            # The log entry says which operation failed, why and for which caller, but contains no content.
            log.error(  # noqa: TRY400 - a traceback could contain content
                "change_failed",
                operation=operation,
                code=error.code,
                cause=cause_of(error),
                org=caller.org_key,
                actor=caller.actor_id,
            )
            raise
        commits = COMMITS.get()
        # A result that was found by its key, so that the work was not run, is one that an earlier call wrote.
        if commits is not None and (not written or written[0].writes):
            commits.number += 1
        for change in written:
            self._quota.stored(caller, change)
            if self._on_change is not None:
                self._on_change(change)
        return result

    async def run(
        self,
        caller: Caller,
        command: Command,
        work: Work,
        *,
        problems: Sequence[InvalidInput] = (),
        checked: bool = False,
        once_more_if_duplicate: bool = False,
    ) -> dict[str, Any]:
        """Check a command, then run `work` for it as `write` does; return the result of the change.

        The caller needs the permission to write. The operation, the body and the idempotency key are those
        of the command.

        Args:
            caller: The caller that makes the change.
            command: The command.
            work: The unit of work.
            problems: Further problems of the command that the use case has found.
            checked: Whether the use case has checked the permission and the limits itself, because it read
                or decided something before it called.
            once_more_if_duplicate: Run the work again if another transaction created a node with the same
                client key meanwhile; the second run finds that node.

        Raises:
            Forbidden: If no role of the caller allows it to write.
            InvalidInput: If a field is empty or too long, or if there are `problems`.
            Conflict: If the idempotency key was used with another command.
            Duplicate: If a client key is taken, and still is when the work was run again.
        """
        if not checked:
            require(caller, Permission.WRITE)
            raise_all([*limit_problems(command, self._catalog.limits), *problems])
        body = command.body

        async def write() -> dict[str, Any]:
            return await self.write(
                caller,
                work,
                operation=command.operation_name,
                body=body,
                idempotency_key=command.idempotency_key,
            )

        try:
            return await write()
        except Duplicate:
            if not once_more_if_duplicate:
                raise
            return await write()

    async def earlier(self, caller: Caller, command: Command) -> dict[str, Any] | None:
        """Return the result of an earlier call with the command's idempotency key; None if there is none.

        For a use case that writes before its change: it writes nothing for a call that has had its answer.

        Raises:
            Conflict: If the key was used with another command.
            InvalidInput: If the key is empty or too long.
        """
        key = _checked(command.idempotency_key, self._catalog.limits.key_characters)
        if key is None:
            return None
        now = self._clock.now()
        claim = await self._database.read(lambda tx: store.find_claim(tx, caller, key, now))
        return None if claim is None else _earlier(claim, digest_of(command.operation_name, command.body))

    async def claim_in(
        self, tx: Tx, caller: Caller, hashes: Mapping[str, str], now: datetime
    ) -> dict[str, PriorResult]:
        """Claim idempotency keys for parts of a change, inside the transaction of the change.

        Put the result of each new part into `requests` of the returned `Change`; a later claim of its key
        then returns that result. A part may also be done again and replace its earlier result: its key is
        locked until the commit.

        Args:
            tx: The transaction of the change.
            caller: The caller that makes the change.
            hashes: By key, the hash of the part's input.
            now: The time of the change.

        Returns:
            By key, the stored body hash and result of every key that was claimed before.
        """
        return await store.claim_many(tx, caller, hashes, now, self._catalog.retention.request_days)

    async def _once_more_if_unknown(
        self, attempt: Callable[[Tx], Awaitable[dict[str, Any]]], operation: str, *, again: bool
    ) -> dict[str, Any]:
        try:
            return await self._database.write(attempt)
        except OutcomeUnknown as error:
            log.warning("commit_outcome_unknown", operation=operation, tried_again=again)
            if not again:
                raise
            try:
                # The second attempt finds the key claimed if the first attempt was committed.
                return await self._database.write(attempt)
            except (Unavailable, TimedOut) as second:
                # The second attempt wrote nothing, but the outcome of the first attempt is still unknown.
                raise error from second


def _checked(key: str | None, most: int) -> str | None:
    raise_all(text_problems(key, "idempotencyKey", most))
    return key


def digest_of(operation: str, body: Any) -> str:
    """Return the SHA-256 hash, in hexadecimal, of an operation's name and its JSON-able input.

    The hash shows whether a reused idempotency key belongs to the same request.
    """
    text = json.dumps([operation, body], sort_keys=True, default=str, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _earlier(claim: dict[str, Any], digest: str) -> dict[str, Any]:
    if claim["body_hash"] != digest:
        raise Conflict(
            "this idempotencyKey was used with another input; use a new key for a new request",
            field="idempotencyKey",
        )
    result: dict[str, Any] = json.loads(claim["result"])
    return result
