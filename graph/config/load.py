"""Reads the tables under `registry/` as one value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefrontal.graph.config.table_files import checked_table, raise_complaints
from prefrontal.graph.config.tables import Catalog


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
    tables = {
        name: checked_table(folder, name, field.annotation, complaints)
        for name, field in Catalog.model_fields.items()
    }
    return {name: value for name, value in tables.items() if value is not None}
