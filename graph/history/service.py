"""Use cases that read the history: the versions of a record, and its state at a time in the past."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history import store
from prefrontal.graph.history.record import PastState, StoredVersion, VersionEntry
from prefrontal.graph.history.rules import (
    NOTE,
    REVERTED_TO,
    differences,
    fold,
    pointers_in,
    public,
    public_change,
    readable_change,
    references_of,
    remarks_of,
    unfold,
    without_foreign,
)
from prefrontal.graph.ids import kind_of
from prefrontal.graph.storage.paging import Page, checked_first, encode_cursor, start_of
from prefrontal.graph.validation import require_zone

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.history.store import Past, Provenance, Versions
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_FIRST = 2**31
"""Higher than every version number. The first page starts below it."""
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class VersionPage(Page[VersionEntry]):
    """One page of a history, newest first."""

    total: int
    """The number of all versions."""


class HistoryService:
    """Reads the versions and past states of records."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        self._database = database
        self._catalog = catalog

    async def history(
        self, caller: Caller, uid: str, *, first: int | None = None, after: str | None = None
    ) -> VersionPage:
        """Return a page of the versions of a record, newest first.

        Raises:
            NotFound: If the record is unknown or not readable, or records of this kind have no versions.
            InvalidInput: If the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        (before,) = start_of(after, _FIRST)
        _require_id(uid)

        async def work(tx: Tx) -> tuple[list[VersionEntry], int] | None:
            found = await store.list_versions(tx, caller, uid, before=before, limit=limit + 1)
            if found is None:
                return None
            page = list(found.page)
            if found.observed and len(page) <= limit and before > 1:
                page.append((await self._first(tx, caller, uid, found.node.at), found.node))
            return await self._entries(tx, caller, uid, found, page), found.total

        read = await self._database.read(work)
        if read is None:
            raise NotFound("no such record", field="id")
        entries, total = read
        items = tuple(entries[:limit])
        return VersionPage(
            items=items,
            cursors=tuple(encode_cursor(entry.number) for entry in items),
            has_next=len(entries) > limit,
            total=total,
        )

    async def as_of(self, caller: Caller, uid: str, at: datetime) -> PastState | None:
        """Return a record as it was at a time, with the relationships that were in force.

        Returns:
            The past state, or None if the record was created later.

        Raises:
            NotFound: If the record is unknown or not readable, or records of this kind have no versions.
            InvalidInput: If the time has no time zone.
        """
        require(caller, Permission.READ)
        require_zone(at, "at")
        _require_id(uid)

        async def work(tx: Tx) -> tuple[Past, frozenset[str]] | None:
            past = await store.read_as_of(tx, caller, uid, at, self._catalog.goals.lineage.max_nodes)
            if past is None:
                return None
            named = pointers_in(past.now or fold(past.versions))
            return past, await store.find_readable(tx, caller, named) if named else frozenset()

        found = await self._database.read(work)
        if found is None:
            raise NotFound("no such record", field="id")
        past, readable = found
        if past.created[0] > at or (past.now is None and past.last is None):
            return None
        fields = without_foreign(_past_fields(past, at) if past.now else fold(past.versions), readable)
        number, since, by_uid = past.last or (1, *past.created)
        remarks = remarks_of(_kind(uid))
        shown = {name: value for name, value in fields.items() if name not in remarks}
        return PastState(
            uid=uid, version=number, at=since, by_uid=by_uid, fields=public(shown), links=past.links
        )

    async def readable_in(self, tx: Tx, caller: Caller, uids: Iterable[str]) -> frozenset[str]:
        """Return those of some ids that name what the caller may read, inside a transaction.

        They are memories, goals, actions, questions and stories, also shared ones, and spaces.
        """
        return await store.find_readable(tx, caller, uids) | (frozenset(uids) & frozenset(caller.readable))

    async def _first(self, tx: Tx, caller: Caller, uid: str, made: datetime) -> StoredVersion:
        """Return the first version of an observation, rebuilt because it is not stored."""
        past = await store.read_as_of(tx, caller, uid, made - _INSTANT, 1)
        if past is None or past.now is None:
            raise NotFound("no such record", field="id")
        return StoredVersion(number=1, changes=unfold(past.now, past.later))

    async def _entries(
        self,
        tx: Tx,
        caller: Caller,
        uid: str,
        found: Versions,
        page: list[tuple[StoredVersion, Provenance]],
    ) -> list[VersionEntry]:
        named: set[str] = set().union(*(pointers_in(version.changes) for version, _ in page))
        named = named.union(*(pointers_in(version.changes) for version in found.earlier))
        readable = await store.find_readable(tx, caller, named) if named else frozenset()
        remarks = remarks_of(_kind(uid))
        known = fold(found.earlier)
        entries: list[VersionEntry] = []
        for stored, made in reversed(page):
            changes = without_foreign(stored.changes, readable)
            version = stored.model_copy(update={"changes": changes})
            linked = (*found.evidence.get(made.at, ()), *references_of(version, known))
            # Compared before ids are left out: a field that changed is named also if its ids are not.
            changed = [readable_change(each, readable) for each in differences(stored, known, remarks)]
            entries.append(
                VersionEntry(
                    entity_id=uid,
                    number=version.number,
                    at=made.at,
                    by_uid=made.by_uid,
                    turn_id=made.turn_id,
                    changes=tuple(public_change(each) for each in changed),
                    evidence=tuple(dict.fromkeys(linked)),
                    note=changes.get(NOTE),
                    reverted_to=changes.get(REVERTED_TO),
                    request=made.request if made.by_uid == caller.actor_id else None,
                )
            )
            known |= {name: value for name, value in stored.changes.items() if name not in remarks}
        return entries[::-1]


def _require_id(uid: str) -> None:
    if kind_of(uid) is None:
        raise NotFound("no such record", field="id")


def _kind(uid: str) -> str:
    return uid.split("_", 1)[0]


def _past_fields(past: Past, at: datetime) -> dict[str, Any]:
    fields = unfold(past.now or {}, past.later)
    # An active observation past its expiry reads as expired, even before the job has stored that status.
    if fields["status"] == "active" and datetime.fromisoformat(fields["expires_at"]) <= at:
        fields["status"] = "expired"
    return fields
