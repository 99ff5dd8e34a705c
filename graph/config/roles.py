"""The table `roles.yaml`: what the roles of a token allow. A command that signs a token reads it alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from prefrontal.graph.config.table import Name
from prefrontal.graph.config.table_files import checked_table, raise_complaints

Permission = Literal["read", "write", "maintain"]
Roles = Mapping[Name, tuple[Permission, ...]]


def load_roles(folder: Path) -> Roles:
    """Return the permissions of each role.

    Raises:
        CatalogError: If the file is missing, is not YAML, or has a wrong key or value; the message has one
            line `file:line: key: what is wrong` for each error.
    """
    complaints: list[str] = []
    roles: Roles | None = checked_table(folder, "roles", Roles, complaints)
    raise_complaints(complaints)
    assert roles is not None  # noqa: S101 - without one there is a complaint
    return roles
