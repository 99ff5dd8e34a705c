"""The use case of the audit log: which actor changed which record, when, and in which turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.history import store
from prefrontal.graph.history.record import AuditEntry, AuditFilter
from prefrontal.graph.history.rules import fields_of, operations_of, remarks_of
from prefrontal.graph.ids import Kind, floor_id, kind_of
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.validation import raise_all, require_zone

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_NEWEST = f"{Kind.OUTBOX_EVENT.value}_~"
"""Sorts after the id of every event."""


class AuditService:
    """Lists the changes of records that the caller may read."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        self._database = database
        self._catalog = catalog

    async def page(
        self, caller: Caller, wanted: AuditFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[AuditEntry]:
        """Return a page of the changes that match a filter, newest first.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        raise_all(self._problems(wanted))
        operations = operations_of(wanted.kind, wanted.operation or ())
        if operations is not None and not operations:
            # Records of this kind have none of the wanted operations.
            return Page(items=(), cursors=(), has_next=False)
        narrowed = wanted.model_copy(update={"operation": operations})
        event = Kind.OUTBOX_EVENT
        bounds = [*start_of(after, _NEWEST)]
        if wanted.until is not None:
            # Ids are exact to the millisecond only, so this bound includes the whole millisecond of `until`.
            # The query compares the exact times.
            bounds.append(floor_id(event, wanted.until) + "~")
        since = floor_id(event, wanted.since) if wanted.since is not None else ""

        async def work(tx: Tx) -> tuple[AuditEntry, ...]:
            found = await store.list_audit(
                tx, caller, narrowed, since_uid=since, before_uid=min(bounds), limit=limit + 1
            )
            named = {uid for entry in found for uid in entry.evidence}
            readable = await store.find_readable(tx, caller, named) if named else frozenset()
            return tuple(_visible(entry, readable) for entry in found)

        found = await self._database.read(work)
        return page_of(found, limit, lambda entry: (entry.uid,))

    def _problems(self, wanted: AuditFilter) -> list[InvalidInput]:
        problems = limit_problems(wanted, self._catalog.limits, "filter")
        for name, time in (("since", wanted.since), ("until", wanted.until)):
            if time is not None:
                require_zone(time, f"filter.{name}")
        if wanted.kind is not None and not operations_of(wanted.kind, ()):
            problems.append(InvalidInput("no such kind of record", field="filter.kind"))
        return problems


def _visible(entry: AuditEntry, readable: frozenset[str]) -> AuditEntry:
    kind = kind_of(entry.entity_id)
    remarks = remarks_of(kind.value if kind else "")
    return entry.model_copy(
        update={
            "fields": fields_of(entry.operation, entry.fields, remarks),
            "evidence": tuple(uid for uid in entry.evidence if uid in readable),
        }
    )
