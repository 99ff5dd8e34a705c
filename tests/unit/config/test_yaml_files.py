"""YAML files are read with a bound on what their aliases stand for."""

from __future__ import annotations

from pathlib import Path

from prefrontal.graph.config.yaml_files import read_yaml

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [" + ", ".join([f"*{before}"] * 10) + "]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_aliases_that_stand_for_too_much_are_refused(tmp_path: Path) -> None:
    path, complaints = tmp_path / "table.yaml", []
    path.write_text(LAUGHS)

    assert read_yaml(path, complaints) is None
    (complaint,) = complaints
    assert str(path) in complaint
    assert "more than 200000 values" in complaint


def test_an_alias_is_fine(tmp_path: Path) -> None:
    path, complaints = tmp_path / "table.yaml", []
    path.write_text("base: &base {a: 1, b: [2, 3]}\none: *base\ntwo: *base\n")

    file = read_yaml(path, complaints)

    assert complaints == []
    assert file is not None
    assert file.document["two"]["b"][1] == 3
