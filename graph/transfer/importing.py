"""Imports an exported organisation, in bounded transactions that are gone on with after an interruption.

The file is read four times: to check it whole, before anything is written; to create the nodes, which nothing
else finds; to create their relationships; and to give the nodes their labels, by which they are found.
The organisation itself comes last, so nobody sees a part of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefrontal.graph.errors import Conflict, Duplicate, InvalidInput
from prefrontal.graph.transfer import store
from prefrontal.graph.transfer.json_lines import Line, checked, parse, properties_of
from prefrontal.graph.transfer.record import Ending, Header, Imported
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.storage.unit_of_work import Database, Tx

Progress = Callable[[int, int, str], None]
_BATCH = 500
"""How many lines a transaction takes."""
Write = Callable[["Tx", str, list[Any], int, int], Awaitable[int | None]]


class OrganisationImport:
    """Brings whole organisations from files."""

    def __init__(self, database: Database, schema_number: int) -> None:
        """Store the database, and the number of its last migration."""
        self._database = database
        self._schema_number = schema_number

    async def read(self, path: Path, progress: Progress | None = None) -> Imported:
        """Bring an organisation from a file; go on with it if an import of the same file was interrupted.

        Raises:
            InvalidInput: If the file is damaged, or made with another schema; then nothing was written.
            Duplicate: If there is an organisation with its id or key; then nothing was written.
            Conflict: If another file of the organisation is being imported, or this one by another process.
        """
        progress = progress or _quiet
        try:
            header, ending = _check(path, progress)
            return await self._read(path, header, ending, progress)
        except OSError as error:
            raise InvalidInput(f"{path}: {error.strerror or error}", field="file") from error

    async def _read(self, path: Path, header: Header, ending: Ending, progress: Progress) -> Imported:
        if header.schema_number != self._schema_number:
            raise InvalidInput(
                f"the file was made with schema {header.schema_number:04d}, and this database has "
                f"{self._schema_number:04d}: upgrade the older of the two, and export it again; nothing was "
                "written",
                field="file",
            )
        begun = done = await self._begin(header, ending)
        every = len(_PHASES) * ending.lines
        for number, (what, row_of, write) in enumerate(_PHASES):
            first = number * ending.lines
            if done >= first + ending.lines:
                continue
            if what == "labels" and done == first:
                await self._require_all(header, ending)
            with path.open("rb") as file:
                lines = islice(file, ending.lines)
                for _ in islice(lines, done - first):
                    pass
                while part := list(islice(lines, _BATCH)):
                    progress(done, every, what)
                    rows = [row for line in part if (row := row_of(parse(line, 0), header)) is not None]
                    await self._write(write, header, rows, done, done + len(part))
                    done += len(part)
        await store.finish(self._database, header.id)
        progress(every, every, "")
        return Imported(
            id=header.id,
            key=header.key,
            nodes=ending.nodes,
            relationships=ending.relationships,
            resumed=begun > 0,
        )

    async def _begin(self, header: Header, ending: Ending) -> int:
        """Return how many lines were dealt with before; 0 for an import that begins now."""
        uids, marker = await self._database.read(
            lambda tx: store.find(tx, header), timeout_s=store.PATIENCE_S
        )
        if uids:
            same = (
                "this organisation"
                if header.id in uids
                else f"another organisation with the key {header.key!r}"
            )
            raise Duplicate(
                f"the database has {same} already; nothing was written. An import adds to no organisation: "
                "import it into another database"
            )
        if marker is None:
            await store.begin(self._database, header, ending.sha256)
            return 0
        if marker["sha256"] != ending.sha256:
            raise Conflict(
                "the import of another file of this organisation was interrupted: run it again to its end"
            )
        await store.begin(self._database, header, ending.sha256)
        return int(marker["done"])

    async def _write(self, write: Write, header: Header, rows: list[Any], before: int, done: int) -> None:
        async def work(tx: Tx) -> None:
            written = await write(tx, header.id, rows, before, done)
            if written is None:
                raise Conflict("another process imports this organisation; wait until it is done")
            if written != len(rows):
                raise Conflict(
                    f"only {written} of {counted(len(rows), 'line')} before line {done} could be written: "
                    "something else has changed what was imported"
                )

        await self._database.write(work, timeout_s=store.PATIENCE_S)

    async def _require_all(self, header: Header, ending: Ending) -> None:
        """Check that the graph has what the file has, before anything is shown.

        Raises:
            Conflict: If it has not.
        """
        written = await self._database.read(
            lambda tx: store.count_written(tx, header.id), timeout_s=store.READING_S
        )
        if written != (ending.nodes, ending.relationships):
            raise Conflict(
                f"the graph has {written[0]} nodes and {written[1]} relationships, the file "
                f"{ending.nodes} and {ending.relationships}: nothing of it is shown"
            )


def _node(line: Line, _: Header) -> Any | None:
    return properties_of(line["properties"]) if "node" in line else None


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


def _check(path: Path, progress: Progress) -> tuple[Header, Ending]:
    """Read the whole file, and return its first and its last line.

    Raises:
        InvalidInput: If it is damaged.
    """
    size, seen = path.stat().st_size, 0
    header: Header | None = None
    ending: Ending | None = None

    def lines() -> Iterator[bytes]:
        nonlocal seen
        with path.open("rb") as file:
            for line in file:
                seen += len(line)
                yield line

    for number, value in checked(lines()):
        if isinstance(value, Header):
            header = value
        elif isinstance(value, Ending):
            ending = value
        if number % _BATCH == 0:
            progress(seen, size, "checking")
    if header is None or ending is None:  # pragma: no cover - `checked` raises before
        raise InvalidInput("the file is empty", field="file")
    return header, ending


def _quiet(_done: int, _total: int, _detail: str) -> None:
    pass
