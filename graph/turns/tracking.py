"""The use case that tracks a call of a tool, and evaluates the observations that it brings.

The observations are stored in the transaction of the call. Their evaluation has transactions of its own, as
for `addObservations`: the call stays recorded if it fails.

    the database refuses, or takes too long   the call is kept as a part of its turn that failed, in a second
                                              transaction; it is tried again some times at once, and then by
                                              the next commit of the space, each time whole or not at all
    the database is away                      nothing can be kept: the caller is told, and the turn can go on
    the input is wrong                        the caller is told
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.errors import OutcomeUnknown, PrefrontalError, TimedOut, Unavailable
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.sessions.membership import enter
from prefrontal.graph.storage.related import PageOf
from prefrontal.graph.turns import commit_events as events
from prefrontal.graph.turns import store
from prefrontal.graph.turns.commit_record import CallStore, CommitTurn, PendingCommit, StoreStatus
from prefrontal.graph.turns.parts import Part

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.record import Change, Trace
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.tools.record import Invocation, TrackToolInvocation
    from prefrontal.graph.tools.service import ToolService
    from prefrontal.graph.turns.commit import FollowUp
    from prefrontal.graph.turns.recovery import CommitRecovery

log = structlog.get_logger(__name__)

_GOES_ON = (
    "the call was not recorded and nothing was written. The turn can go on: send the call again with its "
    "clientKey, or give it to commitTurn"
)


@dataclass(frozen=True, slots=True)
class TrackedCall:
    """A call of a tool that was tracked."""

    invocation: Invocation | None
    """None if it could not be stored yet; then it is kept and tried again."""
    created: bool
    """Whether it was new."""
    evaluations: tuple[Any, ...] = ()
    """The decisions about its observations, oldest first."""


class ToolTracking:
    """Tracks calls of tools with the observations that they bring."""

    def __init__(
        self,
        changes: ChangeWriter,
        tools: ToolService,
        recovery: CommitRecovery,
        *,
        follow_up: FollowUp,
        doubts: Callable[[Sequence[Observation]], Sequence[Trace]] | None,
    ) -> None:
        """Store the use cases.

        `follow_up` evaluates observations; `doubts` returns the trace entries of new ones that can found no
        goal.
        """
        self._changes = changes
        self._tools = tools
        self._recovery = recovery
        self._follow_up = follow_up
        self._doubts = doubts

    async def track(self, caller: Caller, command: TrackToolInvocation) -> TrackedCall:
        """Record a call as `ToolService.track` does, and evaluate its observations.

        A repeated call has the same answer, as long as nobody has changed its observations. A call that the
        database does not take although it answers is kept, and has no invocation yet.

        Raises:
            Unavailable: If the database is away; nothing is kept.
            PrefrontalError: What `ToolService.track` raises.
        """
        earlier = None
        if command.idempotency_key is not None:
            earlier = await self._changes.earlier(caller, command)
        if earlier is not None and "kept" in earlier:
            return await self._kept(caller, earlier)
        try:
            done = await self._tools.track(caller, command, also=self._doubts)
        except OutcomeUnknown:
            raise
        except Unavailable as error:
            raise Unavailable(f"{error.message}; {_GOES_ON}") from error
        except TimedOut as error:
            return await self._keep(caller, command, error.code, error)
        except PrefrontalError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the call must not be lost
            return await self._keep(caller, command, type(error).__name__, error)
        return await self._evaluated(caller, done.invocation, done.observations, done.turn, new=done.created)

    async def _keep(
        self, caller: Caller, command: TrackToolInvocation, code: str, cause: Exception
    ) -> TrackedCall:
        """Keep a call that could not be stored, and try it again at once."""
        # The message of an error could contain content, and the name of the tool is the client's.
        log.error("invocation_not_recorded", code=code, org=caller.org_key)

        async def work(tx: Tx, now: datetime) -> Change:
            turn = await enter(tx, caller, command.session_id, command.turn_id, now)
            uid = new_id(Kind.TOOL_INVOCATION, now)
            call = self._tools.storable(command)
            part = Part(
                command=CommitTurn(turn_id=turn.handle, tool_invocations=(call,)),
                kept=(),
                began_at=now,
                completed_at=now,
                invocations=(uid,),
            )
            pending = PendingCommit(
                uid=new_id(Kind.PENDING_COMMIT, now),
                scope_id=caller.home,
                turn_uid=turn.uid,
                turn_id=turn.handle,
                store=CallStore.EXECUTION_LOG,
                status=StoreStatus.PENDING,
                attempts=1,
                code=code,
                payload=part.payload(CallStore.EXECUTION_LOG, caller.home),
                created_at=now,
                updated_at=now,
                by_uid=caller.actor_id,
            )
            await store.store_failed_part(tx, caller, pending)
            change = events.kept(pending, code)
            said = {"invocation": uid, "turn": turn.handle}
            return change.model_copy(update={"result": change.result | said})

        try:
            result = await self._changes.run(caller, command, work, checked=True)
        except Unavailable as error:
            raise Unavailable(f"{error.message}; {_GOES_ON}") from cause
        await self._recovery.retry(caller, [result["kept"]])
        return await self._kept(caller, result)

    async def _kept(self, caller: Caller, result: dict[str, Any]) -> TrackedCall:
        """Return what became of a call that was kept."""
        uid = result["invocation"]
        found = (await self._tools.get(caller, [uid])).get(uid)
        if found is None:
            return TrackedCall(None, created=True)
        page = PageOf(uid, self._tools.most_observations)
        pages = await self._tools.observations.pages(caller, [page])
        brought = tuple(pages[page].items) if page in pages else ()
        return await self._evaluated(caller, found, brought, result["turn"], new=True)

    async def _evaluated(
        self,
        caller: Caller,
        invocation: Invocation,
        observations: Sequence[Observation],
        turn: str,
        *,
        new: bool,
    ) -> TrackedCall:
        evaluations: tuple[Any, ...] = ()
        if observations:
            evaluations = await self._follow_up(
                caller, observations, turn_id=turn, idempotency_key=_key_of(invocation, observations)
            )
        return TrackedCall(invocation, new, evaluations)


def _key_of(invocation: Invocation, observations: Sequence[Observation]) -> str:
    """Return the key of an evaluation: it is repeated if the observations are as they were."""
    states = [invocation.uid, *(f"{each.uid} {each.version} {each.status.value}" for each in observations)]
    return hashlib.sha256("\n".join(states).encode()).hexdigest()
