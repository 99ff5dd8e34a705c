"""The lines of an exported organisation.

    {"format": …, "version": 2, "schema_number": …, "id": …, "key": …, "encoders": …}
    {"node": uid, "labels": [...], "properties": {...}}
    {"from": uid, "type": …, "to": uid, "properties": {...}}
    {"end": {"nodes": …, "relationships": …, "labels": …, "types": …, "lines": …, "sha256": …}}

Equal graphs give equal bytes: the keys and labels of a line are sorted, the nodes are in the order of their
ids, and the relationships that begin at a node follow it in the order of their lines. A property is JSON as
it is, but for two:

    a time              {"$time": "2026-11-27T08:00:00+00:00"}
    numbers of a vector {"$floats32": base64} if single precision loses nothing, else {"$floats64": base64}

JSON numbers with a point or an exponent are floats, the others integers. A time keeps its moment and its
distance from UTC; whether a driver once wrote it as UTC by that name is not kept, and means nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.errors import NOTHING_WRITTEN, InvalidInput
from prefrontal.graph.storage.baseline import BASELINE, FORMER_FORMAT, LAST_COMMIT, LAST_FORMER
from prefrontal.graph.transfer.record import FORMAT, FORMAT_VERSION, FileTrailer, Header

_VECTOR = 16
"""From how many floats on a list is packed."""
Line = dict[str, Any]


def line_of(value: Mapping[str, Any]) -> bytes:
    """Return a line, with its end."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return text.encode() + b"\n"


def header_line(header: Header) -> bytes:
    """Return the first line."""
    return line_of(header.model_dump(mode="json"))


def ending_line(ending: FileTrailer) -> bytes:
    """Return the last line."""
    return line_of({"end": ending.model_dump(mode="json")})


def node_lines(node: Mapping[str, Any]) -> list[bytes]:
    """Return the line of a node and those of the relationships that begin at it.

    Args:
        node: The columns `uid`, `labels`, `properties` and `links`, a list with `type`, `target` and
            `properties`.

    Raises:
        InvalidInput: If a node or the other end of a relationship has no id, or belongs to nobody or to
            another organisation: the file could not say what it is.
    """
    uid = node["uid"]
    if uid is None or any(link["target"] is None for link in node["links"]):
        raise InvalidInput(
            f"the node {uid or node['labels']} has no id, or is linked with a node that has none or is of "
            "another organisation; `prefrontal doctor` may say more"
        )
    first = line_of(
        {"node": uid, "labels": sorted(node["labels"]), "properties": _stored(node["properties"])}
    )
    links = [
        line_of(
            {
                "from": uid,
                "type": link["type"],
                "to": link["target"],
                "properties": _stored(link["properties"]),
            }
        )
        for link in node["links"]
    ]
    return [first, *sorted(links)]


def _stored(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in properties.items()}


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"$time": value.isoformat()}
    if isinstance(value, float) and value - value != 0:
        return {"$floats64": _packed("d", [value]), "$single": True}
    if isinstance(value, list) and len(value) >= _VECTOR and all(type(item) is float for item in value):
        single = _packed("f", value)
        if single is not None and _unpacked("f", single) == value:
            return {"$floats32": single}
        return {"$floats64": _packed("d", value)}
    if isinstance(value, list):
        return [_value(item) for item in value]
    return value


def _packed(kind: str, values: list[float]) -> str | None:
    try:
        return base64.b64encode(struct.pack(f"<{len(values)}{kind}", *values)).decode()
    except OverflowError:
        return None


def _unpacked(kind: str, text: str) -> list[float]:
    data = base64.b64decode(text, validate=True)
    return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))


def properties_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a line as they are stored in the graph."""
    return {name: _read(value) for name, value in stored.items()}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$time" in value:
        return datetime.fromisoformat(value["$time"])
    if "$floats32" in value:
        return _unpacked("f", value["$floats32"])
    found = _unpacked("d", value["$floats64"])
    return found[0] if value.get("$single") else found


class Tally:
    """Counts the lines of a file as they come, and sums them up."""

    def __init__(self) -> None:
        self._labels: Counter[str] = Counter()
        self._types: Counter[str] = Counter()
        self._hash = hashlib.sha256()
        self.lines = 0
        self.nodes = 0
        self.links = 0

    def header(self, line: bytes) -> None:
        """Count the first line."""
        self._count(line)

    def node(self, line: bytes, labels: Iterable[str]) -> None:
        """Count a line of a node."""
        self._count(line)
        self._labels.update(labels)
        self.nodes += 1

    def link(self, line: bytes, kind: str) -> None:
        """Count a line of a relationship."""
        self._count(line)
        self._types[kind] += 1
        self.links += 1

    def _count(self, line: bytes) -> None:
        self._hash.update(line)
        self.lines += 1

    @property
    def ending(self) -> FileTrailer:
        """What the last line says."""
        return FileTrailer(
            nodes=self.nodes,
            relationships=self.links,
            labels=dict(sorted(self._labels.items())),
            types=dict(sorted(self._types.items())),
            lines=self.lines,
            sha256=self._hash.hexdigest(),
        )


_WHOLE = f"export it again; {NOTHING_WRITTEN}"
_BEYOND = 1 << 63
"""The first integer that the database has no room for."""


def parse(line: bytes, number: int) -> Line:
    """Return the content of a line.

    Raises:
        InvalidInput: If it is no complete JSON object.
    """
    try:
        value = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(f"line {number} is incomplete or altered: {_WHOLE}", field="file")
    return value


def header_of(value: Line) -> Header:
    """Return what the first line says; what has the last schema from before the baseline has the baseline's.

    Raises:
        InvalidInput: If the file is not an exported organisation, of a newer format, or of an older schema.
    """
    if value.get("format") != FORMAT:
        raise InvalidInput(
            "this is not an exported organisation; `prefrontal import PATH` remembers notes and chats",
            field="file",
        )
    if value.get("version") not in {FORMER_FORMAT, FORMAT_VERSION}:
        raise InvalidInput(
            f"the file has version {value.get('version')} of the format, and this program reads version "
            f"{FORMAT_VERSION}: update it",
            field="file",
        )
    try:
        header = Header.model_validate(value)
    except ValidationError as error:
        raise InvalidInput(f"the first line was altered: {_WHOLE}", field="file") from error
    if header.version == FORMAT_VERSION:
        return header
    if header.schema_number != LAST_FORMER:
        raise InvalidInput(
            f"the file was made with schema {header.schema_number:04d} from before the baseline: import it "
            "into a database of its own with the version that made it, start that database once with commit "
            f"{LAST_COMMIT} of Prefrontal, and export it again; nothing was written",
            field="file",
        )
    return header.model_copy(update={"version": FORMAT_VERSION, "schema_number": BASELINE})


def checked(lines: Iterable[bytes]) -> Iterator[tuple[int, Header | Line | FileTrailer]]:
    """Yield the number and the content of each line; the last one is what the file ends with.

    Raises:
        InvalidInput: If a line is altered, or the file is not whole; the message says which.
    """
    tally, header, ending = Tally(), None, None
    number = 0
    for number, line in enumerate(lines, 1):
        if ending is not None:
            raise InvalidInput(f"line {number} follows the end of the file: {_WHOLE}", field="file")
        value = parse(line, number)
        if header is None:
            header = header_of(value)
            tally.header(line)
            yield number, header
        elif "end" in value:
            ending = _ending_of(value, number)
            if ending != tally.ending:
                raise InvalidInput(
                    f"the file was altered: its lines do not have the checksum of its end; {_WHOLE}",
                    field="file",
                )
            yield number, ending
        else:
            _count(tally, value, line, number, header)
            yield number, value
    if header is None:
        raise InvalidInput("the file is empty", field="file")
    if ending is None:
        raise InvalidInput(f"the file ends at line {number}, without its end: {_WHOLE}", field="file")


def _ending_of(value: Line, number: int) -> FileTrailer:
    try:
        return FileTrailer.model_validate(value["end"])
    except ValidationError as error:
        raise InvalidInput(f"line {number} was altered: {_WHOLE}", field="file") from error


def _count(tally: Tally, value: Line, line: bytes, number: int, header: Header) -> None:
    """Count a line of a node or of a relationship."""
    properties, labels = value.get("properties"), value.get("labels")
    if not isinstance(properties, dict) or not _can_be_stored(properties):
        raise InvalidInput(f"line {number} was altered: {_WHOLE}", field="file")
    if (
        isinstance(value.get("node"), str)
        and isinstance(labels, list)
        and labels
        and all(map(_is_name, labels))
    ):
        if properties.get("org_id") != header.id or properties.get("uid") != value["node"]:
            raise InvalidInput(
                f"line {number} has a node of another organisation; {NOTHING_WRITTEN}", field="file"
            )
        tally.node(line, labels)
    elif all(_is_name(value.get(name)) for name in ("from", "type", "to")):
        tally.link(line, value["type"])
    else:
        raise InvalidInput(f"line {number} was altered: {_WHOLE}", field="file")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _can_be_stored(properties: Mapping[str, Any]) -> bool:
    """Return whether the database has a type for each property of a line."""
    try:
        values = properties_of(properties)
    except (KeyError, TypeError, ValueError, OverflowError, struct.error):
        return False
    return all(
        _is_name(name)
        and all(map(_is_scalar, value if isinstance(value, list) else [value]))
        and (not isinstance(value, list) or len({type(each) for each in value}) <= 1)
        for name, value in values.items()
    )


def _is_scalar(value: Any) -> bool:
    if isinstance(value, int):
        return -_BEYOND <= value < _BEYOND
    return isinstance(value, str | float | datetime)
