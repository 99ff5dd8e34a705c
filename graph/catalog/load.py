"""Reads `registry/` and names file, line and key of everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from graph.catalog.models import ActionType, Catalog
from graph.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Sequence

_TABLES = ("scratch", "goals", "limits", "context", "retention", "jobs", "roles")


def load_catalog(folder: Path) -> Catalog:
    """Return the registry under `folder`.

    Raises:
        CatalogError: A file is missing, is not YAML, or has a wrong key or value; the message has a line
            `file:line: key: what is wrong` for each.
    """
    complaints: list[str] = []
    tables: dict[str, Any] = {}
    for name in _TABLES:
        path = folder / f"{name}.yaml"
        annotation: Any = Catalog.model_fields[name].annotation
        value = _checked(path, TypeAdapter(annotation), complaints)
        if value is not None:
            tables[name] = value
    types: dict[str, ActionType] = {}
    for path in sorted((folder / "action_types").glob("*.yaml")):
        action_type = _checked(path, TypeAdapter(ActionType), complaints)
        if action_type is None:
            continue
        if action_type.id != path.stem:
            complaints.append(f"{path}:1: id: {action_type.id!r} is not the file's name {path.stem!r}")
        types[action_type.id] = action_type
    if not types and not complaints:
        complaints.append(f"{folder / 'action_types'}: holds no action type")
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
    return Catalog(**tables, action_types=types)


def _checked(path: Path, adapter: TypeAdapter[Any], complaints: list[str]) -> Any:
    """Return the file's content as the adapter's type, or None after adding to `complaints`."""
    try:
        document = YAML(typ="rt").load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        complaints.append(f"{path}: the file is missing")
        return None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        complaints.append(f"{path}:{line}: not YAML: {error.problem}")
        return None
    except (YAMLError, UnicodeDecodeError) as error:
        complaints.append(f"{path}:1: not YAML: {error}")
        return None
    try:
        return adapter.validate_python(_plain(document))
    except ValidationError as error:
        for item in error.errors():
            key = ".".join(str(part) for part in item["loc"])
            complaints.append(f"{path}:{_line_of(document, item['loc'])}: {key or 'file'}: {item['msg']}")
        return None


def _plain(node: Any) -> Any:
    """Return the document without the parser's own types."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return tuple(_plain(value) for value in node)
    return node


def _line_of(document: Any, location: Sequence[str | int]) -> int:
    """Return the 1-based line of the deepest part of `location` that the document has."""
    line = 1
    node = document
    for part in location:
        if isinstance(node, CommentedMap) and part in node:
            line = node.lc.key(part)[0] + 1
        elif isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node):
            line = node.lc.item(part)[0] + 1
        else:
            break
        node = node[part]
    return line
