"""The work of `prefrontal backup` and `restore`: the embedded database into a file, and back."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from rich.markup import escape

from prefrontal.api.cli.console import bar, fail, program, result, waiting
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded import EmbeddedNeo4j, Jars, backup, ensure_jars
from prefrontal.graph.embedded.endpoint import embedded_config, store_home
from prefrontal.graph.embedded.password import has_data, password_file
from prefrontal.graph.errors import (
    Conflict,
    InvalidInput,
    MigrationError,
    NotFound,
    PrefrontalError,
    StoreLocked,
)
from prefrontal.graph.storage.baseline import (
    FORMER_FORMAT,
    LAST_COMMIT,
    LAST_FORMER,
    AppliedMigration,
    is_former,
)
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import applied_migrations, load_migrations, migrate
from prefrontal.graph.wording import counted

_PATIENCE_S = 120.0
_ADMIN_S = 6 * 3600.0
"""How long a dump may take, or a load."""

Counts = tuple[int, int]
T = TypeVar("T")


def make_backup(path: Path, *, as_json: bool) -> None:
    """Back the embedded database up into a file, and print what is in it."""
    try:
        settings = _settings()
        done = _back_up(settings, path.absolute())
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    result(
        done.model_dump(mode="json") | {"file": str(path)},
        f"{counted(done.nodes, 'node')} and {counted(done.relationships, 'relationship')} with schema "
        f"{done.schema_number:04d} are in {escape(str(path))}.\n"
        f"To put them back: {program()} restore {escape(str(path))}",
        as_json=as_json,
    )


def restore(path: Path, *, force: bool, as_json: bool) -> None:
    """Put a checked backup in the place of the embedded database, and print what is there now."""
    try:
        settings = _settings()
        with bar("Checking the backup") as progress:
            manifest = backup.check(path, progress)
        kept, migrated = _restore(settings, path, manifest, force=force)
    except PrefrontalError as error:
        fail(error, as_json=as_json)
    text = (
        f"{counted(manifest.nodes, 'node')} and {counted(manifest.relationships, 'relationship')} of "
        f"{manifest.made_at:%Y-%m-%d %H:%M} UTC are restored."
    )
    if migrated:
        text += (
            f" The schema was {manifest.schema_number:04d}; {counted(len(migrated), 'migration')} applied."
        )
    if kept is not None:
        text += f"\nThe database of before is in {escape(str(kept))}: delete it when you are sure."
    value = {"migrations": migrated, "kept": None if kept is None else str(kept)}
    result(manifest.model_dump(mode="json") | value, f"{text}\nNext: {program()} serve", as_json=as_json)


def _settings() -> Settings:
    settings = load_settings().model_copy(update={"query_timeout_s": _PATIENCE_S})
    configure_logs(settings)
    if settings.neo4j_uri is not None:
        raise InvalidInput(
            "NEO4J_URI names a server that is not started by this program: back it up with `neo4j-admin "
            "database dump`, or copy organisations with `export organisation` and `import organisation`"
        )
    return settings


def _jars(settings: Settings) -> Jars:
    with bar("Fetching Neo4j (once)") as fetched:
        return ensure_jars(settings.cache_dir, progress=fetched)


def _server(settings: Settings, home: Path, jars: Jars) -> EmbeddedNeo4j:
    """Return a server on free ports, which nobody else is told of."""
    config = replace(embedded_config(settings), home=home, bolt_port=0, http_port=0, kit_url=None)
    return EmbeddedNeo4j(config, jars=jars)


def _back_up(settings: Settings, path: Path) -> backup.Manifest:
    home = store_home(settings)
    if path.exists():
        raise Conflict(f"{path} exists: a backup is not written over another file")
    if not path.parent.is_dir():
        raise NotFound(f"there is no folder {path.parent}")
    if not has_data(home):
        raise NotFound(f"there is no database in {home}: PREFRONTAL_DATA_DIR says where it is")
    server = _server(settings, home, _jars(settings))
    with (
        _explain_in_use(),
        server.exclusive(),
        tempfile.TemporaryDirectory(prefix=".backup-", dir=home.parent) as folder,
    ):
        # A server that was killed has left a store that only a start repairs; a dump of it is refused.
        with waiting("Starting Neo4j, to see what there is …"):
            server.start()
        try:
            (nodes, edges), applied = asyncio.run(_look(settings, server))
        finally:
            server.stop()
        with waiting("Dumping the database …"):
            server.administer(
                "database", "dump", settings.neo4j_database, f"--to-path={folder}", timeout_s=_ADMIN_S
            )
        manifest = backup.Manifest(
            version=FORMER_FORMAT if is_former(applied) else backup.FORMAT_VERSION,
            made_at=datetime.now(UTC).replace(microsecond=0),
            neo4j=ensure_jars(settings.cache_dir).version,
            schema_number=max((each.number for each in applied), default=0),
            nodes=nodes,
            relationships=edges,
        )
        with bar("Writing the backup") as progress:
            backup.write(path, manifest, Path(folder, backup.DUMP), progress)
    return manifest


def _restore(
    settings: Settings, path: Path, manifest: backup.Manifest, *, force: bool
) -> tuple[Path | None, list[str]]:
    """Put a checked backup in place; return where the earlier database is, and the migrations applied."""
    known = len(load_migrations(settings.cypher_dir))
    if manifest.version == FORMER_FORMAT:
        if manifest.schema_number != LAST_FORMER:
            raise MigrationError(
                f"the backup has schema {manifest.schema_number:04d} from before the baseline: restore it "
                f"with commit {LAST_COMMIT} of Prefrontal, which brings it to {LAST_FORMER:04d}, and start "
                "this version with what is restored. Nothing was changed"
            )
    elif manifest.schema_number > known:
        raise MigrationError(
            f"the backup has schema {manifest.schema_number:04d}, and this program knows {known:04d}: it was "
            "made by a newer version; update this one. Nothing was changed"
        )
    home = store_home(settings)
    old = _server(settings, home, _jars(settings))
    there = home.exists()
    if has_data(home) and not force:
        raise Conflict(
            f"there is a database in {home}; nothing was changed. --force puts the backup in its place and "
            "keeps it in a folder beside, or set PREFRONTAL_DATA_DIR to another folder"
        )
    with _explain_in_use(), old.exclusive():
        new = home.with_name(f"{home.name}-restoring")
        # What an interrupted restore has left: the database itself was not touched.
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        if password_file(home).exists():
            shutil.copy2(password_file(home), password_file(new))
        migrated = _load(settings, path, manifest, new)
        kept = None
        if there:
            kept = home.with_name(f"{home.name}-before-{datetime.now(UTC):%Y%m%dT%H%M%S}")
            home.replace(kept)
        else:
            # The lock of this restore has made it.
            shutil.rmtree(home)
        new.replace(home)
    return kept, migrated


def _load(settings: Settings, path: Path, manifest: backup.Manifest, home: Path) -> list[str]:
    """Load a backup into an empty folder, compare and migrate it; return the names of the migrations."""
    server = _server(settings, home, _jars(settings))
    with waiting("Loading the database …"), tempfile.TemporaryDirectory(dir=home) as folder:
        backup.unpack(path, Path(folder))
        server.administer(
            "database", "load", settings.neo4j_database, f"--from-path={folder}", timeout_s=_ADMIN_S
        )
    with waiting("Starting Neo4j, to compare it with the backup …"):
        server.start()
    try:
        return asyncio.run(_compare(settings, server, manifest))
    finally:
        server.stop()


async def _look(settings: Settings, server: EmbeddedNeo4j) -> tuple[Counts, tuple[AppliedMigration, ...]]:
    """Return what the database has, and its migrations."""

    async def work(services: Services) -> tuple[Counts, tuple[AppliedMigration, ...]]:
        return await _counts(services), await applied_migrations(services.database)

    return await _with(settings, server, work)


async def _compare(settings: Settings, server: EmbeddedNeo4j, manifest: backup.Manifest) -> list[str]:
    """Compare the database with its backup, and migrate it.

    Raises:
        Conflict: If it has not what the backup says.
        MigrationError: If its schema is newer than this program.
    """

    async def work(services: Services) -> list[str]:
        found, wanted = await _counts(services), (manifest.nodes, manifest.relationships)
        if found != wanted:
            raise Conflict(
                f"the loaded database has {found[0]} nodes and {found[1]} relationships, the backup "
                f"{wanted[0]} and {wanted[1]}: the database of before stays in its place"
            )
        with bar("Bringing the schema up to date") as progress:
            return await migrate(services.database, services.migrations, services.clock, progress)

    return await _with(settings, server, work)


async def _counts(services: Services) -> Counts:
    row = await services.database.read(lambda tx: tx.one("storage/count_everything"))
    return int(row["nodes"]), int(row["relationships"])


async def _with(settings: Settings, server: EmbeddedNeo4j, work: Callable[[Services], Awaitable[T]]) -> T:
    async with connect(settings, server.bolt_uri, server.user, server.password) as driver:
        return await work(build_services(settings, driver))


@contextmanager
def _explain_in_use() -> Iterator[None]:
    """Say how to stop what uses the database."""
    try:
        yield
    except StoreLocked as error:
        raise StoreLocked(
            f"{error.message}. End `{program()} serve`, or run `{program()} db stop`, and try again"
        ) from error
