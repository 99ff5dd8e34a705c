"""Use cases of related sessions: they are compared when they change, listed, and forgotten after a while."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Caller, Permission, require
from prefrontal.graph.sessions import correlation_store as store
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.correlation import Correlation, Digest, correlation_of, digest_of
from prefrontal.graph.sessions.digest import ItemNames, about
from prefrontal.graph.sessions.record import Session, SessionStatus
from prefrontal.graph.sessions.themes import themes_of
from prefrontal.graph.storage.paging import checked_first
from prefrontal.graph.text.words import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.sessions.correlation_record import SessionCorrelation
    from prefrontal.graph.sessions.digest import AboutName
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class SessionCorrelations:
    """Compares sessions with those of the same person, or agent, that ended shortly before they started."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        embeddings: Embeddings,
        access_log: AccessLog,
    ) -> None:
        self._database = database
        self._clock = clock
        self._table = catalog.correlation
        self._themes = catalog.coherence.themes
        self._stop_words = stems_of(catalog.goals.topics.stop_words)
        self._embeddings = embeddings
        self._access_log = access_log

    @property
    def lookback(self) -> timedelta:
        """How long before its start a session is compared with others."""
        return timedelta(hours=self._table.max_lookback_hours)

    def since(self, start: datetime) -> datetime:
        """Return when a session started at the earliest that one is compared with that started at a time."""
        return start - self.lookback - timedelta(hours=self._table.longest_session_hours)

    async def related(
        self, caller: Caller, session: str, first: int | None = None, *, only_earlier: bool = False
    ) -> list[SessionCorrelation]:
        """Return how a session of the caller, by its id or its key, is related to others, the most first.

        An unknown session is related to none. `only_earlier` leaves out those that started later.

        Raises:
            InvalidInput: If the number is not valid.
        """
        wanted = AccessOperation.GET_CORRELATIONS
        with self._access_log.access(caller, wanted, session) as access:
            require(caller, Permission.READ)
            limit, now = checked_first(first), self._clock.now()
            found = await self._database.read(
                lambda tx: store.list_correlations(
                    tx, caller, session, limit, self._table.shown, now, only_earlier=only_earlier
                )
            )
            if found is None:
                access.finds_nothing()
                return []
        for each in found:
            # The other session is seen, too.
            self._access_log.note(
                caller, wanted, each.session.uid, (item.item_id for item in each.unfinished)
            )
        return found

    async def compare_in(
        self, tx: Tx, caller: Caller, session: Session, items: Sequence[ItemNames], now: datetime
    ) -> None:
        """Write what a locked session is about, and how it is related to others."""
        names = await self._write_digest(tx, caller, session, items, now)
        digest = digest_of(
            session.uid,
            ((each.name, each.entity, each.theme) for each in names),
            session.created_at,
            session.ended_at,
        )
        await self._compare(tx, session, digest, self._embeddings.encoder, now)

    async def keep_in(self, tx: Tx, caller: Caller, session: Session, now: datetime) -> None:
        """Keep what a session that ends is about until the look-back is over. It still holds its items."""
        found = await store.lock(tx, session.uid, now)
        if found is not None and session.ended_at is not None:
            await self._write_digest(
                tx, caller, found.session, found.items, now, until=session.ended_at + self.lookback
            )

    async def compare_due_in(self, tx: Tx, now: datetime, batch: int) -> int:
        """Compare up to `batch` sessions of all organisations that changed; return how many."""
        due = await store.list_uncorrelated(tx, batch, now)
        # Sorted, so that two processes lock the sessions in the same order.
        for row in sorted(due, key=lambda each: str(each["uid"])):
            await self.compare_now_in(tx, row["org_id"], row["uid"], now)
        return len(due)

    async def compare_now_in(self, tx: Tx, org_id: str, uid: str, now: datetime) -> None:
        """Compare a session of an organisation, by its id, unless what it was about is gone."""
        found = await store.lock(tx, uid, now)
        if found is None:
            return
        if found.session.status is SessionStatus.ENDED:
            if found.is_kept:
                await self._compare(tx, found.session, found.digest, found.encoder, now)
            return
        # No client asked for it, so the organisation itself is the actor.
        owner = Caller.organisation(org_id, [found.session.scope_id])
        await self.compare_in(tx, owner, found.session, found.items, now)

    async def expire_in(self, tx: Tx, now: datetime, batch: int) -> int:
        """Delete what sessions were about once the look-back is over; return how many there were."""
        return await store.expire_digests(tx, batch, now)

    async def _write_digest(
        self,
        tx: Tx,
        caller: Caller,
        session: Session,
        items: Sequence[ItemNames],
        now: datetime,
        *,
        until: datetime | None = None,
    ) -> list[AboutName]:
        names = about(items, session.dominant_themes) if items else self._intended(session)
        await store.write_digest(
            tx,
            caller,
            session,
            names,
            now,
            encoder=self._embeddings.encoder,
            until=until,
            is_empty=not items,
        )
        return names

    async def _compare(
        self, tx: Tx, session: Session, digest: Digest, encoder: str | None, now: datetime
    ) -> None:
        since = self.since(session.created_at)
        candidates = await store.find_correlated(tx, session, since, self._table)
        await store.write_correlations(tx, session, self._related(session, digest, encoder, candidates), now)

    def _related(
        self, session: Session, digest: Digest, encoder: str | None, candidates: Iterable[store.Candidate]
    ) -> list[tuple[Correlation, str, bool]]:
        """Return the relations of a session, each with the other one and whether that is the later."""
        related: list[tuple[Correlation, str, bool]] = []
        for other in candidates:
            is_later = other.digest.uid > digest.uid
            later, earlier = (other.digest, digest) if is_later else (digest, other.digest)
            # A session that goes on is compared on its own device alone (decision G-089).
            if earlier.ended_at is None and other.device_id != session.device_id:
                continue
            found = correlation_of(later, earlier, other.cosine, self._table, encoder=encoder)
            if found is not None:
                related.append((found, other.digest.uid, is_later))
        return related

    def _intended(self, session: Session) -> list[AboutName]:
        """Return what a session without items is about: its focus, and the themes of its task."""
        words = themes_of(
            session.task or "",
            (),
            self._themes.per_item,
            stop_words=self._stop_words,
            least_rarity=self._themes.least_rarity,
        )
        return about([ItemNames(session.focus, (), is_fragment=True)], (*session.focus, *words))
