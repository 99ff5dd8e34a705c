"""Reads `registry/` and names file, line and key of everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from graph.catalog.models import ActionType, Catalog
from graph.errors import CatalogError
from graph.yaml_files import checked, read_yaml

_TABLES = (
    "scratch",
    "contradiction",
    "evaluation",
    "goals",
    "limits",
    "context",
    "retention",
    "jobs",
    "roles",
)


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
    file = read_yaml(path, complaints)
    return None if file is None else checked(file, adapter, complaints)
