"""Check of a registry's files as a whole: schema, policies, transitions, and the fixtures of the types."""

from __future__ import annotations

from pathlib import Path

from prefrontal.graph.config.yaml_files import read_yaml
from prefrontal.graph.cortex.actions.fixture_runner import fixture_complaints
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.load import RegistryFiles, read_action_types


def check_registry(folder: Path) -> RegistryFiles:
    """Return the action types under `folder`, including drafts.

    Raises:
        CatalogError: If a file is wrong, a type behaves otherwise than its fixtures expect, or the fixtures
            do not cover enough; the message has one line `file:line: key: what is wrong` for each error.
    """
    if folder.is_file():
        raise CatalogError(f"{folder}: a registry is checked as a whole; name its folder, not one file")
    files = read_action_types(folder)
    complaints = [
        f"{path}: the server does not read .yml files; rename it to {path.stem}.yaml"
        for path in sorted((folder / "action_types").glob("*.yml"))
    ]
    for name, kind in sorted({**files.types, **files.drafts}.items()):
        found = fixture_complaints(kind)
        file = read_yaml(folder / "action_types" / f"{name}.yaml", complaints) if found else None
        if file is not None:
            complaints += [file.complaint(place, message) for place, message in found]
    if complaints:
        raise CatalogError("the registry is wrong:\n  " + "\n  ".join(complaints))
    return files
