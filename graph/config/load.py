"""Reads the tables under `registry/` and reports file, line and key of each error in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from prefrontal.graph.config.tables import Catalog
from prefrontal.graph.config.yaml_files import checked, read_yaml
from prefrontal.graph.errors import CatalogError


def load_catalog(folder: Path) -> Catalog:
    """Return the tables under `folder`.

    Raises:
        CatalogError: If a file is missing, is not YAML, or has a wrong key or value; the message has one
            line `file:line: key: what is wrong` for each error.
    """
    complaints: list[str] = []
    tables = read_tables(folder, complaints)
    raise_complaints(complaints)
    return Catalog(**tables)


def read_tables(folder: Path, complaints: list[str]) -> dict[str, Any]:
    """Return the valid tables under `folder` by name; add a line to `complaints` for each error."""
    tables: dict[str, Any] = {}
    for name, field in Catalog.model_fields.items():
        file = read_yaml(folder / f"{name}.yaml", complaints)
        annotation: Any = field.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        value = None if file is None else checked(file, adapter, complaints)
        if value is not None:
            tables[name] = value
    return tables


def raise_complaints(complaints: list[str]) -> None:
    """Do nothing when there are no complaints.

    Raises:
        CatalogError: If there is a complaint; the message has one line for each.
    """
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
