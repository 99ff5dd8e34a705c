"""Records of exported organisations: what the first and the last line of a file say, and what was done."""

from __future__ import annotations

from prefrontal.graph.record import Record

FORMAT = "prefrontal organisation"
FORMAT_VERSION = 2


class Encoders(Record):
    """Whose vectors a database has in its two slots, and which slot searches use."""

    serving: str = "a"
    a: str | None = None
    b: str | None = None


class Header(Record):
    """The first line of a file: what it is, and of which organisation."""

    format: str
    version: int
    schema_number: int
    """The number of the last migration of the database that it was exported from."""
    id: str
    key: str
    encoders: Encoders = Encoders()


class FileTrailer(Record):
    """The last line of a file: how many nodes and relationships it has, and a checksum."""

    nodes: int
    relationships: int
    labels: dict[str, int]
    """How many nodes each label has; a node may have several."""
    types: dict[str, int]
    """How many relationships each type has."""
    lines: int
    """How many lines are before this one."""
    sha256: str
    """The SHA-256 sum of these lines."""


class ExportResult(Record):
    """What an export wrote."""

    nodes: int
    relationships: int
    sha256: str
    resumed: bool
    """Whether it went on with the file of an export that was interrupted."""


class ImportResult(Record):
    """What an import brought."""

    id: str
    key: str
    nodes: int
    relationships: int
    resumed: bool
    """Whether it went on with an import that was interrupted."""
