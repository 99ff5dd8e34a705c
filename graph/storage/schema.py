"""Schema migrations: numbered files under `cypher/schema/`, each applied once, under a lock.

The lock is a lease. It expires when its process dies, and is renewed while its process works or waits for
an index, however long that takes.

A migration is a file `NNNN_name.cypher` of statements that end in a semicolon at the end of a line.
Each statement is idempotent (`IF NOT EXISTS`), so after a crash half-way the next start completes the
migration. An applied file is never edited: its checksum is stored and compared. One exception: a file that
did not finish everywhere is mended, and names the checksum of what it was before in a line
`// formerly: CHECKSUM, why`; where that was applied it is not applied again.

A migration may have a step in Python, for data that Cypher cannot compute. The step runs after the
statements and is idempotent too; the migration is recorded after it.

A database without a finished migration has no data of ours. It gets only the indexes and constraints of the
newest schema, waits for them once, and records all migrations together. One by one they take longer, and a
newcomer waits for them at the first start.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.errors import MigrationError, PrefrontalError, Unavailable, cause_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

_FILE = re.compile(r"^(\d{4})_[a-z0-9_]+\.cypher$")
CHANGES_SCHEMA = re.compile(
    r"(?:CYPHER 25 )?(CREATE|DROP)(?: FULLTEXT| VECTOR)? (?:INDEX|CONSTRAINT) (\w+) IF (?:NOT )?EXISTS"
)
"""A statement of a migration that changes the schema: CREATE or DROP, and the name of what."""
_FORMERLY = re.compile(r"^// formerly: ([0-9a-f]{64}), \S", re.MULTILINE)
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
    step: Callable[[Database], Awaitable[None]] | None = None
    """What runs after the statements."""
    formerly: frozenset[str] = frozenset()
    """The checksums of what the file was before it was mended."""


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
        formerly = frozenset(_FORMERLY.findall(source))
        found.append(Migration(int(match[1]), path.stem, digest, statements, formerly=formerly))
    numbers = [m.number for m in found]
    if numbers != list(range(1, len(found) + 1)):
        raise MigrationError(f"{folder / 'schema'}: numbers must run from 0001 without a gap, got {numbers}")
    return tuple(found)


async def applied_migrations(database: Database, *, timeout_s: float = _PATIENCE_S) -> dict[int, str]:
    """Return the checksums of the applied migrations, by migration number."""

    async def work(tx: Tx) -> dict[int, str]:
        row = await tx.one("storage/list_migrations")
        return {item["number"]: item["checksum"] for item in row["items"]}

    return await database.read(work, timeout_s=timeout_s)


async def migrate(
    database: Database,
    migrations: tuple[Migration, ...],
    clock: Clock,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[str]:
    """Bring the schema up to date and return the names of the migrations applied now.

    Several processes may call this at once: one applies, the others wait for it.

    Raises:
        MigrationError: If an applied file was edited, the database's schema is newer than this code, or an
            index could not be built.
        Unavailable: If the database does not answer or cannot be written.
    """
    pending = pending_of(migrations, await applied_migrations(database))
    if not pending:
        return []
    async with _locked(database, clock):
        applied = await applied_migrations(database)
        pending = pending_of(migrations, applied)
        # Together where nobody can have stored anything.
        groups = [[each] for each in pending] if applied else [on_a_new_database(pending)]
        done = 0
        for group in groups:
            for migration in group:
                if progress:
                    progress(done, len(pending), migration.name)
                for statement in migration.statements:
                    await database.implicit(statement)
                done += 1
            await database.implicit(AWAIT_INDEXES)
            for migration in group:
                if migration.step is not None:
                    await migration.step(database)
            await _record(database, group, clock)
    await _check_indexes(database)
    return [migration.name for migration in pending]


def on_a_new_database(migrations: Sequence[Migration]) -> list[Migration]:
    """Return the migrations with what a database without data needs of their statements.

    These are the statements that create an index or a constraint which no later statement drops. What
    changes data begins with `MATCH`, and finds nothing there.
    """
    lasting: dict[str, str] = {}
    for migration in migrations:
        for statement in migration.statements:
            if change := CHANGES_SCHEMA.match(statement):
                verb, name = change.groups()
                lasting.pop(name, None)
                if verb == "CREATE":
                    lasting[name] = statement
    kept = set(lasting.values())
    return [
        replace(each, statements=tuple(statement for statement in each.statements if statement in kept))
        for each in migrations
    ]


def pending_of(migrations: tuple[Migration, ...], applied: dict[int, str]) -> list[Migration]:
    """Return the migrations that are not applied yet, ordered by number.

    Raises:
        MigrationError: If the database's schema is newer than this code, or an applied file was edited.
    """
    newest = max(applied, default=0)
    if newest > len(migrations):
        raise MigrationError(
            f"the database has schema {newest:04d}, this code knows {len(migrations):04d}: "
            "it was used by a newer version; update this one"
        )
    for migration in migrations:
        known = {migration.checksum, *migration.formerly}
        if applied.get(migration.number, migration.checksum) not in known:
            raise MigrationError(
                f"{migration.name}.cypher was edited after it had been applied; "
                "restore it and put the change into a new migration"
            )
    return [m for m in migrations if m.number not in applied]


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


async def _record(database: Database, migrations: Sequence[Migration], clock: Clock) -> None:
    rows = [{"number": each.number, "name": each.name, "checksum": each.checksum} for each in migrations]

    async def work(tx: Tx) -> None:
        await tx.execute("storage/record_migrations", rows=rows, now=clock.now())

    await database.write(work, timeout_s=_PATIENCE_S)


async def _check_indexes(database: Database) -> None:
    rows = await database.implicit(
        "SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN name, state"
    )
    if rows:
        names = ", ".join(f"{row['name']} {row['state']}" for row in rows)
        raise MigrationError(f"indexes are not online: {names}")
