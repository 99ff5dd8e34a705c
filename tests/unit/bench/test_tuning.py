"""A measurement can change values of the registry, of a copy and only for its time."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

import pytest

from bench.tuning import change, changed_registry, registry_of
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT, load_settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "registry", tmp_path / "registry"))


def test_a_value_is_changed_and_no_other(folder: Path) -> None:
    before = load_catalog(folder)

    change(folder, "search.weights.text=0")

    after = load_catalog(folder)
    assert after.search.weights.text == 0.0
    assert before.search.weights.text > 0
    weights = after.search.weights.model_copy(update={"text": before.search.weights.text})
    assert after.search.model_copy(update={"weights": weights}) == before.search


@pytest.mark.parametrize(
    "text", ["search", "search=1", "search.weights.text", "nothing.x=1", "search.weight.text=0", "search.x=0"]
)
def test_what_is_not_there_is_refused(folder: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"give FILE|has no"):
        change(folder, text)


def test_the_copy_is_used_inside_the_block_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFRONTAL_REGISTRY_DIR", raising=False)
    before = load_settings().registry_dir

    with changed_registry(["context.floor=0.5", "search.gap=0.5"]):
        inside = load_settings().registry_dir
        catalog = load_catalog(inside)
        assert (catalog.context.floor, catalog.search.gap) == (0.5, 0.5)

    assert load_settings().registry_dir == before != inside
    assert not inside.exists()
    assert "PREFRONTAL_REGISTRY_DIR" not in os.environ


def test_a_registry_that_does_not_hold_is_refused() -> None:
    with pytest.raises(Exception, match="gap"), changed_registry(["search.gap=much"]):
        pass


@pytest.mark.parametrize(
    ("text", "said"),
    [("search.sure=7", "registry/search.yaml"), ("search.x=0", "search.yaml has no x"), ("x", "give FILE")],
)
def test_a_command_says_what_is_wrong_and_ends(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended, registry_of(argparse.ArgumentParser(), [text]):
        pass

    assert ended.value.code == 2
    assert said in (printed := capsys.readouterr().err)
    assert "tmp" not in printed
