"""Use cases across sessions: items of an earlier session are offered to another one (source 002, §4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.embedding.embeddings import Vectors
from prefrontal.graph.errors import Forbidden, IllegalTransition, InvalidInput, NotFound
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.sessions import correlation_store as store
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.correlation_record import BridgeResult, UnfinishedItem
from prefrontal.graph.sessions.events import devices_linked
from prefrontal.graph.sessions.record import (
    BridgeSession,
    ItemContent,
    LinkSessions,
    SessionStatus,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.sessions.service import update_of
from prefrontal.graph.sessions.update import HAS_ENDED
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.sessions.correlation_service import SessionCorrelations
    from prefrontal.graph.sessions.service import SessionService
    from prefrontal.graph.storage.unit_of_work import Tx

SOURCE = "bridge"
"""The source of an item that came from an earlier session."""


class SessionBridging:
    """Offers items of one session to another one, and says whether devices are linked."""

    def __init__(
        self,
        catalog: Catalog,
        changes: ChangeWriter,
        embeddings: Embeddings,
        sessions: SessionService,
        correlations: SessionCorrelations,
        access_log: AccessLog,
    ) -> None:
        self._catalog = catalog
        self._changes = changes
        self._embeddings = embeddings
        self._sessions = sessions
        self._correlations = correlations
        self._access_log = access_log

    async def bridge(self, caller: Caller, command: BridgeSession) -> BridgeResult:
        """Offer items of an earlier session to another one; each goes through the usual admission.

        Items are memories: a text that lived in the earlier session alone went with it.

        Raises:
            InvalidInput: If a field is not valid, or both are the same session.
            NotFound: If a session is unknown or not the caller's, or an item is none that it left unfinished.
            IllegalTransition: If the session that gets the items has ended.
        """
        log = self._access_log
        with (
            log.access(caller, AccessOperation.BRIDGE, command.session_id) as to,
            log.access(caller, AccessOperation.BRIDGE, command.from_session_id) as earlier,
        ):
            result = await self._bridge(caller, command)
            for access in (to, earlier):
                access.note_items(each["item_id"] for each in result["updates"])
        found = await self._sessions.present(caller, result["session"])
        return BridgeResult(
            session=found, updates=tuple(update_of(None, found, each) for each in result["updates"])
        )

    async def _bridge(self, caller: Caller, command: BridgeSession) -> dict[str, Any]:
        require(caller, Permission.WRITE)
        raise_all(limit_problems(command, self._catalog.limits))
        # Memories have their vectors: only the name of the encoder is needed.
        vectors = Vectors(self._embeddings.encoder, {})

        async def work(tx: Tx, now: datetime) -> Change:
            most = self._catalog.correlation.shown
            left = await store.find_unfinished(
                tx, caller, command.session_id, command.from_session_id, most, now
            )
            if left is None:
                raise NotFound("you do not have both of these sessions", field="fromSessionId")
            if left.is_same:
                raise InvalidInput("this is the session that gets the items", field="fromSessionId")
            if left.status is SessionStatus.ENDED:
                raise IllegalTransition(HAS_ENDED, field="sessionId")
            changes: list[Change] = []
            for item in _chosen(left.items, command.item_ids):
                offered = UpdateWorkingMemory(
                    session_id=left.session,
                    operation=WorkingMemoryOperation.ADD,
                    content=ItemContent(
                        item_id=item.memory_uid,
                        content_type=item.content_type,
                        entities=item.entities or None,
                        source=SOURCE,
                    ),
                    turn_id=command.turn_id,
                )
                _, change = await self._sessions.apply_in(tx, caller, offered, vectors, now)
                changes.append(change)
            result = {"session": left.session, "updates": [change.result for change in changes]}
            return merged(changes, result)

        return await self._changes.run(caller, command, work, checked=True)

    async def link(self, caller: Caller, command: LinkSessions) -> bool:
        """Say whether the caller's sessions on different devices may be related; return what holds now.

        Raises:
            Forbidden: If the caller may not write to its own space any more.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            version = await store.link_devices(
                tx, caller, across=command.across_devices, since=self._correlations.since(now), now=now
            )
            if version is None:
                raise Forbidden("you may not write to your own space any more")
            return devices_linked(caller.session_space, version, command)

        return bool((await self._changes.run(caller, command, work))["across_devices"])


def _chosen(left: list[UnfinishedItem], wanted: tuple[str, ...] | None) -> list[UnfinishedItem]:
    """Return the items that are wanted, the most salient first.

    Raises:
        NotFound: If one of them is not there.
    """
    if wanted is None:
        return left
    known = {name for item in left for name in (item.item_id, item.memory_uid)}
    if any(name not in known for name in wanted):
        raise NotFound("the earlier session left no such item unfinished", field="itemIds")
    return [item for item in left if item.item_id in wanted or item.memory_uid in wanted]
