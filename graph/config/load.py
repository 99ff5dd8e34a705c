"""Reads the tables under `registry/` and reports file, line and key of each error in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from prefrontal.graph.config.tables import Catalog
from prefrontal.graph.config.yaml_files import YamlFile, plain, read_yaml, validated
from prefrontal.graph.errors import CatalogError

API_VERSION = "prefrontal/v1"
"""The version of the format that this service reads."""
VERSION_KEY = "apiVersion"
"""The key of every file under `registry/` that names the version; without it a file has the first one."""


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
        found = read_said(folder / f"{name}.yaml", complaints)
        annotation: Any = field.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        value = None if found is None else validated(*found, adapter, complaints)
        if value is not None:
            tables[name] = value
    return tables


def read_said(path: Path, complaints: list[str]) -> tuple[YamlFile, Any] | None:
    """Return a file of the registry and what it says, or None after adding the reason to `complaints`.

    A file of an unknown version is refused with that reason alone: what else it says has another meaning.
    """
    file = read_yaml(path, complaints)
    if file is None:
        return None
    said = plain(file.document)
    if problem := version_problem(said):
        complaints.append(file.complaint((VERSION_KEY,), problem))
        return None
    return file, without_version(said)


def version_problem(said: Any) -> str | None:
    """Return what is wrong with the version of a file that says this; None if the service reads it."""
    version = said.get(VERSION_KEY, API_VERSION) if isinstance(said, Mapping) else API_VERSION
    if version == API_VERSION:
        return None
    return (
        f"this service does not know {version!r}; write {API_VERSION}, or update the service to one "
        "that knows it"
    )


def without_version(said: Any) -> Any:
    """Return what a file says besides its version."""
    if not isinstance(said, Mapping):
        return said
    return {key: value for key, value in said.items() if key != VERSION_KEY}


def raise_complaints(complaints: list[str]) -> None:
    """Do nothing when there are no complaints.

    Raises:
        CatalogError: If there is a complaint; the message has one line for each.
    """
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
