"""Reading of hand-written YAML files: checked against a model, each error reported with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from prefrontal.graph.shape import message_of

Location = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A parsed file: its content, with the line numbers of its keys and list items."""

    path: Path
    document: Any

    def line_of(self, location: Location) -> int:
        """Return the 1-based line of the deepest part of `location` that the file has."""
        return self._follow(location)[0]

    def complaint(self, location: Location, message: str) -> str:
        """Return `file:line: key: what is wrong`."""
        line, known = self._follow(location)
        return f"{self.path}:{line}: {'.'.join(known) or 'file'}: {message}"

    def depth(self, location: Location) -> int:
        """Return how many of the first parts of `location` the file has."""
        node = self.document
        for number, part in enumerate(location):
            mapped = isinstance(node, CommentedMap) and part in node
            if not mapped and not (
                isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node)
            ):
                return number
            node = node[part]
        return len(location)

    def _follow(self, location: Location) -> tuple[int, list[str]]:
        """Return the line, and the parts of the location that occur in the file."""
        line, known, node = 1, [], self.document
        for number, part in enumerate(location):
            if isinstance(node, CommentedMap) and part in node:
                line = node.lc.key(part)[0] + 1
            elif isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node):
                line = node.lc.item(part)[0] + 1
            else:
                # The last part names a missing key. Other unknown parts are internal to pydantic, such as
                # the chosen member of a union, and are left out.
                if number == len(location) - 1:
                    known.append(str(part))
                continue
            known.append(str(part))
            node = node[part]
        return line, known


@dataclass(frozen=True, slots=True)
class YamlFiles:
    """Parsed files that say one thing together; an error is reported in the file that says it."""

    files: tuple[YamlFile, ...]

    def complaint(self, location: Location, message: str) -> str:
        """Return `file:line: key: what is wrong`, in the file that has most of the location."""
        return self.holding(location).complaint(location, message)

    def holding(self, location: Location) -> YamlFile:
        """Return the file that has most of a location; of several the first one."""
        return max(self.files, key=lambda file: file.depth(location))


def read_yaml(path: Path, complaints: list[str]) -> YamlFile | None:
    """Return the parsed file, or None after adding the reason to `complaints`."""
    try:
        document = _parsed(path.read_text(encoding="utf-8"))
        if _size(document, {}) <= MOST_VALUES:
            return YamlFile(path, document)
        complaints.append(f"{path}:1: not YAML: with its aliases it has more than {MOST_VALUES} values")
    except FileNotFoundError:
        complaints.append(f"{path}: the file is missing")
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = (error.problem or "").partition("\n")[0]
        complaints.append(f"{path}:{line}: not YAML: {problem}")
    except RecursionError:
        complaints.append(f"{path}:1: not YAML: nested too deeply")
    except (YAMLError, ValueError, OSError) as error:
        # A ValueError is a text that is not UTF-8, or a date that the calendar does not have.
        complaints.append(f"{path}:1: not YAML: {error}")
    return None


MOST_VALUES = 200_000
"""The most values of a file, those under an alias counted at each use. A file of ours has some hundred."""


def _size(node: Any, known: dict[int, int]) -> int:
    """Return the number of values in a document; `known` has those of what an alias may name again."""
    if not isinstance(node, dict | list):
        return 1
    if id(node) not in known:
        values = node.values() if isinstance(node, dict) else node
        known[id(node)] = 1 + sum(_size(value, known) for value in values)
    return known[id(node)]


@lru_cache(maxsize=256)
def _parsed(text: str) -> Any:
    """Return the parsed document; cached by text, because callers never modify it."""
    return YAML(typ="rt").load(text)


def checked(file: YamlFile, adapter: TypeAdapter[Any], complaints: list[str]) -> Any:
    """Return the file's content as the adapter's type, or None after adding to `complaints`."""
    return validated(file, to_python(file.document), adapter, complaints)


def validated(
    file: YamlFile | YamlFiles, content: Any, adapter: TypeAdapter[Any], complaints: list[str]
) -> Any:
    """Return content that was made of a file's as the adapter's type, or None with `complaints`."""
    try:
        return adapter.validate_python(content)
    except ValidationError as error:
        complaints += [file.complaint(item["loc"], message_of(item)) for item in error.errors()]
        return None


def to_python(node: Any) -> Any:
    """Return the document without the parser's own types: lists as tuples, times with their zone."""
    if isinstance(node, dict):
        return {str(key): to_python(value) for key, value in node.items()}
    if isinstance(node, list):
        return tuple(to_python(value) for value in node)
    if isinstance(node, datetime):
        # The parser labels every time as UTC and keeps the UTC offset in a private attribute.
        parts = (node.year, node.month, node.day, node.hour, node.minute, node.second, node.microsecond)
        distance = getattr(node, "_yaml", {}).get("delta") or timedelta(0)
        return datetime(*parts, tzinfo=UTC) - distance
    if isinstance(node, date):
        return datetime(node.year, node.month, node.day, tzinfo=UTC)
    for kind in (str, bool, int, float):
        if isinstance(node, kind):
            return kind(node)
    return node
