"""Reads the files of the tables under `registry/` and reports file, line and key of each error in them.

A table may be spread over three files of its name, so that who changes a policy does not see the rest:

    registry/               policy: what people decide about the work
    registry/operations/    bounds, batches and intervals, for those who run the service
    registry/language/      lists of words of a language
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from prefrontal.graph.config.yaml_files import YamlFile, YamlFiles, read_yaml, to_python, validated
from prefrontal.graph.errors import CatalogError

API_VERSION = "prefrontal/v1"
"""The version of the format that this service reads."""
VERSION_KEY = "apiVersion"
"""The key of every file under `registry/` that names the version; without it a file has the first one."""
PLACES = ("", "operations", "language")
"""The folders of a registry: policy, what those who run the service decide, and lists of words."""
_HOME = {"jobs": "operations", "limits": "operations", "outbox": "operations", "mandates": "language"}
"""The folders of tables that have no policy; all others begin at the top."""


def paths_of(folder: Path, name: str) -> list[Path]:
    """Return the files in which a table may stand: what people decide, how it is run, and its words."""
    return [folder / place / f"{name}.yaml" for place in PLACES]


def checked_table(folder: Path, name: str, annotation: Any, complaints: list[str]) -> Any:
    """Return a table as a value of its annotation, or None after adding to `complaints`."""
    found = read_table(folder, name, complaints)
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    return None if found is None else validated(*found, adapter, complaints)


def read_table(folder: Path, name: str, complaints: list[str]) -> tuple[YamlFiles, Any] | None:
    """Return the files of a table and what they say together, or None after adding to `complaints`.

    Each key stands in one of the files, in any: a registry may have all of a table in one file.
    """
    before = len(complaints)
    home = folder / _HOME.get(name, "") / f"{name}.yaml"
    there = [path for path in paths_of(folder, name) if path.exists()]
    if not {home, folder / f"{name}.yaml"} & {*there}:
        complaints.append(f"{home}: the file is missing")
        return None
    read = [read_content(path, complaints) for path in there]
    parts = [found for found in read if found is not None]
    if len(parts) < len(read):
        return None
    files = YamlFiles(tuple(file for file, _ in parts))
    if len(parts) == 1:
        return files, parts[0][1]
    merged: dict[str, Any] = {}
    for file, content in parts:
        if isinstance(content, Mapping):
            _join(merged, content, (), file, files, complaints)
        else:
            complaints.append(file.complaint((), "must be a map of keys and values"))
    return (files, merged) if len(complaints) == before else None


def _join(
    found: dict[str, Any],
    content: Mapping[str, Any],
    place: tuple[str, ...],
    file: YamlFile,
    files: YamlFiles,
    complaints: list[str],
) -> None:
    """Add what a file says to what those before it said; a key that they have, too, is a complaint."""
    for key, value in content.items():
        at = (*place, key)
        if key not in found:
            found[key] = value
        elif isinstance(found[key], Mapping) and isinstance(value, Mapping):
            found[key] = dict(found[key])
            _join(found[key], value, at, file, files, complaints)
        else:
            other = files.holding(at).path
            complaints.append(file.complaint(at, f"{other} has it, too; take it out of one of the two files"))


def read_content(path: Path, complaints: list[str]) -> tuple[YamlFile, Any] | None:
    """Return a file of the registry and what it says, or None after adding the reason to `complaints`.

    A file of an unknown version is refused with that reason alone: what else it says has another meaning.
    """
    file = read_yaml(path, complaints)
    if file is None:
        return None
    content = to_python(file.document)
    if problem := version_problem(content):
        complaints.append(file.complaint((VERSION_KEY,), problem))
        return None
    return file, strip_version(content)


def version_problem(content: Any) -> str | None:
    """Return what is wrong with the version of a file that says this; None if the service reads it."""
    version = content.get(VERSION_KEY, API_VERSION) if isinstance(content, Mapping) else API_VERSION
    if version == API_VERSION:
        return None
    return (
        f"this service does not know {version!r}; write {API_VERSION}, or update the service to one "
        "that knows it"
    )


def strip_version(content: Any) -> Any:
    """Return what a file says besides its version."""
    if not isinstance(content, Mapping):
        return content
    return {key: value for key, value in content.items() if key != VERSION_KEY}


def raise_complaints(complaints: list[str]) -> None:
    """Do nothing when there are no complaints.

    Raises:
        CatalogError: If there is a complaint; the message has one line for each.
    """
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
