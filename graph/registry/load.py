"""Reads the registry's action types and reports every error with its file, line and key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from prefrontal.graph.config import Catalog
from prefrontal.graph.config.load import read_tables
from prefrontal.graph.config.table_files import raise_complaints, read_content, read_table
from prefrontal.graph.config.yaml_files import YamlFile, YamlFiles, validated
from prefrontal.graph.registry.definitions import (
    ActionsTable,
    ActionType,
    ActionTypeFile,
    ActionTypes,
    may_be_safe,
)
from prefrontal.graph.registry.format import DEFAULTS, STATUSES, Keys, defaults_problems, spelled_out

_DRAFT = re.compile(r"^draft *: *true\b", re.MULTILINE)
"""Recognises a draft even if the rest of its file is not valid YAML yet."""


@dataclass(frozen=True, slots=True)
class RegistryFiles:
    """The action types in the files of a registry."""

    types: ActionTypes
    """The types in force."""
    drafts: Mapping[str, ActionTypeFile]
    """The drafts, which no server loads, by id."""
    defaults: Keys | None
    """What `actions.yaml` says once for all types; None if it says nothing."""


def load_registry(folder: Path) -> tuple[Catalog, ActionTypes]:
    """Return the tables and the action types in force of the registry under `folder`.

    Raises:
        CatalogError: If a file is missing, is not YAML, or has a wrong key or value; the message has a line
            `file:line: key: what is wrong` for each error.
    """
    complaints: list[str] = []
    tables = read_tables(folder, complaints)
    types = _action_types(folder, complaints, drafts=False).types
    raise_complaints(complaints)
    return Catalog(**tables), types


def load_action_types(folder: Path) -> ActionTypes:
    """Return the action types in force of the registry under `folder`; drafts are not validated.

    Raises:
        CatalogError: If `load_registry` would raise it.
    """
    return _read(folder, drafts=False).types


def read_action_types(folder: Path) -> RegistryFiles:
    """Return the action types of the registry under `folder`, drafts included.

    Raises:
        CatalogError: If `load_registry` would raise it, or a draft is invalid.
    """
    return _read(folder, drafts=True)


def _read(folder: Path, *, drafts: bool) -> RegistryFiles:
    complaints: list[str] = []
    found = _action_types(folder, complaints, drafts=drafts)
    raise_complaints(complaints)
    return found


def _action_types(folder: Path, complaints: list[str], *, drafts: bool) -> RegistryFiles:
    """Return the types; add every error in a file and between files to `complaints`."""
    before = len(complaints)
    read = read_table(folder, "actions", complaints)
    file = read[0] if read else None
    settings, defaults = _settings(*read, complaints) if read else (None, None)
    known_defaults = len(complaints) == before
    files = _type_files(folder, complaints, defaults if known_defaults else {}, drafts=drafts)
    found = {name: given for name, (_, given) in files.items()}
    types = {name: given.type for name, given in found.items() if not given.draft}
    waiting = {name: given for name, given in found.items() if given.draft}
    for name, given in found.items() if known_defaults else ():
        # A type in force must not depend on a draft.
        known: Mapping[str, ActionType] = {**types, **waiting} if given.draft else types
        successor = known.get(given.replaced_by or "")
        if given.replaced_by is not None and (successor is None or successor.deprecated):
            complaints.append(
                files[name][0].complaint(("replaced_by",), f"{given.replaced_by} is not an active type")
            )
    if not types and len(complaints) == before:
        complaints.append(f"{folder / 'action_types'}: holds no action type")
    table = None if file is None else validated(file, settings, TypeAdapter(ActionsTable), complaints)
    if file is not None and table is not None and len(complaints) == before:
        safe = types.get(table.safe_type)
        if not may_be_safe(safe):
            complaints.append(file.complaint(("safe_type",), "must be an active type that a user may own"))
    # Without a table there are complaints, so the caller raises and never returns these types.
    held = ActionTypes(types, table or ActionsTable(safe_type="none", default_effort=1.0))
    return RegistryFiles(held, waiting, defaults)


def _settings(file: YamlFiles, given: Any, complaints: list[str]) -> tuple[Any, Keys | None]:
    """Return the settings of `actions.yaml`, and apart from them its defaults for the types."""
    if not isinstance(given, Mapping) or DEFAULTS not in given:
        return given, None
    settings, defaults = {key: value for key, value in given.items() if key != DEFAULTS}, given[DEFAULTS]
    complaints += [
        file.complaint((DEFAULTS, *place), message) for place, message in defaults_problems(defaults)
    ]
    return settings, defaults


def _type_files(
    folder: Path, complaints: list[str], defaults: Keys | None, *, drafts: bool
) -> dict[str, tuple[YamlFile, ActionTypeFile]]:
    """Return the parsed file of each type, by id.

    Empty `defaults` are unknown ones: the files that need them are left out.
    """
    found: dict[str, tuple[YamlFile, ActionTypeFile]] = {}
    for path in sorted((folder / "action_types").glob("*.yaml")):
        if not drafts and _is_draft(path):
            continue
        read = read_content(path, complaints)
        if read is None:
            continue
        file, keys = read
        if isinstance(keys, Mapping):
            if defaults == {} and STATUSES not in keys:
                continue
            keys, problems = spelled_out(keys, defaults)
            complaints += [file.complaint(place, message) for place, message in problems]
        given = validated(file, keys, TypeAdapter(ActionTypeFile), complaints)
        if given is None:
            continue
        if given.id != path.stem:
            complaints.append(f"{path}:1: id: {given.id} is not the file's name {path.stem}")
        found[given.id] = file, given
    return found


def _is_draft(path: Path) -> bool:
    try:
        return bool(_DRAFT.search(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        # The reader of the file reports the error.
        return False
