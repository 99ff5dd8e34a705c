"""The learned map that moves the vector of a question towards the notes that answer it."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.config.tables import AimTable
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.search.adapter import NO_ADAPTERS, QuestionAdapter, adapters_of, read_adapter
from prefrontal.graph.search.rules import aimed
from prefrontal.graph.text.encoder import HashEncoder
from prefrontal.graph.text.encoders import DEFAULT, encoder_of

REGISTRY = Settings().registry_dir
# q + L (R q) with L = (1, 0) and R = (0, 2): twice the second number is added to the first.
LEFT, RIGHT = np.array([[1.0], [0.0]]), np.array([[0.0, 2.0]])


def stored(folder: Path, sides: np.ndarray) -> Path:
    (folder / "adapters").mkdir()
    np.save(folder / "adapters" / "mine.npy", sides)
    return folder


def test_a_vector_is_moved_by_both_matrices() -> None:
    assert QuestionAdapter(LEFT, RIGHT).moved([0.5, 0.25]) == [1.0, 0.25]


def test_what_is_special_about_a_question_is_moved_and_the_constants_are_scaled_with_it() -> None:
    aim = AimTable(common=1.0, unrelated=0.1, spread=0.2)
    # (0.6, 0.8) less (0.6, 0.3) is (0, 0.5), moved to (1, 0.5).
    vector, scaled = aimed([0.6, 0.8], [0.6, 0.3], aim, QuestionAdapter(LEFT, RIGHT))

    length = math.hypot(1.0, 0.5)
    assert vector == pytest.approx([1.0 / length, 0.5 / length])
    assert (scaled.unrelated, scaled.spread) == pytest.approx((0.1 / length, 0.2 / length))


def test_a_file_has_both_matrices_row_by_row(tmp_path: Path) -> None:
    adapter = read_adapter(stored(tmp_path, np.stack([LEFT.T, RIGHT]).astype(np.float16)), "mine", 2)

    assert adapter.moved([0.5, 0.25]) == [1.0, 0.25]


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        (np.zeros((2, 4, 3)), "2 x rank x 2"),
        (np.zeros((3, 4, 2)), "2 x rank x 2"),
        (np.zeros((2, 2)), "2 x rank x 2"),
        (np.full((2, 1, 2), np.inf), "not finite"),
        (np.array([["a"]]), "could not convert"),
        (np.array([{}], dtype=object), "pickle"),
    ],
)
def test_a_file_that_is_no_adapter_of_the_encoder_is_refused(
    tmp_path: Path, sides: np.ndarray, said: str
) -> None:
    with pytest.raises(CatalogError, match=said):
        read_adapter(stored(tmp_path, sides), "mine", 2)


def test_a_missing_file_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"mine\.npy: .*take `adapter` out of search\.yaml"):
        read_adapter(tmp_path, "mine", 2)


def test_an_encoder_without_an_adapter_has_none() -> None:
    table = load_catalog(REGISTRY).search

    assert adapters_of(REGISTRY, table, None) == NO_ADAPTERS
    assert adapters_of(REGISTRY, table, HashEncoder()) == NO_ADAPTERS


def test_the_default_encoder_has_one_for_notes_that_fits_its_vectors(tmp_path: Path) -> None:
    table = load_catalog(REGISTRY).search
    # Its models are not opened.
    encoder = encoder_of(DEFAULT, tmp_path, 1)
    assert encoder is not None

    notes, speech = adapters_of(REGISTRY, table, encoder)

    assert notes is not None
    assert speech is None
    assert len(notes.moved([0.01] * encoder.dimensions)) == encoder.dimensions


def test_a_file_that_the_registry_lacks_is_said_with_the_line_that_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "registry"
    shutil.copytree(REGISTRY, folder, ignore=shutil.ignore_patterns("adapters"))
    lines = (folder / "search.yaml").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if "adapter: e5-bge-small.notes" in text)

    with pytest.raises(CatalogError) as refused:
        load_catalog(folder)

    missing = folder / "adapters" / "e5-bge-small.notes.npy"
    assert f"search.yaml:{line}: encoders.e5-bge-small.notes.adapter: the file {missing} is missing" in str(
        refused.value
    )


def test_no_file_is_there_that_no_encoder_names() -> None:
    named = {
        aim.adapter for of in load_catalog(REGISTRY).search.encoders.values() for aim in (of.notes, of.speech)
    }

    assert {file.stem for file in (REGISTRY / "adapters").iterdir()} == named - {None}
