"""Changes the graph: the one way to write for a caller.

A change is one transaction: claim the idempotency key, do the work, append the journal, commit. With a
key the whole happens exactly once, however often it is sent; without one the caller is told when the
outcome is unknown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from graph.checks import raise_all, text_problems
from graph.errors import Conflict, OutcomeUnknown, TimedOut, Unavailable, cause_of
from graph.journal import store
from graph.journal.record import Change

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.catalog import Catalog
    from graph.clock import Clock
    from graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

Work = Callable[["Tx", datetime], Awaitable[Change]]


class ChangeWriter:
    """Runs units of work that write, each with its journal and its request."""

    def __init__(self, database: Database, clock: Clock, catalog: Catalog) -> None:
        """Take the database, the time and the retention of requests."""
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
        digest = _digest(operation, body) if key is not None else ""
        now = self._clock.now()

        async def attempt(tx: Tx) -> dict[str, Any]:
            if key is not None:
                days = self._catalog.retention.request_days
                claim = await store.claim(tx, caller, key, digest, now, days)
                if not claim["mine"]:
                    return _earlier(claim, digest)
            change = await work(tx, now)
            await store.append(tx, caller, change, now, request_key=key)
            return change.result

        try:
            return await self._once_more_if_unknown(attempt, operation, again=key is not None)
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
            except Unavailable as second:
                # The second wrote nothing, but the first may have: nobody knows still.
                raise error from second


def _checked(key: str | None, most: int) -> str | None:
    if key is not None:
        raise_all(text_problems(key, "idempotencyKey", most))
    return key


def _digest(operation: str, body: Any) -> str:
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
