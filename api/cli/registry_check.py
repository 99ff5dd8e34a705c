"""Checks the files of a registry as a whole: schema, policies, transitions, and the types' own fixtures."""

from __future__ import annotations

from pathlib import Path

from prefrontal.graph.config.yaml_files import read_yaml
from prefrontal.graph.cortex.actions.fixture_runner import fixture_complaints
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.load import RegistryFiles, read_action_types


def check_registry(folder: Path) -> RegistryFiles:
    """Return the action types under `folder`, drafts as well, when everything about them is right.

    Raises:
        CatalogError: A file is wrong, a type does otherwise than its fixtures say, or they do not show
            enough; the message has a line `file:line: key: what is wrong` for each.
    """
    if folder.is_file():
        raise CatalogError(f"{folder}: a registry is checked as a whole; name its folder, not one file")
    files = read_action_types(folder)
    complaints = [
        f"{path}: nobody reads a .yml; call it {path.stem}.yaml"
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
