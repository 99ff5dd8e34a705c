"""Reads `registry/` and names file, line and key of everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from graph.catalog.action_types import ActionsTable, ActionType, ActionTypes, may_be_safe
from graph.catalog.models import Catalog
from graph.errors import CatalogError
from graph.yaml_files import YamlFile, checked, read_yaml

_TABLES = (
    "scratch",
    "contradiction",
    "evaluation",
    "goals",
    "questions",
    "limits",
    "context",
    "retention",
    "summaries",
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
    types = _action_types(folder, complaints)
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
    return Catalog(**tables, action_types=types)


def load_action_types(folder: Path) -> ActionTypes:
    """Return the action types of the registry under `folder`, and which staged ones are released.

    Raises:
        CatalogError: As with `load_catalog`.
    """
    complaints: list[str] = []
    types = _action_types(folder, complaints)
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
    return types


def _action_types(folder: Path, complaints: list[str]) -> ActionTypes:
    """Return the types; add to `complaints` what is wrong with each and between them."""
    before = len(complaints)
    types: dict[str, ActionType] = {}
    files: dict[str, YamlFile] = {}
    for path in sorted((folder / "action_types").glob("*.yaml")):
        file = read_yaml(path, complaints)
        action_type = None if file is None else checked(file, TypeAdapter(ActionType), complaints)
        if file is None or action_type is None:
            continue
        if action_type.id != path.stem:
            complaints.append(f"{path}:1: id: {action_type.id!r} is not the file's name {path.stem!r}")
        types[action_type.id] = action_type
        files[action_type.id] = file
    for name, action_type in types.items():
        successor = types.get(action_type.replaced_by or "")
        if action_type.replaced_by is not None and (successor is None or successor.deprecated):
            message = f"{action_type.replaced_by!r} is no active type"
            complaints.append(files[name].complaint(("replaced_by",), message))
    if not types and len(complaints) == before:
        complaints.append(f"{folder / 'action_types'}: holds no action type")
    path = folder / "actions.yaml"
    file = read_yaml(path, complaints)
    table = None if file is None else checked(file, TypeAdapter(ActionsTable), complaints)
    if file is not None and table is not None and len(complaints) == before:
        safe = types.get(table.safe_type)
        if not may_be_safe(safe):
            complaints.append(file.complaint(("safe_type",), "must be an active type that a user may own"))
    # Without a table there are complaints, and nobody gets to see the types.
    return ActionTypes(types, table or ActionsTable(safe_type="none", default_effort=1.0))


def _checked(path: Path, adapter: TypeAdapter[Any], complaints: list[str]) -> Any:
    """Return the file's content as the adapter's type, or None after adding to `complaints`."""
    file = read_yaml(path, complaints)
    return None if file is None else checked(file, adapter, complaints)
