"""Use cases of summaries: compacting an organisation's logs, and reading what was summarised.

Goals are summarised when that is due, milestones and completions are told once, and the trace entries of
actions that were put away long ago are replaced by a summary of each. Versions, events and evidence stay, so
what is open, the audit log and every way back are as they were. What is written is found again the next time,
so a run that was killed goes on where it ended, and one after the other writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import NotFound
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.paging import MOST_FIRST
from prefrontal.graph.summaries import store
from prefrontal.graph.summaries.record import ActionLog, Compacted, GoalLog, LogEntry, Summary, SummaryKind
from prefrontal.graph.summaries.rules import (
    action_refs,
    is_due,
    log_sentences,
    narratives_of,
    refs_of,
    sentences_of,
)

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.text.summary import Summariser

Progress = Callable[[str, int], None]


class SummaryService:
    """Summarises goals and logs."""

    def __init__(self, database: Database, clock: Clock, catalog: Catalog, summariser: Summariser) -> None:
        """Take what the use cases need, and what makes short texts of long ones."""
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._summariser = summariser

    async def of_goals(self, caller: Caller, goal_ids: Sequence[str]) -> dict[str, tuple[Summary, ...]]:
        """Return the readable summaries of each goal and of its actions, newest first, 100 at most."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, list[Summary]]:
            return await store.of_goals(tx, caller, goal_ids, MOST_FIRST)

        return {uid: tuple(found) for uid, found in (await self._database.read(work)).items()}

    async def compact(
        self, org_key: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Compacted:
        """Summarise an organisation's goals and compact its old logs; return what was done.

        Args:
            org_key: The organisation.
            dry_run: Only say what would be done; nothing is written.
            progress: Told what is looked at, and how many of them so far.

        Raises:
            NotFound: There is no such organisation.
        """

        async def look(tx: Tx) -> str | None:
            row = await tx.optional("summaries/find_organisation", org_key=org_key)
            return str(row["uid"]) if row else None

        org_id = await self._database.read(look)
        if org_id is None:
            raise NotFound(f"no such organisation: {org_key}", field="org")
        summaries, narratives = await self._goals(org_id, dry_run=dry_run, progress=progress)
        actions, entries = await self._logs(org_id, dry_run=dry_run, progress=progress)
        return Compacted(summaries=summaries, narratives=narratives, actions=actions, entries=entries)

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
        """Return what is to be told of a goal now."""
        table, now = self._catalog.summaries, self._clock.now()
        wanted: list[tuple[SummaryKind, str, str, int]] = []
        if is_due(log, table.goal_every_turns):
            wanted.append((SummaryKind.MESO, f"v{log.version}", log.title, table.goal_sentences))
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
                    subject, [*earlier, *sentences] if kind is SummaryKind.MACRO else sentences, most
                ),
                refs=refs,
                upto=log.version,
                entries=0,
                created_at=now,
            )
            for kind, label, subject, most in wanted
        ]

    async def _text(self, subject: str, sentences: Sequence[str], most: int) -> str:
        """Return a summary's text, which names what it is about."""
        said = await self._summariser.summarise(subject, sentences, most)
        return f"{subject}: {said}" if said else f"{subject}."

    async def _logs(self, org_id: str, *, dry_run: bool, progress: Progress | None) -> tuple[int, int]:
        table = self._catalog.summaries
        before = self._clock.now() - timedelta(days=table.compact_after_days)
        after, seen, actions, entries = "", 0, 0, 0
        while True:

            async def page(tx: Tx, after: str = after) -> list[tuple[ActionLog, list[LogEntry]]]:
                logs = await store.action_logs(
                    tx, org_id, before=before, after=after, limit=table.batch, most=table.most_entries
                )
                return [(log, await store.log_entries(tx, log)) for log in logs]

            found = await self._database.read(page)
            for log, told in found:
                deleted = len(told) if dry_run else await self._compacted(log, told)
                actions += deleted is not None
                entries += deleted or 0
            seen += len(found)
            if progress and found:
                progress("actions", seen)
            if len(found) < table.batch:
                return actions, entries
            after = found[-1][0].uid

    async def _compacted(self, log: ActionLog, told: Sequence[LogEntry]) -> int | None:
        """Replace an action's log by a summary in one transaction; return how many entries are gone."""
        now = self._clock.now()
        text = await self._text(
            log.title, log_sentences(log, told), self._catalog.summaries.narrative_sentences
        )
        summary = Summary(
            uid=new_id(Kind.SUMMARY, now),
            scope_id=log.scope_id,
            org_id=log.org_id,
            kind=SummaryKind.LOG,
            of_uid=log.uid,
            goal_id=log.goal_id,
            label="log",
            text=text,
            refs=action_refs(log, told),
            upto=log.version,
            entries=len(told),
            created_at=now,
        )

        async def work(tx: Tx) -> int | None:
            await store.create(tx, log.org_id, [summary])
            return await store.compact(tx, log, told, now)

        return await self._database.write(work)
