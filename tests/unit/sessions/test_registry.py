"""The files of the registry that the rules of sessions read: another value is another decision."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.config import Catalog, load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.sessions.admission import Components, decide
from prefrontal.graph.sessions.correlation import Digest, correlation_of
from prefrontal.graph.sessions.eviction import to_evict
from tests.unit.sessions.given import NOW, slot

HALF = Components(0.5, 0.5, 0.5, 0.5)


def _capacity(catalog: Catalog) -> Any:
    return catalog.capacity.of(None)


def _admitted(catalog: Catalog) -> Any:
    how = {"task_relevance": 0, "coherence_boost": 0, "held": 0, "capacity": 7}
    return decide(HALF, table=catalog.admission, **how).admitted


def _left(catalog: Catalog) -> Any:
    """Whether what was not used for an hour leaves, or what is not salient."""
    slots = [slot("old", idle=1, salience=1), slot("dull", salience=0)]
    how = {"limit": 1, "now": NOW, "coherence": catalog.coherence}
    return [each.item_uid for each in to_evict(slots, table=catalog.eviction, **how)]


def _related(catalog: Catalog) -> Any:
    same = [Digest(uid, ("boat",), ("harbour",), NOW, NOW) for uid in ("ses_2", "ses_1")]
    found = correlation_of(*same, None, catalog.correlation)
    return found and found.session_id


FILES = (
    pytest.param(
        "capacity.yaml", "default: 7", "default: 5", _capacity, (7, 5), marks=pytest.mark.covers("OPS-16")
    ),
    pytest.param(
        "admission.yaml",
        "base_threshold: 0.425",
        "base_threshold: 0.6",
        _admitted,
        (True, False),
        marks=pytest.mark.covers("OPS-17"),
    ),
    pytest.param(
        "eviction.yaml",
        "time_since_access: 0.3",
        "time_since_access: 0.0",
        _left,
        (["old"], ["dull"]),
        marks=pytest.mark.covers("OPS-18"),
    ),
    pytest.param(
        "correlation.yaml",
        "threshold: 0.3",
        "threshold: 0.9",
        _related,
        ("ses_1", None),
        marks=pytest.mark.covers("OPS-19"),
    ),
)


@pytest.mark.covers("OPS-21")
@pytest.mark.parametrize(("name", "shipped", "other", "decision", "expected"), FILES)
def test_another_value_in_a_file_is_another_decision_and_a_wrong_one_is_named(
    tmp_path: Path,
    name: str,
    shipped: str,
    other: str,
    decision: Callable[[Catalog], Any],
    expected: tuple[Any, Any],
) -> None:
    registry = shutil.copytree(ROOT / "registry", tmp_path / "registry")
    file, key = registry / name, shipped.partition(":")[0]
    text = file.read_text(encoding="utf-8")
    assert text.count(shipped) == 1
    before = decision(load_catalog(registry))
    file.write_text(text.replace(shipped, other), encoding="utf-8")
    assert (before, decision(load_catalog(registry))) == expected

    file.write_text(text.replace(shipped, f"{key}: none of it"), encoding="utf-8")
    with pytest.raises(CatalogError) as refused:
        load_catalog(registry)

    line = text[: text.index(shipped)].count("\n") + 1
    (said,) = (each for each in refused.value.message.splitlines() if str(file) in each)
    assert said.strip().startswith(f"{file}:{line}: ")
    assert f"{key}: must be a" in said
