"""Use cases of summaries: compact an organisation's logs, and read the summaries of goals.

A compaction writes the summaries of goals that are due and one narrative per milestone and completion. For
each action that was archived long ago it replaces the trace entries by a summary. Versions, events and
evidence stay, so open work, the audit log and reverts are not affected. Compaction is idempotent: a run that
was killed continues where it stopped, and a second run writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from prefrontal.graph.caller import require_reader
from prefrontal.graph.errors import NotFound
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.summaries import store
from prefrontal.graph.summaries.record import (
    ActionLog,
    CompactionResult,
    GoalLog,
    LogEntry,
    OldLog,
    Summary,
    SummaryKind,
)
from prefrontal.graph.summaries.rules import (
    action_refs,
    figures_of,
    is_due,
    log_sentences,
    narratives_of,
    refs_of,
    sentences_of,
)

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.text.summary import Summariser

Progress = Callable[[str, int], None]


class SummaryService:
    """Summarises goals, and compacts the logs of finished actions."""

    def __init__(self, database: Database, clock: Clock, catalog: Catalog, summariser: Summariser) -> None:
        """Store the database, the clock, the registry and the summariser.

        `of_goals` is the list of the summaries of a goal and of its actions.
        """
        self.of_goals = RelatedReader(database, clock, store.of_goals, require_reader)
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._summariser = summariser

    async def compact(
        self, org_key: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> CompactionResult:
        """Summarise an organisation's goals and compact its old logs.

        Args:
            org_key: The key of the organisation.
            dry_run: Compute the numbers without writing anything.
            progress: Called after each batch with `goals` or `actions` and the number examined so far.

        Returns:
            The numbers of summaries, narratives, compacted actions and deleted log entries.

        Raises:
            NotFound: If there is no such organisation.
        """

        async def look(tx: Tx) -> str | None:
            row = await tx.optional("summaries/find_organisation", org_key=org_key)
            return str(row["uid"]) if row else None

        org_id = await self._database.read(look)
        if org_id is None:
            raise NotFound(f"no such organisation: {org_key}", field="org")
        summaries, narratives = await self._goals(org_id, dry_run=dry_run, progress=progress)
        actions, entries = await self._logs(org_id, dry_run=dry_run, progress=progress)
        return CompactionResult(summaries=summaries, narratives=narratives, actions=actions, entries=entries)

    async def due(self, *, after: str, limit: int) -> tuple[list[Summary], list[str]]:
        """Return the summaries that are due of a page of the goals of all organisations, not stored yet.

        Returns:
            The summaries, and the ids of the goals that were looked at, in order.
        """

        async def page(tx: Tx) -> list[GoalLog]:
            most = self._catalog.summaries.most_entries
            return await store.goal_logs(tx, None, after=after, limit=limit, most=most)

        logs = await self._database.read(page)
        summaries = [summary for log in logs for summary in await self._of_goal(log)]
        return summaries, [log.uid for log in logs]

    async def due_logs(self, *, after: str, limit: int) -> list[OldLog]:
        """Return a page of the old logs of finished actions of all organisations, each with its summary."""
        found = await self._old_logs(None, after=after, limit=limit)
        return [await self._of_log(log, entries) for log, entries in found]

    @staticmethod
    async def write_in(tx: Tx, summaries: Sequence[Summary]) -> int:
        """Store summaries inside a transaction; return the number of those that did not exist yet."""
        by_org = sorted(summaries, key=lambda summary: (summary.org_id, summary.uid))
        made = 0
        for org_id, group in groupby(by_org, key=lambda summary: summary.org_id):
            made += len(await store.create(tx, org_id, list(group)))
        return made

    @staticmethod
    async def compact_in(tx: Tx, old: OldLog, now: datetime) -> int | None:
        """Replace an action's log by its summary inside a transaction.

        Returns:
            The number of deleted entries, or None if the log was compacted before.
        """
        await store.create(tx, old.log.org_id, [old.summary])
        return await store.compact(tx, old.log, old.entries, now)

    async def _goals(self, org_id: str, *, dry_run: bool, progress: Progress | None) -> tuple[int, int]:
        table = self._catalog.summaries
        after, seen, done = "", 0, {SummaryKind.MESO: 0, SummaryKind.MACRO: 0}
        while True:

            async def page(tx: Tx, after: str = after) -> list[GoalLog]:
                return await store.goal_logs(
                    tx, org_id, after=after, limit=table.batch, most=table.most_entries
                )

            logs = await self._database.read(page)
            new = [summary for log in logs for summary in await self._of_goal(log)]
            made = {summary.uid for summary in new} if dry_run else await self._created(org_id, new)
            for summary in new:
                done[summary.kind] += summary.uid in made
            seen += len(logs)
            if progress and logs:
                progress("goals", seen)
            if len(logs) < table.batch:
                return done[SummaryKind.MESO], done[SummaryKind.MACRO]
            after = logs[-1].uid

    async def _created(self, org_id: str, new: Sequence[Summary]) -> set[str]:
        if not new:
            return set()

        async def work(tx: Tx) -> set[str]:
            return set(await store.create(tx, org_id, new))

        return await self._database.write(work)

    async def _of_goal(self, log: GoalLog) -> list[Summary]:
        """Return the summaries and narratives of a goal that are due now, not stored yet."""
        table, now = self._catalog.summaries, self._clock.now()
        # Of a very long log only the first entries were read; the next summary continues there.
        upto = log.versions[-1].number if len(log.versions) == table.most_entries else log.version
        seen = max((v.at for v in log.actions), default=None)
        wanted: list[tuple[SummaryKind, str, str, int]] = []
        if is_due(log, table.goal_every_turns):
            wanted.append((SummaryKind.MESO, f"v{upto}", log.title, table.goal_sentences))
        wanted += [
            (SummaryKind.MACRO, label, subject, table.narrative_sentences)
            for label, subject in narratives_of(log)
        ]
        if not wanted:
            return []
        sentences, refs = sentences_of(log), refs_of(log)
        earlier = [s.text for s in log.summaries if s.kind is SummaryKind.MESO]
        return [
            Summary(
                uid=new_id(Kind.SUMMARY, now),
                scope_id=log.scope_id,
                org_id=log.org_id,
                kind=kind,
                of_uid=log.uid,
                goal_id=log.uid,
                label=label,
                text=await self._text(
                    subject,
                    [*earlier, *sentences] if kind is SummaryKind.MACRO else sentences,
                    most,
                    figures_of(log, now),
                ),
                refs=refs,
                upto=upto,
                entries=0,
                created_at=now,
                seen_until=seen,
            )
            for kind, label, subject, most in wanted
        ]

    async def _text(self, subject: str, sentences: Sequence[str], most: int, figures: str = "") -> str:
        """Return the text of a summary, which begins with its subject and its figures."""
        said = await self._summariser.summarise(subject, sentences, most)
        text = " ".join(part for part in (figures, said) if part)
        return f"{subject}: {text}" if text else f"{subject}."

    async def _logs(self, org_id: str, *, dry_run: bool, progress: Progress | None) -> tuple[int, int]:
        limit = self._catalog.summaries.batch
        after, seen, actions, entries = "", 0, 0, 0
        while True:
            found = await self._old_logs(org_id, after=after, limit=limit)
            for log, entries_of_log in found:
                deleted = len(entries_of_log) if dry_run else await self._compacted(log, entries_of_log)
                actions += deleted is not None
                entries += deleted or 0
            seen += len(found)
            if progress and found:
                progress("actions", seen)
            if len(found) < limit:
                return actions, entries
            after = found[-1][0].uid

    async def _old_logs(
        self, org_id: str | None, *, after: str, limit: int
    ) -> list[tuple[ActionLog, list[LogEntry]]]:
        """Return a page of the logs that are old enough to be compacted."""
        table = self._catalog.summaries
        before = self._clock.now() - timedelta(days=table.compact_after_days)

        async def page(tx: Tx) -> list[tuple[ActionLog, list[LogEntry]]]:
            logs = await store.action_logs(
                tx, org_id, before=before, after=after, limit=limit, most=table.most_entries
            )
            return [(log, await store.log_entries(tx, log)) for log in logs]

        return await self._database.read(page)

    async def _of_log(self, log: ActionLog, entries: Sequence[LogEntry]) -> OldLog:
        """Return a log with its summary, not stored yet."""
        most, now = self._catalog.summaries.narrative_sentences, self._clock.now()
        summary = Summary(
            uid=new_id(Kind.SUMMARY, now),
            scope_id=log.scope_id,
            org_id=log.org_id,
            kind=SummaryKind.LOG,
            of_uid=log.uid,
            goal_id=log.goal_id,
            label="log",
            text=await self._text(log.title, log_sentences(log, entries), most),
            refs=action_refs(log, entries),
            upto=log.version,
            entries=len(entries),
            created_at=now,
        )
        return OldLog(log=log, entries=tuple(entries), summary=summary)

    async def _compacted(self, log: ActionLog, entries: Sequence[LogEntry]) -> int | None:
        """Replace an action's log by a summary in one transaction."""
        old, now = await self._of_log(log, entries), self._clock.now()

        async def work(tx: Tx) -> int | None:
            return await self.compact_in(tx, old, now)

        return await self._database.write(work)
