"""The file of a backup: a tar archive of the database's dump, what it is, and checksums.

    manifest.json   the format and its version, Neo4j's version, the schema's number, what it has, when
    neo4j.dump      what `neo4j-admin database dump` wrote: a Neo4j server of your own can load it
    SHA256SUMS      the checksums of both, as `sha256sum --check` reads them

No password and no secret is in it: a restored database keeps those of the folder that it is put into.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.record import Record
from prefrontal.graph.storage.baseline import FORMER_FORMAT

FORMAT = "prefrontal backup"
FORMAT_VERSION = 2
DUMP = "neo4j.dump"
"""The name that Neo4j gives to the dump of the database, and looks for."""
_MANIFEST, _SUMS = "manifest.json", "SHA256SUMS"
_CHUNK = 1 << 20

Progress = Callable[[int, int, str], None]


class Manifest(Record):
    """What a backup says of itself."""

    format: str = FORMAT
    version: int = FORMAT_VERSION
    """`FORMER_FORMAT` if the database has the migrations from before the baseline."""
    made_at: datetime
    neo4j: str
    """The version of the server that made the dump."""
    schema_number: int
    """The number of the last migration of the database."""
    nodes: int
    relationships: int


def write(path: Path, manifest: Manifest, dump: Path, progress: Progress) -> None:
    """Write a backup; the file appears when it is complete and was read again.

    Raises:
        InvalidInput: If it cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    size = dump.stat().st_size
    said = manifest.model_dump_json(indent=2).encode() + b"\n"
    with dump.open("rb") as file:
        found = _sum(file, lambda done: progress(done, 3 * size, "checksum"))
    sums = f"{hashlib.sha256(said).hexdigest()}  {_MANIFEST}\n{found}  {DUMP}\n".encode()
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            with tarfile.open(fileobj=out, mode="w") as archive:
                for name, content in ((_MANIFEST, said), (_SUMS, sums)):
                    entry = tarfile.TarInfo(name)
                    entry.size = len(content)
                    entry.mode = 0o600
                    archive.addfile(entry, io.BytesIO(content))
                progress(size, 3 * size, "writing")
                archive.add(dump, DUMP)
            out.flush()
            os.fsync(out.fileno())
        check(part, lambda done, _, detail: progress(2 * size + min(done, size), 3 * size, detail))
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(f"{path}: {error.strerror or error}", field="file") from error


def check(path: Path, progress: Progress) -> Manifest:
    """Read a whole backup and return what it says of itself.

    Raises:
        InvalidInput: If it is no backup, damaged, or of a newer format.
    """
    try:
        with tarfile.open(path, mode="r:") as archive:
            return _checked(archive, path, progress)
    except (tarfile.TarError, EOFError) as error:
        raise _damaged(path, "it is not a complete backup") from error
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}", field="file") from error


def _checked(archive: tarfile.TarFile, path: Path, progress: Progress) -> Manifest:
    content = {name: _member(archive, path, name) for name in (_MANIFEST, _SUMS, DUMP)}
    said = content[_MANIFEST].read()
    lines = content[_SUMS].read().decode(errors="replace").splitlines()
    sums = {name: found for found, _, name in (line.partition("  ") for line in lines)}
    if sums.get(_MANIFEST) != hashlib.sha256(said).hexdigest():
        raise _damaged(path, f"{_MANIFEST} does not have its checksum")
    try:
        manifest = Manifest.model_validate(json.loads(said))
    except (ValueError, ValidationError) as error:
        raise _damaged(path, f"{_MANIFEST} is not what this program writes") from error
    if manifest.format != FORMAT or manifest.version not in {FORMER_FORMAT, FORMAT_VERSION}:
        raise InvalidInput(
            f"{path} has version {manifest.version} of the format, and this program reads version "
            f"{FORMAT_VERSION}: update it",
            field="file",
        )
    size = archive.getmember(DUMP).size
    if sums.get(DUMP) != _sum(content[DUMP], lambda done: progress(done, size, "checking")):
        raise _damaged(path, f"{DUMP} does not have its checksum")
    return manifest


def unpack(path: Path, folder: Path) -> None:
    """Write the dump of a checked backup into a folder."""
    with tarfile.open(path, mode="r:") as archive:
        archive.extract(DUMP, folder, filter="data")


def _member(archive: tarfile.TarFile, path: Path, name: str) -> IO[bytes]:
    try:
        file = archive.extractfile(name)
    except KeyError:
        file = None
    if file is None:
        raise _damaged(path, f"it has no {name}")
    return file


def _damaged(path: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is damaged: {why}. Nothing was changed; take another copy of it, or an older backup",
        field="file",
    )


def _sum(file: IO[bytes], progress: Callable[[int], None]) -> str:
    digest, done = hashlib.sha256(), 0
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
        done += len(chunk)
        progress(done)
    return digest.hexdigest()
