"""Records that have versions: found, locked and changed in the same way in every domain.

A domain names its queries, each with these parameters and results:

    find            uids, readable, grantees         one row: items
    lock            uids, readable, grantees, now    one row: items, locked in the order of their ids
    update          rows, writable, grantees         one row: written
    by_client_key   scope_id, client_key, writable, grantees
                                                     at most one row: uid

Without shared writes, `update` and `by_client_key` have no `grantees`. Where a record can be a person's own,
`find`, `lock` and `update` take `people`. Each row of an update has the properties of the record and those of
its next version.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from prefrontal.graph.errors import Forbidden
from prefrontal.graph.history.rows import version_row
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.record import Record
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

R = TypeVar("R", bound=Record)


class Repository(Generic[R]):
    """Finds, locks and changes the records of one kind; each change is stored with its version."""

    def __init__(
        self,
        mapper: RecordMapper[R],
        noun: str,
        *,
        caption: str,
        find: str,
        lock: str,
        update: str,
        by_client_key: str = "",
        kind: Kind | None = None,
        shared_writes: bool = True,
        own: bool = False,
        unversioned: Iterable[str] = (),
    ) -> None:
        """Store the names of the queries.

        Args:
            mapper: Turns rows into records and back.
            noun: What a record is called in messages, e.g. `goal`.
            caption: The field that is the caption of the node in Neo4j Browser.
            find: The query that finds records by their ids.
            lock: The query that locks records and returns them.
            update: The query that stores changed records and their versions.
            by_client_key: The query that finds the id of the record with a client key.
            kind: The kind of the records' ids; `lock` does not look up ids of another form.
            shared_writes: Whether a share of a record may allow its actor to change the record.
            own: Whether records may be a person's own wherever they lie: the queries take `people`.
            unversioned: The fields that versions leave out.
        """
        self.noun = noun
        self._mapper, self._caption = mapper, caption
        self._find, self._lock, self._update, self._by_client_key = find, lock, update, by_client_key
        self._kind, self._shared_writes, self._unversioned = kind, shared_writes, frozenset(unversioned)
        self._own = own

    async def find(self, tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, R]:
        """Return the readable records among some ids, by id."""
        row = await tx.one(self._find, uids=list(uids), **self._people(caller), **caller.reads)
        return {item["uid"]: self._mapper.record(item) for item in row["items"]}

    async def lock(self, tx: Tx, caller: Caller, uids: Iterable[str], now: datetime) -> dict[str, R]:
        """Lock the readable records among some ids, in order of their ids, and return them by id."""
        known = {uid for uid in uids if self._kind is None or kind_of(uid) is self._kind}
        row = await tx.one(self._lock, uids=sorted(known), now=now, **self._people(caller), **caller.reads)
        return {item["uid"]: self._mapper.record(item) for item in row["items"]}

    async def update(
        self,
        tx: Tx,
        caller: Caller,
        changes: Sequence[tuple[R, R, Mapping[str, Any]]],
        *,
        turn_id: str | None,
    ) -> None:
        """Store changed records, each with its next version.

        Each change is a tuple: the record before, the record after, and further changes that the version
        records.

        Raises:
            Forbidden: If the caller may no longer change one of the records.
        """
        rows = [
            {
                "properties": self.properties(after),
                "version": self.version(caller, before, after, turn_id, more),
            }
            for before, after, more in changes
        ]
        row = await tx.one(self._update, rows=rows, **self._people(caller), **self._spaces(caller))
        if row["written"] != len(rows):
            # The exception rolls back the whole transaction.
            raise Forbidden(f"you may not change this {self.noun} any more")

    async def find_by_client_key(self, tx: Tx, caller: Caller, scope_id: str, client_key: str) -> str | None:
        """Return the id of the record with a client key in a writable space, or None."""
        row = await tx.optional(
            self._by_client_key, scope_id=scope_id, client_key=client_key, **self._spaces(caller)
        )
        return str(row["uid"]) if row else None

    def version(
        self,
        caller: Caller,
        before: R | None,
        after: Any,
        turn_id: str | None,
        more: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the properties of the version of a record: the changed fields, and `more`."""
        changes = changed_fields(before, after) | dict(more or {})
        stored = {name: value for name, value in changes.items() if name not in self._unversioned}
        return version_row(
            caller,
            of_uid=after.uid,
            number=after.version,
            scope_id=after.scope_id,
            caption=getattr(after, self._caption),
            changes=json.dumps(stored, ensure_ascii=False, sort_keys=True),
            at=after.updated_at,
            turn_id=turn_id,
        )

    def properties(self, record: R) -> dict[str, Any]:
        """Return the properties of a record's node, with its caption."""
        return self._mapper.properties(record) | {"name": short_name(getattr(record, self._caption))}

    def record(self, row: Row) -> R:
        return self._mapper.record(row)

    def _people(self, caller: Caller) -> dict[str, Any]:
        return {"people": caller.people} if self._own else {}

    def _spaces(self, caller: Caller) -> dict[str, Any]:
        params = caller.writes
        return {name: params[name] for name in params if self._shared_writes or name != "grantees"}
