"""Exports an organisation to a file, which holds one state of it although others may write meanwhile.

A database without snapshots is read twice. Each thing of the file was read before the end of the first
reading, and is found unchanged after the beginning of the second, which begins later; so in between, all of
them were as the file says, and there was nothing else. A reading that finds a difference begins anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from prefrontal.graph.errors import Conflict, InvalidInput, NotFound
from prefrontal.graph.transfer import store
from prefrontal.graph.transfer.json_lines import Tally, ending_line, header_line, node_lines, parse
from prefrontal.graph.transfer.record import FORMAT, FORMAT_VERSION, ExportResult, Header
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.storage.unit_of_work import Database, Tx

Progress = Callable[[int, int, str], None]
_READINGS = 5
"""How often an organisation is read from its beginning before the export gives up."""
_STEP = 500


class _Differs(Exception):
    """The second reading found what the first had not."""


class OrganisationExport:
    """Writes whole organisations to files."""

    def __init__(self, database: Database, schema_number: int) -> None:
        self._database = database
        self._schema_number = schema_number

    async def write(
        self, org_id: str, org_key: str, path: Path, progress: Progress | None = None
    ) -> ExportResult:
        """Write an organisation to a file, which appears when it is complete.

        Until then there is a file with the suffix `.part`; an export to the same path goes on with it.

        Raises:
            NotFound: If the organisation has nothing.
            Conflict: If others wrote to the organisation whenever it was read.
            InvalidInput: If a node cannot be exported, or the file cannot be written.
        """

        async def look(tx: Tx) -> tuple[int, Header]:
            number, nameless = await store.count(tx, org_id)
            if not number:
                raise NotFound(f"there is no organisation {org_key!r}")
            if nameless:
                raise InvalidInput(f"{counted(nameless, 'node')} of the organisation have no id")
            header = Header(
                format=FORMAT,
                version=FORMAT_VERSION,
                schema_number=self._schema_number,
                id=org_id,
                key=org_key,
                encoders=await store.encoders(tx),
            )
            return number, header

        total, header = await self._database.read(look, timeout_s=store.READING_S)
        part = path.with_name(f"{path.name}.part")
        return await self._write(header, part, path, 2 * total, progress or _quiet)

    async def _write(
        self, header: Header, part: Path, path: Path, total: int, progress: Progress
    ) -> ExportResult:
        resumed = _resumed_part(part, header) is not None
        for _ in range(_READINGS):
            tally = await self._read(header, part, total, progress)
            try:
                await self._compare(header, part, total, progress)
            except _Differs:
                _begin_anew(part)
                continue
            ending = tally.ending
            _end(part, ending_line(ending), path)
            return ExportResult(
                nodes=tally.nodes, relationships=tally.links, sha256=ending.sha256, resumed=resumed
            )
        raise Conflict(
            f"the organisation changed during each of {_READINGS} readings, and a file would mix its states: "
            "stop the services that write to it, or export when they are quiet"
        )

    async def _read(self, header: Header, part: Path, total: int, progress: Progress) -> Tally:
        """Write what there is to the file, behind what an interrupted export has left of it."""

        async def work(tx: Tx) -> Tally:
            # The transaction may run again: it goes on behind what the attempt before it wrote.
            kept = _resumed_part(part, header)
            tally, after = kept if kept is not None else (Tally(), "")
            with _opened(part, "ab") as file:
                if kept is None:
                    with _file_errors(part):
                        file.write(header_line(header))
                    tally.header(header_line(header))
                async for row in store.nodes(tx, header.id, after):
                    first, *rest = lines = node_lines(row)
                    with _file_errors(part):
                        file.writelines(lines)
                    tally.node(first, row["labels"])
                    for link, line in zip(_types(rest), rest, strict=True):
                        tally.link(line, link)
                    if tally.nodes % _STEP == 0:
                        progress(tally.nodes, total, "writing")
            return tally

        return await self._database.read(work, timeout_s=store.READING_S)

    async def _compare(self, header: Header, part: Path, total: int, progress: Progress) -> None:
        """Read everything again.

        Raises:
            _Differs: If the file does not have exactly what there is.
        """

        async def work(tx: Tx) -> None:
            number = 0
            with _opened(part, "rb") as file:
                if file.readline() != header_line(header):
                    raise _Differs
                async for row in store.nodes(tx, header.id, ""):
                    if any(file.readline() != line for line in node_lines(row)):
                        raise _Differs
                    number += 1
                    if number % _STEP == 0:
                        progress(min(total // 2 + number, total), total, "comparing")
                if file.readline():
                    raise _Differs

        await self._database.read(work, timeout_s=store.READING_S)
        progress(total, total, "")


def _begin_anew(part: Path) -> None:
    part.unlink()


def _end(part: Path, line: bytes, path: Path) -> None:
    """Write the last line, and give the file its name."""
    with _file_errors(part), part.open("ab") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
    with _file_errors(path):
        part.replace(path)


def _quiet(_done: int, _total: int, _detail: str) -> None:
    pass


def _types(lines: list[bytes]) -> Iterator[str]:
    return (str(parse(line, 0)["type"]) for line in lines)


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Tell of a file that cannot be read or written, e.g. a full disk: for a transaction it is no failure."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}", field="file") from error


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[BinaryIO]:
    """Open a file that only its owner may read, because it has everything that an organisation knows."""
    with _file_errors(path):
        file = cast("BinaryIO", open(path, mode, opener=_private))  # noqa: SIM115
    try:
        yield file
    finally:
        with _file_errors(path):
            file.close()


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _resumed_part(part: Path, header: Header) -> tuple[Tally, str] | None:
    """Return what an interrupted export left, cut to what is whole: its lines, and the id of its last node.

    None if there is nothing of this organisation; then the file is empty or gone.
    """
    if not part.exists():
        return None
    tally, after, whole = Tally(), "", 0
    waiting: list[tuple[bytes, dict[str, object]]] = []
    with _file_errors(part), part.open("rb") as file:
        if file.readline() != header_line(header):
            part.unlink()
            return None
        tally.header(header_line(header))
        whole = file.tell()

        def settle() -> int:
            """Count a node with its relationships, and return the number of bytes."""
            for line, value in waiting:
                if "node" in value:
                    tally.node(line, value["labels"])  # type: ignore[arg-type]
                else:
                    tally.link(line, str(value["type"]))
            return sum(len(line) for line, _ in waiting)

        for line in file:
            try:
                value = parse(line, 0)
            except InvalidInput:
                break
            if "node" in value and waiting:
                # Only what another node follows is certainly whole.
                after = str(waiting[0][1]["node"])
                whole += settle()
                waiting.clear()
            waiting.append((line, value))
    os.truncate(part, whole)
    return tally, after
