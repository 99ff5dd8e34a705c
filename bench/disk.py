"""The bytes on disk of an embedded server's database."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from prefrontal.graph.embedded import EmbeddedNeo4j


class Bytes(NamedTuple):
    """How much a database takes, without its transaction logs."""

    store: int
    indexes: int

    @property
    def total(self) -> int:
        return self.store + self.indexes


def weigh(server: EmbeddedNeo4j, database: str) -> Bytes:
    """Return what a database takes after a checkpoint.

    The community edition makes a checkpoint on request only when it stops, so the server is restarted on the
    same ports.
    """
    record = server.running.record
    server.config = replace(server.config, bolt_port=record.bolt_port, http_port=record.http_port)
    server.stop(timeout_s=600)
    try:
        return bytes_in(server.config.home / "data" / "databases" / database)
    finally:
        server.start()


def bytes_in(folder: Path) -> Bytes:
    """Return what the files of a database take."""
    store = indexes = 0
    for file in folder.rglob("*"):
        if not file.is_file():
            continue
        if "schema" in file.relative_to(folder).parts:
            indexes += file.stat().st_size
        else:
            store += file.stat().st_size
    return Bytes(store, indexes)
