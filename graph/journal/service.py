"""Changes the graph: the one way to write for a caller.

A change is one transaction: claim the idempotency key, do the work, append the journal, commit. With a
key the whole happens exactly once, however often it is sent; without one the caller is told when the
outcome is unknown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.errors import Conflict, OutcomeUnknown, TimedOut, Unavailable, cause_of
from prefrontal.graph.journal import store
from prefrontal.graph.journal.record import Change, PriorResult
from prefrontal.graph.journal.request_key import REQUEST_KEY
from prefrontal.graph.validation import raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

Work = Callable[["Tx", datetime], Awaitable[Change]]


class ChangeWriter:
    """Runs units of work that write, each with its journal and its request."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        *,
        on_change: Callable[[Change], None] | None = None,
    ) -> None:
        """Take the database, the time, the retention of requests, and who counts what was committed."""
        self._on_change = on_change
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
        """Run `work` with its journal in one transaction and return its result.

        A key that was used before with the same operation and body returns the first result and writes
        nothing; `work` is not run then.

        Args:
            caller: Who changes.
            work: Gets the transaction and the time of the change; may run more than once.
            operation: The use case's name; part of what a key stands for.
            body: The input, JSON-able; part of what a key stands for.
            idempotency_key: 1 to 200 characters chosen by the client, kept for 7 days.

        Raises:
            Conflict: The key was used with another operation or body.
            InvalidInput: The key is empty or too long.
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
            await store.append(tx, caller, change, now, request_key=key)
            written.append(change)
            return change.result

        try:
            result = await self._once_more_if_unknown(attempt, operation, again=key is not None)
        except (Unavailable, TimedOut) as error:
            # For whoever investigates: what failed, why, and for whom, but nothing of what it was about.
            log.error(  # noqa: TRY400 - a traceback could hold content
                "change_failed",
                operation=operation,
                code=error.code,
                cause=cause_of(error),
                org=caller.org_key,
                actor=caller.actor_id,
            )
            raise
        if self._on_change is not None:
            for change in written:
                self._on_change(change)
        return result

    async def claim_in(
        self, tx: Tx, caller: Caller, hashes: Mapping[str, str], now: datetime
    ) -> dict[str, PriorResult]:
        """Claim the keys of parts of a change inside its transaction; return those that were claimed before.

        Each key comes with the hash of what it stands for. The change that is returned for a part that was
        not there before has its result in `requests`, where the next claim finds it.
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
                # The claimed key says whether the first attempt was committed.
                return await self._database.write(attempt)
            except (Unavailable, TimedOut) as second:
                # The second wrote nothing, but the first may have: nobody knows still.
                raise error from second


def _checked(key: str | None, most: int) -> str | None:
    raise_all(text_problems(key, "idempotencyKey", most))
    return key


def digest_of(operation: str, body: Any) -> str:
    """Return what tells one request from another: a hash of the operation and its JSON-able input."""
    text = json.dumps([operation, body], sort_keys=True, default=str, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _earlier(claim: dict[str, Any], digest: str) -> dict[str, Any]:
    if claim["body_hash"] != digest:
        raise Conflict(
            "this idempotencyKey was used with another input; take a new key for a new request",
            field="idempotencyKey",
        )
    result: dict[str, Any] = json.loads(claim["result"])
    return result
