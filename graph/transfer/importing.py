"""Imports an exported organisation, in bounded transactions that are gone on with after an interruption.

The file is read four times: to check it whole, before anything is written; to create the nodes, which nothing
else finds; to create their relationships; and to give the nodes their labels, by which they are found.
The organisation itself comes last, so nobody sees a part of it.

An import that is refused on its way, or fails, takes back what it has written. One that is interrupted,
because its process ends or the database does not answer, goes on when it is run again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.errors import (
    NOTHING_WRITTEN,
    Conflict,
    Duplicate,
    InvalidInput,
    PrefrontalError,
    TimedOut,
    Unavailable,
    cause_of,
)
from prefrontal.graph.storage.driver import breaks_constraint
from prefrontal.graph.transfer import store
from prefrontal.graph.transfer.json_lines import Line, checked, parse, properties_of
from prefrontal.graph.transfer.record import FileTrailer, Header, ImportResult
from prefrontal.graph.transfer.references import References
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.storage.scopes import ScopeCheck
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

Progress = Callable[[int, int, str], None]
_BATCH = 500
"""How many lines a transaction takes."""
_IDS_PER_QUERY = 50_000
"""How many ids a statement looks for."""
_TAKEN_BACK = 5_000
"""How many nodes a transaction deletes."""
_UNDONE = -1
"""What an import has in place of its line number while what it wrote is being deleted."""
_GONE = "what was written of it is deleted again"
Write = Callable[["Tx", Header, list[Any], int, int], Awaitable[int | None]]


class _ElsewhereError(Exception):
    """Another process has gone on with the import."""


@dataclass(slots=True)
class _Import:
    """An import under way."""

    path: Path
    header: Header
    ending: FileTrailer
    progress: Progress
    done: int = 0
    """How many lines were dealt with, in all three readings that write."""


class OrganisationImport:
    """Brings whole organisations from files."""

    def __init__(self, database: Database, schema_number: int, scopes: ScopeCheck) -> None:
        self._database = database
        self._schema_number = schema_number
        self._scopes = scopes

    async def read(self, path: Path, progress: Progress | None = None) -> ImportResult:
        """Bring an organisation from a file; go on with it if an import of the same file was interrupted.

        Whatever is refused leaves nothing behind.

        Raises:
            InvalidInput: If the file is damaged, was made with another schema, or names what is not its own.
            Duplicate: If there is an organisation with its id or key, or somebody has an id of the file.
            Conflict: If another file of the organisation is being imported, or this one by another process,
                or if something else has changed what was imported.
        """
        try:
            header, ending, references = _check(path, progress or _quiet)
            if header.schema_number != self._schema_number:
                raise InvalidInput(
                    f"the file was made with schema {header.schema_number:04d}, and this database has "
                    f"{self._schema_number:04d}: upgrade the older of the two, and export it again; "
                    f"{NOTHING_WRITTEN}",
                    field="file",
                )
            begun = await self._begin(header, ending, references)
            await self._finish(_Import(path, header, ending, progress or _quiet, begun))
        except OSError as error:
            raise InvalidInput(f"{path}: {error.strerror or error}", field="file") from error
        return ImportResult(
            id=header.id,
            key=header.key,
            nodes=ending.nodes,
            relationships=ending.relationships,
            resumed=begun > 0,
        )

    async def _begin(self, header: Header, ending: FileTrailer, references: References) -> int:
        """Return how many lines were dealt with before; 0 for an import that begins now."""
        uids, marker = await self._database.read(
            lambda tx: store.find(tx, header), timeout_s=store.PATIENCE_S
        )
        if not uids and marker is None:
            await self._require_new(header, references)
        begun = None if uids else await store.begin(self._database, header, ending.sha256)
        if begun is not None and begun["done"] == _UNDONE:
            await self._undo(header.id, _UNDONE)
            begun = await store.begin(self._database, header, ending.sha256)
        if begun is None:
            same = (
                "this organisation"
                if not uids or header.id in uids
                else f"another organisation with the key {header.key!r}"
            )
            raise Duplicate(
                f"the database has {same} already; {NOTHING_WRITTEN}. An import adds to no organisation: "
                "import it into another database"
            )
        if begun["sha256"] != ending.sha256:
            raise Conflict(
                "the import of another file of this organisation was interrupted: run it again to its end"
            )
        return int(begun["done"])

    async def _require_new(self, header: Header, references: References) -> None:
        """Check that nobody has what the file has, and that the file names nothing of others.

        Raises:
            InvalidInput: If the file names something of another organisation.
            Duplicate: If somebody has an id of the file, or there is something of the organisation.
        """
        left, _ = await self._database.read(lambda tx: store.count(tx, header.id), timeout_s=store.READING_S)
        if left:
            raise Duplicate(
                f"the database has {counted(left, 'node')} of this organisation, but not the organisation "
                f"itself; {NOTHING_WRITTEN}. Delete them, or import it into another database"
            )
        uids = iter(references.uids)
        while some := list(islice(uids, _IDS_PER_QUERY)):
            find = partial(store.find_taken, org_id=header.id, uids=some)
            if taken := await self._database.read(find, timeout_s=store.READING_S):
                raise references.taken_error(taken)

    async def _finish(self, run: _Import) -> None:
        """Write what is left of a file and show it, or take everything back."""
        try:
            await store.make_index(self._database)
            await self._write_all(run)
            await store.finish(self._database, run.header.id)
        except _ElsewhereError as error:
            raise Conflict("another process imports this organisation; wait until it is done") from error
        except (Unavailable, TimedOut):
            # It goes on when it is run again.
            raise
        except Exception as failed:
            try:
                await self._undo(run.header.id, run.done)
            except PrefrontalError as error:
                # The next import of the organisation begins with it.
                log.warning("import_not_undone", org=run.header.id, cause=cause_of(error))
            if breaks_constraint(failed):
                raise Duplicate(f"an id or a key of the file exists already; {_GONE}") from failed
            raise
        run.progress(1, 1, "")

    async def _write_all(self, run: _Import) -> None:
        lines_of_each = run.ending.lines
        every = len(_PHASES) * lines_of_each
        for number, (what, row_of, write) in enumerate(_PHASES):
            first = number * lines_of_each
            if run.done >= first + lines_of_each:
                continue
            if what == "labels" and run.done == first:
                await self._require_all(run)
            with run.path.open("rb") as file:
                lines = islice(file, lines_of_each)
                for _ in islice(lines, run.done - first):
                    pass
                while part := list(islice(lines, _BATCH)):
                    run.progress(run.done, every, what)
                    rows = [row for line in part if (row := row_of(parse(line, 0), run.header)) is not None]
                    await self._write(write, run.header, rows, run.done, run.done + len(part))
                    run.done += len(part)

    async def _write(self, write: Write, header: Header, rows: list[Any], before: int, done: int) -> None:
        async def work(tx: Tx) -> None:
            written = await write(tx, header, rows, before, done)
            if written is None:
                raise _ElsewhereError
            if written != len(rows):
                raise Conflict(
                    f"only {written} of {counted(len(rows), 'line')} before line {done} could be written: "
                    f"something else has changed what was imported; {_GONE}"
                )

        await self._database.write(work, timeout_s=store.PATIENCE_S)

    async def _require_all(self, run: _Import) -> None:
        """Check that the graph has what the file has, in spaces of its own, before anything is shown.

        Raises:
            Conflict: If it has not.
        """
        ending = run.ending
        written = await self._database.read(
            lambda tx: store.count_written(tx, run.header.id), timeout_s=store.READING_S
        )
        if written != (ending.nodes, ending.relationships):
            raise Conflict(
                f"the graph has {written[0]} nodes and {written[1]} relationships, the file "
                f"{ending.nodes} and {ending.relationships}: nothing of it was shown, and {_GONE}"
            )
        report = await self._scopes.check(run.header.id, run.progress)
        if report.number:
            raise Conflict(f"{report}: nothing of it was shown, and {_GONE}")

    async def _undo(self, org_id: str, done: int) -> None:
        """Delete what an import has written up to line `done`, unless another process goes on with it."""
        deleted: int | None = 1
        while deleted:
            undo = partial(store.undo, org_id=org_id, before=done, batch=_TAKEN_BACK)
            deleted = await self._database.write(undo, timeout_s=store.PATIENCE_S)
            done = _UNDONE
        if deleted is not None:
            await store.drop_index(self._database)


def _node(line: Line, _: Header) -> Any | None:
    if "node" not in line:
        return None
    # Whoever checks scopes asks for spaces, so these have their label from the beginning.
    return {"properties": properties_of(line["properties"]), "is_space": "Space" in line["labels"]}


def _link(line: Line, _: Header) -> Any | None:
    if "from" not in line:
        return None
    return {
        "source": line["from"],
        "target": line["to"],
        "type": line["type"],
        "properties": properties_of(line["properties"]),
    }


def _labels(line: Line, header: Header) -> Any | None:
    # The organisation is shown last, when all is there.
    if line.get("node") in (None, header.id):
        return None
    return {"uid": line["node"], "labels": line["labels"]}


_PHASES: tuple[tuple[str, Callable[[Line, Header], Any | None], Write], ...] = (
    ("nodes", _node, store.write_nodes),
    ("relationships", _link, store.write_links),
    ("labels", _labels, store.write_labels),
)


def _check(path: Path, progress: Progress) -> tuple[Header, FileTrailer, References]:
    """Read the whole file; return its first and its last line, and the ids that it has and names.

    Raises:
        InvalidInput: If it is damaged, or names what is not its own.
    """
    size, seen = path.stat().st_size, 0
    header: Header | None = None
    ending: FileTrailer | None = None
    references: References | None = None

    def lines() -> Iterator[bytes]:
        nonlocal seen
        with path.open("rb") as file:
            for line in file:
                seen += len(line)
                yield line

    for number, value in checked(lines()):
        if isinstance(value, Header):
            header, references = value, References(value)
        elif isinstance(value, FileTrailer):
            ending = value
        elif references is not None:
            references.add(number, value)
        if number % _BATCH == 0:
            progress(seen, size, "checking")
    if header is None or ending is None or references is None:  # pragma: no cover - `checked` raises before
        raise InvalidInput("the file is empty", field="file")
    references.check()
    return header, ending, references


def _quiet(_done: int, _total: int, _detail: str) -> None:
    pass
