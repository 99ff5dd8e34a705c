"""Tuning a model in ONNX by matrices of low rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.text.encoders import joint_models
from prefrontal.graph.text.low_rank import QUANTIZED, SCALE, ZERO, read_change, rounded, tuned, tuned_model
from prefrontal.graph.text.model_files import MODEL

# Two rows and three columns, whose scales are 1, 0.5 and 0.25.
WHOLE = np.array([[64, 2, -64], [1, 64, 4]], np.int8)
SCALES = np.array([1, 0.5, 0.25], np.float32)
# Their product has a 64 in the first row and column, and nothing else.
DOWN, UP = np.array([[8.0], [0.0]]), np.array([[8.0, 0.0, 0.0]])


def written(folder: Path, zero: int = 0) -> Path:
    """Write a model that has a matrix `M` of 8-bit integers and one more number."""
    values = {"M" + QUANTIZED: WHOLE, "M" + SCALE: SCALES, "M" + ZERO: np.full(3, zero, np.int8)}
    tensors = [numpy_helper.from_array(value, name) for name, value in values.items()]
    tensors.append(numpy_helper.from_array(np.array([7.0], np.float32), "other"))
    shape = helper.make_tensor_value_info("other", TensorProto.FLOAT, [1])
    graph = helper.make_graph([], "g", [], [shape], tensors)
    onnx.save(helper.make_model(graph), str(folder / MODEL))
    return folder / MODEL


def arrays(model: bytes) -> dict[str, np.ndarray]:
    return {t.name: numpy_helper.to_array(t) for t in onnx.load_from_string(model).graph.initializer}


def test_the_product_is_added_to_the_matrix_and_nothing_else_changes(tmp_path: Path) -> None:
    found = arrays(tuned(written(tmp_path), {"M": (DOWN, UP)}))

    # 64 + 64 is 64 steps of 2 now, and the 1 below it half a step, which is rounded to the even 0.
    assert found["M" + QUANTIZED].tolist() == [[64, 2, -64], [0, 64, 4]]
    assert found["M" + SCALE].tolist() == [2.0, 0.5, 0.25]
    assert found["M" + ZERO].tolist() == [0, 0, 0]
    assert found["other"].tolist() == [7.0]


numbers = st.floats(-10, 10, allow_nan=False, width=32)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6))
def test_a_rounded_matrix_is_half_a_step_away_at_most_and_its_integers_are_no_larger(rows: list) -> None:
    matrix = np.array(rows)
    whole, scale = rounded(matrix, WHOLE)

    assert whole.dtype == np.int8
    assert np.abs(whole.astype(int)).max() <= 64
    assert (np.abs(whole * scale.astype(float) - matrix) <= scale / 2 + 1e-5).all()


@pytest.mark.parametrize(
    ("zero", "change", "said"),
    [
        (0, {"N": (DOWN, UP)}, "has no matrix N of 8-bit integers"),
        (0, {"M": (DOWN, UP[:, :2])}, "the matrix M has another form"),
        (0, {"M": (UP, UP)}, "the matrix M has another form"),
        (3, {"M": (DOWN, UP)}, "the matrix M has another form"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(tmp_path: Path, zero: int, change: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tuned(written(tmp_path, zero), change)


def test_a_file_has_both_matrices_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "c.npz", **{"M.down": DOWN.astype(np.float16), "M.up": UP.astype(np.float16)})
    ((down, up),) = read_change(tmp_path / "c.npz").values()

    assert (down.tolist(), up.tolist()) == (DOWN.tolist(), UP.tolist())

    np.savez(tmp_path / "half.npz", **{"M.down": DOWN})
    with pytest.raises(ValueError, match=r"see M\.up"):
        read_change(tmp_path / "half.npz")


def learned(folder: Path, factor: float = 1.0) -> Path:
    """Write a file that tunes the model."""
    np.savez(folder / "c.npz", **{"M.down": DOWN * factor, "M.up": UP})
    return folder / "c.npz"


def test_a_tuned_model_is_kept_beside_the_model(tmp_path: Path) -> None:
    model = written(tmp_path)
    kept = Path(str(tuned_model(model, learned(tmp_path))))
    made = kept.stat()

    assert kept.parent == tmp_path
    assert kept.read_bytes() == tuned(model, {"M": (DOWN, UP)})
    assert tuned_model(model, learned(tmp_path)) == str(kept)
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (made.st_ino, made.st_mtime_ns)


def test_a_damaged_tuned_model_is_made_again(tmp_path: Path) -> None:
    model = written(tmp_path)
    kept = Path(str(tuned_model(model, learned(tmp_path))))
    for damage in (lambda: kept.write_bytes(b"half"), lambda: kept.with_suffix(".sha256").unlink()):
        damage()
        assert tuned_model(model, learned(tmp_path)) == str(kept)
        assert kept.read_bytes() == tuned(model, {"M": (DOWN, UP)})


def test_a_model_that_is_tuned_otherwise_replaces_the_one_of_before(tmp_path: Path) -> None:
    model = written(tmp_path)
    before = Path(str(tuned_model(model, learned(tmp_path))))
    after = Path(str(tuned_model(model, learned(tmp_path, 2.0))))

    assert after.read_bytes() == tuned(model, {"M": (DOWN * 2, UP)})
    assert sorted(tmp_path.glob("tuned-*")) == [after, after.with_suffix(".sha256")]
    assert not before.exists()


def test_a_model_that_two_files_tune_is_kept_twice(tmp_path: Path) -> None:
    model = written(tmp_path)
    np.savez(tmp_path / "d.npz", **{"M.down": DOWN * 3, "M.up": UP})
    one = Path(str(tuned_model(model, learned(tmp_path))))
    other = Path(str(tuned_model(model, tmp_path / "d.npz")))

    assert one.read_bytes() == tuned(model, {"M": (DOWN, UP)})
    assert other.read_bytes() == tuned(model, {"M": (DOWN * 3, UP)})


def test_a_folder_that_cannot_be_written_needs_no_kept_model(tmp_path: Path) -> None:
    model = written(tmp_path)
    # Nothing can be a lock here, whoever runs the test.
    (tmp_path / ".lock").mkdir()

    assert tuned_model(model, learned(tmp_path)) == tuned(model, {"M": (DOWN, UP)})
    assert list(tmp_path.glob("tuned-*")) == []


def test_each_model_of_the_default_encoder_is_changed_everywhere_by_its_file() -> None:
    """Without the models, which `make deps` fetches, the test fails."""
    for model in joint_models(load_settings().cache_dir):
        assert model.tuning is not None
        change = read_change(model.tuning)
        before = arrays((model.provide() / MODEL).read_bytes())
        after = arrays(tuned(model.provide() / MODEL, change))

        assert change.keys() == {
            name.removesuffix(QUANTIZED) for name in before if "MatMul" in name and name.endswith(QUANTIZED)
        }
        assert len(change) == 72
        for name in before:
            same = name.endswith(ZERO) or name.removesuffix(SCALE).removesuffix(QUANTIZED) not in change
            assert np.array_equal(before[name], after[name]) == same, name
        assert max(np.abs(after[name + QUANTIZED].astype(int)).max() for name in change) == 64
