"""Database access of exports and imports of organisations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from prefrontal.graph.storage.schema import AWAIT_INDEXES
from prefrontal.graph.transfer.record import Encoders, Header

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx

PATIENCE_S = 60.0
"""How long one statement may take that nobody waits for."""
READING_S = 4 * 3600.0
"""How long an organisation may be read."""


async def encoders(tx: Tx) -> Encoders:
    """Return whose vectors the database has."""
    row = await tx.optional("embedding/find_slots")
    return Encoders() if row is None else Encoders(serving=row["serving"], a=row["a"], b=row["b"])


async def count(tx: Tx, org_id: str) -> tuple[int, int]:
    """Return how many nodes an organisation has, and how many of them have no id."""
    row = await tx.one("transfer/count_nodes", org_id=org_id)
    return int(row["number"]), int(row["nameless"])


def nodes(tx: Tx, org_id: str, after: str) -> AsyncIterator[Row]:
    """Return the nodes of an organisation behind an id, in the order of ids, with their relationships."""
    return tx.stream("transfer/list_nodes", org_id=org_id, after=after)


async def find(tx: Tx, header: Header) -> tuple[set[str], Mapping[str, Any] | None]:
    """Return the ids of the organisations with the id or the key of a file, and how far its import is."""
    row = await tx.one("transfer/find_organisation", org_id=header.id, org_key=header.key)
    return set(row["uids"]), row["marker"]


async def find_taken(tx: Tx, org_id: str, uids: Sequence[str]) -> list[str]:
    """Return the first ones of some ids that other organisations have."""
    return list((await tx.one("transfer/find_taken", org_id=org_id, uids=list(uids), most=100))["uids"])


async def begin(database: Database, header: Header, sha256: str) -> Row | None:
    """Note that an import has begun, unless it has; return the checksum of its file and how far it is.

    None if the organisation is there.
    """

    async def work(tx: Tx) -> Row | None:
        return await tx.optional("transfer/begin_import", org_id=header.id, sha256=sha256)

    return await database.write(work, timeout_s=PATIENCE_S)


async def make_index(database: Database) -> None:
    """Make the index of what is being imported: nothing has its label at other times."""
    try:
        await database.implicit("CREATE INDEX importing_uid IF NOT EXISTS FOR (n:Importing) ON (n.uid)")
    except Exception as error:
        # Two processes that make it at once both find that it is not there.
        if "EquivalentSchemaRuleAlreadyExists" not in str(getattr(error, "code", "")):
            raise
    await database.implicit(AWAIT_INDEXES)


async def drop_index(database: Database) -> None:
    """Drop the index of what is being imported."""
    await database.implicit("DROP INDEX importing_uid IF EXISTS")


async def undo(tx: Tx, org_id: str, before: int, batch: int) -> int | None:
    """Delete a batch of what an import has written; return how many, None if another process goes on with it.

    `before` is how far the import is; -1 once it is being undone.
    """
    row = await tx.optional("transfer/undo_import", org_id=org_id, before=before, batch=batch)
    return None if row is None else int(row["deleted"])


async def write_nodes(tx: Tx, header: Header, rows: Sequence[Any], before: int, done: int) -> int | None:
    """Create nodes without their labels; return how many, None if another process imports the file."""
    row = await tx.optional("transfer/write_nodes", org_id=header.id, rows=rows, before=before, done=done)
    return None if row is None else int(row["written"])


async def write_links(tx: Tx, header: Header, rows: Sequence[Any], before: int, done: int) -> int | None:
    """Create relationships; return how many, None if another process imports the file."""
    row = await tx.optional("transfer/write_links", org_id=header.id, rows=rows, before=before, done=done)
    return None if row is None else int(row["written"])


async def write_labels(tx: Tx, header: Header, rows: Sequence[Any], before: int, done: int) -> int | None:
    """Give nodes their labels; return how many, None if another process imports the file."""
    slots = header.encoders
    row = await tx.optional(
        "transfer/write_labels",
        org_id=header.id,
        rows=rows,
        before=before,
        done=done,
        serving=slots.serving,
        slot_a=slots.a,
        slot_b=slots.b,
    )
    return None if row is None else int(row["written"])


async def count_written(tx: Tx, org_id: str) -> tuple[int, int]:
    """Return how many nodes and relationships an import has written and not shown yet."""
    row = await tx.one("transfer/count_written", org_id=org_id)
    return int(row["nodes"]), int(row["links"])


async def finish(database: Database, org_id: str) -> None:
    """Show an imported organisation."""

    async def work(tx: Tx) -> None:
        await tx.execute("transfer/finish_import", org_id=org_id)

    await database.write(work, timeout_s=PATIENCE_S)
    await drop_index(database)
