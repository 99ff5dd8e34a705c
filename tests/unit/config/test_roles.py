"""The roles of tokens are read without the other tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.roles import load_roles
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import CatalogError


def test_the_roles_are_those_of_the_catalog() -> None:
    roles = load_roles(ROOT / "registry")
    assert roles == load_catalog(ROOT / "registry").roles
    assert roles["writer"] == ("read", "write")


def test_a_wrong_permission_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "roles.yaml").write_text("reader: [read]\nwriter: [read, reign]\n")
    said = f"{tmp_path}/roles.yaml:2: writer.1: must be one of: read, write, maintain"
    with pytest.raises(CatalogError, match=re.escape(said)):
        load_roles(tmp_path)


def test_no_other_table_is_needed(tmp_path: Path) -> None:
    (tmp_path / "roles.yaml").write_text("reader: [read]\n")
    assert load_roles(tmp_path) == {"reader": ("read",)}
    with pytest.raises(CatalogError, match=r"jobs\.yaml: the file is missing"):
        load_catalog(tmp_path)
    (tmp_path / "roles.yaml").unlink()
    with pytest.raises(CatalogError, match=r"roles\.yaml: the file is missing"):
        load_roles(tmp_path)
