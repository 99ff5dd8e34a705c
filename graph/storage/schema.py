"""Schema migrations: numbered files under `cypher/schema/`, each applied once, under a lock.

The lock is a lease. It expires when its process dies, and is renewed while its process works or waits for
an index, however long that takes.

A migration is a file `NNNN_name.cypher` of statements that end in a semicolon at the end of a line.
Each statement is idempotent (`IF NOT EXISTS`), so after a crash half-way the next start completes the
migration. An applied file is never edited: its checksum is stored and compared.

A migration may have a step in Python, for data that Cypher cannot compute. The step runs after the
statements and is idempotent too; the migration is recorded after it.

The first migration is the baseline: a database with the migrations from before it is adopted or refused
(`graph/storage/baseline.py`).
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.errors import MigrationError, PrefrontalError, Unavailable, cause_of
from prefrontal.graph.storage.baseline import AppliedMigration, is_former, require_adoptable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

_FILE = re.compile(r"^(\d{4})_[a-z0-9_]+\.cypher$")
_LOCK_SECONDS = 120
_RENEW_SECONDS = 30.0
"""A quarter of the lease: three renewals may fail before the lease expires."""
_WAIT_SECONDS = 0.25
# The first statements after a server start take seconds, even simple ones.
_PATIENCE_S = 60.0
AWAIT_INDEXES = "CALL db.awaitIndexes(86400)"
"""Waits for a day at most until every index is built: that of very many vectors takes long."""
# The lock needs these two constraints, so they are created before the lock is taken; both are idempotent.
_FOUNDATION = (
    "CREATE CONSTRAINT lease_name IF NOT EXISTS FOR (n:Lease) REQUIRE n.name IS UNIQUE",
    "CREATE CONSTRAINT migration_number IF NOT EXISTS FOR (n:Migration) REQUIRE n.number IS UNIQUE",
)


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of schema statements."""

    number: int
    name: str
    checksum: str
    statements: tuple[str, ...]
    step: Callable[[], Awaitable[None]] | None = None
    """What runs after the statements."""


def load_migrations(folder: Path) -> tuple[Migration, ...]:
    """Return the migrations in `folder/schema`, ordered by number.

    Raises:
        MigrationError: If a file is badly named or the numbers have a gap.
    """
    found: list[Migration] = []
    for path in sorted((folder / "schema").glob("*.cypher")):
        match = _FILE.match(path.name)
        if not match:
            raise MigrationError(f"{path}: a migration is named NNNN_name.cypher")
        source = path.read_text(encoding="utf-8")
        code = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
        statements = tuple(s.strip() for s in re.split(r";\s*(?:\n|$)", code) if s.strip())
        digest = hashlib.sha256(source.encode()).hexdigest()
        found.append(Migration(int(match[1]), path.stem, digest, statements))
    numbers = [m.number for m in found]
    if numbers != list(range(1, len(found) + 1)):
        raise MigrationError(f"{folder / 'schema'}: numbers must run from 0001 without a gap, got {numbers}")
    return tuple(found)


async def applied_migrations(
    database: Database, *, timeout_s: float = _PATIENCE_S
) -> tuple[AppliedMigration, ...]:
    """Return the applied migrations, ordered by number."""
    return await database.read(_applied, timeout_s=timeout_s)


async def _applied(tx: Tx) -> tuple[AppliedMigration, ...]:
    row = await tx.one("storage/list_migrations")
    return tuple(sorted(AppliedMigration(**item) for item in row["items"]))


async def migrate(
    database: Database,
    migrations: tuple[Migration, ...],
    clock: Clock,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[str]:
    """Bring the schema up to date and return the names of the migrations applied now.

    A database with all migrations from before the baseline gets the record of the baseline in their place.
    Several processes may call this at once: one applies, the others wait for it.

    Raises:
        MigrationError: If an applied file was edited, the database's schema is newer than this code or
            from before the baseline and cannot be adopted, or an index could not be built.
        Unavailable: If the database does not answer or cannot be written.
    """
    pending = pending_of(migrations, await applied_migrations(database))
    if not pending:
        return []
    async with _locked(database, clock):
        await _adopt(database, migrations[0], clock)
        pending = pending_of(migrations, await applied_migrations(database))
        for done, migration in enumerate(pending):
            if progress:
                progress(done, len(pending), migration.name)
            for statement in migration.statements:
                await database.implicit(statement)
            await database.implicit(AWAIT_INDEXES)
            if migration.step is not None:
                await migration.step()
            await database.write(partial(_record, migration=migration, clock=clock), timeout_s=_PATIENCE_S)
    await _check_indexes(database)
    return [migration.name for migration in pending]


def pending_of(migrations: tuple[Migration, ...], applied: Sequence[AppliedMigration]) -> list[Migration]:
    """Return the migrations that are not recorded yet, ordered by number.

    Raises:
        MigrationError: If the database's schema is newer than this code or from before the baseline and
            cannot be adopted, or an applied file was edited.
    """
    if is_former(applied):
        require_adoptable(applied)
        return list(migrations)
    checksums = {each.number: each.checksum for each in applied}
    newest = max(checksums, default=0)
    if newest > len(migrations):
        raise MigrationError(
            f"the database has schema {newest:04d}, this code knows {len(migrations):04d}: "
            "it was used by a newer version; update this one"
        )
    for migration in migrations:
        if checksums.get(migration.number, migration.checksum) != migration.checksum:
            raise MigrationError(
                f"{migration.name}.cypher was edited after it had been applied; "
                "restore it and put the change into a new migration"
            )
    return [m for m in migrations if m.number not in checksums]


async def _adopt(database: Database, baseline: Migration, clock: Clock) -> None:
    """Record the baseline in place of the migrations from before it, if the database has these."""

    async def work(tx: Tx) -> bool:
        applied = await _applied(tx)
        if not is_former(applied):
            return False
        require_adoptable(applied)
        await tx.execute("storage/delete_migrations", rows=[each._asdict() for each in applied])
        await _record(tx, baseline, clock)
        return True

    if await database.write(work, timeout_s=_PATIENCE_S):
        log.info("baseline_adopted")


@asynccontextmanager
async def _locked(database: Database, clock: Clock) -> AsyncIterator[None]:
    """Wait for the migration lock, then hold and renew it until the block ends."""
    owner = secrets.token_hex(8)
    try:
        for statement in _FOUNDATION:
            await database.implicit(statement)
        while not await _lock(database, clock, owner):  # noqa: ASYNC110 - no event: another process holds it
            await asyncio.sleep(_WAIT_SECONDS)
    except Unavailable as error:
        raise Unavailable(f"the schema cannot be brought up to date: {error.message}") from error
    done = asyncio.Event()
    renewing = asyncio.create_task(_renew(database, clock, owner, done))
    try:
        yield
    finally:
        # Not cancelled: a renewal in flight would acquire the lock again after its release.
        done.set()
        await renewing
        await _unlock(database, owner)


async def _renew(database: Database, clock: Clock, owner: str, done: asyncio.Event) -> None:
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(_RENEW_SECONDS):
                await done.wait()
        if done.is_set():
            return
        try:
            held = await _lock(database, clock, owner)
        except PrefrontalError as error:
            log.warning("migration_lock_not_renewed", code=error.code, cause=cause_of(error))
        else:
            if not held:
                # Another process took over. It can only repeat this one's statements, and all are idempotent.
                log.warning("migration_lock_lost")


async def _lock(database: Database, clock: Clock, owner: str) -> bool:
    """Acquire or renew the lock; return False while another process holds it."""

    async def work(tx: Tx) -> bool:
        now = clock.now()
        row = await tx.one(
            "storage/acquire_lease", name="schema", owner=owner, now=now, seconds=_LOCK_SECONDS
        )
        return bool(row["owner"] == owner)

    return await database.write(work, timeout_s=_PATIENCE_S)


async def _unlock(database: Database, owner: str) -> None:
    async def work(tx: Tx) -> None:
        await tx.execute("storage/release_lease", name="schema", owner=owner)

    await database.write(work, timeout_s=_PATIENCE_S)


async def _record(tx: Tx, migration: Migration, clock: Clock) -> None:
    row = {"number": migration.number, "name": migration.name, "checksum": migration.checksum}
    await tx.execute("storage/record_migrations", rows=[row], now=clock.now())


async def _check_indexes(database: Database) -> None:
    rows = await database.implicit(
        "SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN name, state"
    )
    if rows:
        names = ", ".join(f"{row['name']} {row['state']}" for row in rows)
        raise MigrationError(f"indexes are not online: {names}")
