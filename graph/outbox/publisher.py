"""The publisher: sends each event that readers may go by to a message broker, at least once.

cursor      the consumer `nats` of each organisation: the broker has all events up to its place
a round     reads the next events of some organisations, sends them, and then moves the cursors in the
            transaction that checks the lease of the job: another process cannot have moved them meanwhile
order       an event is sent once the one before it about the same record has arrived; those of other
            records are under way beside it. So the order of each record is kept, whatever fails
twice       what arrived before a process died is sent again, and the broker recognises it by its id
refused     an event that the broker will not take is tried again some times; then it becomes a dead
            letter, and those behind it go on
away        while the broker is not reached nothing moves. Commits and the relay know nothing of it
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.errors import NotFound, Unavailable
from prefrontal.graph.outbox import store
from prefrontal.graph.outbox.broker import Away, Message, Refusal
from prefrontal.graph.outbox.cloud_event import cloud_event_json
from prefrontal.graph.outbox.record import DeadLetter, ReplayResult, UnpublishedBacklog
from prefrontal.graph.outbox.rules import Progress, chains, progress, subject_of

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.outbox_tables import OutboxTable
    from prefrontal.graph.outbox.broker import Broker
    from prefrontal.graph.outbox.record import PublishedEvent, Undelivered
    from prefrontal.graph.outbox.signal import Signal
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

CONSUMER = "nats"
"""The name of the publisher's consumer in each organisation."""


class Round:
    """What a round has sent."""

    def __init__(self) -> None:
        self.sent = 0
        self.refused = 0
        self.away = False
        self.rows: list[tuple[str, Progress]] = []
        self.last_org = ""
        self.more = False

    @property
    def dead(self) -> int:
        """How many events became dead letters."""
        return sum(len(made.dead) for _, made in self.rows)


class Publisher:
    """Publishes events."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        table: OutboxTable,
        broker: Broker,
        *,
        prefix: str,
        signal: Signal,
    ) -> None:
        """Store the parts.

        Args:
            database: The database.
            clock: The source of the current time.
            table: The sizes of a round, and the number of attempts.
            broker: Where events go.
            prefix: What every subject begins with.
            signal: Set when readers may go further.
        """
        self._database = database
        self._clock = clock
        self._table = table.publish
        self._most = table.most_counted
        self._broker = broker
        self._prefix = prefix
        self.signal = signal
        self._after = ""
        self._away_until: datetime | None = None
        self._resting: dict[str, datetime] = {}
        self._arrived: dict[str, frozenset[str]] = {}

    async def backlog(self) -> UnpublishedBacklog:
        """Return what the broker lacks."""

        async def work(tx: Tx) -> UnpublishedBacklog:
            return await store.measure_unpublished(tx, CONSUMER, self._most)

        return await self._database.read(work)

    def is_resting(self, now: datetime) -> bool:
        """Return whether the broker was away a moment ago."""
        return self._away_until is not None and now < self._away_until

    async def send_round(self) -> Round:
        """Send the next events of a batch of organisations, and return how that went.

        Whoever calls stores the result with `store_in` in a transaction that checks its lease.
        """
        now = self._clock.now()
        self._resting = {org_id: until for org_id, until in self._resting.items() if now < until}

        async def work(tx: Tx) -> list[Undelivered]:
            return await store.find_unpublished(
                tx,
                CONSUMER,
                after=self._after,
                resting=self._resting,
                organisations=self._table.organisations,
                page=self._table.page,
            )

        owed = await self._database.read(work)
        done = Round()
        outcomes = await self._send(owed, done)
        for each in owed:
            done.rows.append((each.org_id, self._progress(each, outcomes, now)))
        full = len(owed) == self._table.organisations
        done.last_org = owed[-1].org_id if full else ""
        done.more = not done.away and (full or bool(self._after) or any(map(self._has_more, done.rows, owed)))
        self._note(done, now)
        return done

    async def store_in(self, tx: Tx, done: Round, now: datetime) -> None:
        """Store how far the broker has the events, inside a transaction."""
        if done.rows:
            await store.move_publisher(tx, CONSUMER, done.rows, now)

    def round_committed(self, done: Round) -> None:
        """Go on with the next organisations: the round is committed."""
        self._after = done.last_org
        for org_id, made in done.rows:
            for uid, seq, attempts, reason in made.dead:
                log.error("dead_letter", uid=uid, seq=seq, org=org_id, attempts=attempts, reason=reason)

    async def replay(
        self, uid: str | None, on_progress: Callable[[int, int], None] | None = None
    ) -> ReplayResult:
        """Send dead letters again, oldest first; those that the broker takes are dead no longer.

        Args:
            uid: The id of one event; None for all dead letters.
            on_progress: Called with how many were tried, and how many there are.

        Raises:
            NotFound: If the event is no dead letter.
            Unavailable: If the broker is not reached; those that were sent before stay sent.
        """
        sent = refused = 0
        after = ""
        total = (await self.backlog()).dead if uid is None else 1
        while letters := await self._letters(after, uid):
            for letter in letters:
                try:
                    await self._broker.send(self._message(letter.event, letter.org_key))
                    reason = None
                    sent += 1
                except Refusal as refusal:
                    reason = str(refusal)
                    refused += 1
                except Away as away:
                    raise Unavailable(
                        f"the broker is not reached ({away}); {sent} were sent, the others are as they were"
                    ) from away
                await self._end(letter.event.uid, reason)
                if on_progress is not None:
                    on_progress(sent + refused, total)
            after = letters[-1].event.uid
        if uid is not None and not sent + refused:
            raise NotFound("there is no dead letter with this id", field="id")
        return ReplayResult(sent=sent, refused=refused)

    async def close(self) -> None:
        """End the connection to the broker."""
        await self._broker.close()

    async def _letters(self, after: str, uid: str | None) -> list[DeadLetter]:
        async def work(tx: Tx) -> list[DeadLetter]:
            return await store.list_dead_letters(tx, after=after, uid=uid, limit=self._table.page)

        return await self._database.read(work)

    async def _end(self, uid: str, reason: str | None) -> None:
        now = self._clock.now()

        async def work(tx: Tx) -> None:
            await store.end_dead_letter(tx, uid, reason, now)

        await self._database.write(work)

    async def _send(self, owed: Sequence[Undelivered], done: Round) -> dict[str, str | None]:
        """Send events and return the outcomes: by id None for those that arrived, else why not."""
        outcomes: dict[str, str | None] = {}
        pending = asyncio.Semaphore(self._table.pending)

        async def follow(chain: Sequence[PublishedEvent], each: Undelivered) -> None:
            arrived = self._arrived.get(each.org_id, frozenset())
            for event in chain:
                if event.uid in arrived:
                    outcomes[event.uid] = None
                    continue
                async with pending:
                    if not await self._offer(event, each, done, outcomes):
                        return

        # A round that takes too long stops, whatever is under way: the lease may have ended.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._table.round_seconds), asyncio.TaskGroup() as group:
                for each in owed:
                    for chain in chains(each.events):
                        group.create_task(follow(chain, each))
        return outcomes

    async def _offer(
        self, event: PublishedEvent, each: Undelivered, done: Round, outcomes: dict[str, str | None]
    ) -> bool:
        """Send an event, note the outcome, and return whether the next one about its record may be sent."""
        if done.away:
            return False
        try:
            await self._broker.send(self._message(event, each.org_key))
        except Refusal as refusal:
            outcomes[event.uid] = str(refusal)
            done.refused += 1
            # Only as a dead letter it lets the next one go.
            return self._tried(each, event.uid) >= self._table.attempts
        except Away as away:
            done.away = True
            self._lost(str(away))
            return False
        outcomes[event.uid] = None
        done.sent += 1
        return True

    def _tried(self, each: Undelivered, uid: str) -> int:
        """Return how often the broker has refused an event, with this time."""
        return 1 + (each.attempts if each.failing == uid else 0)

    def _progress(self, each: Undelivered, outcomes: dict[str, str | None], now: datetime) -> Progress:
        made = progress(
            each.events,
            outcomes,
            seq=each.seq,
            end=each.head if len(each.events) < self._table.page else None,
            failing=each.failing,
            attempts=each.attempts,
            most=self._table.attempts,
        )
        if made.failing is not None:
            self._resting[each.org_id] = now + timedelta(seconds=self._table.retry_seconds)
        # What arrived behind the place is not sent again by this process.
        arrived = {
            event.uid for event in each.events if event.seq > made.seq and outcomes.get(event.uid, "") is None
        }
        self._arrived.pop(each.org_id, None)
        if arrived:
            self._arrived[each.org_id] = frozenset(arrived)
        return made

    def _has_more(self, row: tuple[str, Progress], each: Undelivered) -> bool:
        return row[1].failing is None and row[1].seq < each.head

    def _lost(self, reason: str) -> None:
        if self._away_until is None:
            # Said once, until it is back.
            self._away_until = self._clock.now()
            log.warning("broker_away", reason=reason)

    def _note(self, done: Round, now: datetime) -> None:
        if done.away:
            self._away_until = now + timedelta(seconds=self._table.retry_seconds)
        elif done.sent and self._away_until is not None:
            self._away_until = None
            log.info("broker_back")

    def _message(self, event: PublishedEvent, org_key: str) -> Message:
        return Message(
            uid=event.uid,
            seq=event.seq,
            subject=event.subject,
            topic=subject_of(self._prefix, org_key, event.type.value),
            payload=cloud_event_json(event),
        )
