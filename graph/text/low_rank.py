"""Tunes a model in ONNX: adds to each of its weight matrices W the product D U of two small ones.

A model that was trained further differs from what it was by matrices of low rank (LoRA, Hu et al., "LoRA:
Low-Rank Adaptation of Large Language Models", 2022), so what it learned takes a hundredth of its own size.

The weights are 8-bit integers with a scale for each column. They are made real numbers, changed, and rounded
again, before the model is opened: the tuned model costs as much time as the original one. It is kept beside
the original one, as tuning takes seconds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefrontal.graph.downloads.artifacts import has_sum, sha256_of
from prefrontal.graph.downloads.locks import exclusive

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

DOWN, UP = ".down", ".up"
WEIGHT, BIAS = ".weight", ".bias"
"""What follows the name of a head of a cross-encoder, if the file is one's: its weights, and a constant."""
ANSWERS, CHANGES = "head", "changes"
"""The heads: whether a text answers a question, and whether a note changes another one."""
_HEADS = frozenset(head + part for head in (ANSWERS, CHANGES) for part in (WEIGHT, BIAS))
QUANTIZED, SCALE, ZERO = "_quantized", "_scale", "_zero_point"
"""What follows the name of a matrix: its integers, what they are multiplied by, and what stands for 0."""


_KEPT = "tuned-"
_TEMPORARY = ".tuning-"


def tuned_model(model: Path, tuning: Path) -> str | bytes:
    """Return a model tuned by a file, to be opened: the path of the tuned one, or its bytes.

    The tuned one is made at the first use, and again if it is damaged. If the folder cannot be written, it is
    made at each use.

    Raises:
        ValueError: The file that tunes the model has something else, or does not fit the model.
        OSError: The model or that file cannot be read.
    """
    kept = model.with_name(f"{_prefix_of(tuning)}{sha256_of(tuning)[:16]}.onnx")
    if _is_whole(kept):
        return str(kept)
    content: bytes | None = None
    try:
        with exclusive(model.with_name(".lock")):
            if not _is_whole(kept):
                content = tuned(model, read_change(tuning))
                _keep(content, kept, _prefix_of(tuning))
    except OSError:
        return tuned(model, read_change(tuning)) if content is None else content
    return str(kept)


def _is_whole(kept: Path) -> bool:
    """Return whether a tuned model is there as it was made."""
    try:
        return has_sum(kept, _sum_of(kept).read_text())
    except OSError:
        return False


def _sum_of(kept: Path) -> Path:
    return kept.with_suffix(".sha256")


def _prefix_of(tuning: Path) -> str:
    """Return how the names of the models begin that a file tunes, also one of the same name before."""
    return f"{_KEPT}{tuning.stem}-"


def _keep(content: bytes, kept: Path, prefix: str) -> None:
    """Store a tuned model and its checksum, and delete those of before."""
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=kept.parent) as private:
        whole = Path(private, kept.name)
        whole.write_bytes(content)
        _sum_of(whole).write_text(sha256_of(whole))
        for old in kept.parent.glob(f"{prefix}*"):
            old.unlink(missing_ok=True)
        whole.replace(kept)
        _sum_of(whole).replace(_sum_of(kept))


def read_change(file: Path) -> dict[str, tuple[Array, Array]]:
    """Return D (rows x rank) and U (rank x columns) by the name of the matrix.

    Raises:
        ValueError: The file has something else.
        OSError: The file cannot be read.
    """
    # Only who encodes pays for these libraries.
    import numpy as np  # noqa: PLC0415

    with np.load(file, allow_pickle=False) as stored:
        names = set(stored.files) - _HEADS
        found = {name: stored[name].astype(np.float32) for name in names}
    names = {name.removesuffix(DOWN).removesuffix(UP) for name in found}
    missing = {name + end for name in names for end in (DOWN, UP)} ^ found.keys()
    if missing:
        raise ValueError(f"{file}: each matrix has two arrays, {DOWN} and {UP}; see {min(missing)}")
    return {name: (found[name + DOWN], found[name + UP]) for name in names}


def read_head(file: Path, head: str) -> tuple[Array, float]:
    """Return the weights of a head of a cross-encoder, and its constant.

    Raises:
        ValueError: The file has no such head.
        OSError: The file cannot be read.
    """
    import numpy as np  # noqa: PLC0415

    with np.load(file, allow_pickle=False) as stored:
        if not {head + WEIGHT, head + BIAS} <= set(stored.files):
            raise ValueError(f"{file}: a cross-encoder has {head + WEIGHT} and {head + BIAS}")
        return stored[head + WEIGHT].astype(np.float32), float(stored[head + BIAS].item())


def tuned(model: Path, change: Mapping[str, tuple[Array, Array]]) -> bytes:
    """Return a model with its matrices changed, to be opened instead of the file.

    Raises:
        ValueError: A matrix is not in the model, or has another shape or form.
        OSError: The model cannot be read.
    """
    import onnx  # noqa: PLC0415
    from onnx import numpy_helper  # noqa: PLC0415

    found = onnx.load(str(model))
    tensors = {tensor.name: tensor for tensor in found.graph.initializer}
    for name, (down, up) in change.items():
        needed = (name + QUANTIZED, name + SCALE, name + ZERO)
        if not tensors.keys() >= set(needed):
            raise ValueError(f"{model}: has no matrix {name} of 8-bit integers")
        whole, scale, zero = (numpy_helper.to_array(tensors[each]) for each in needed)
        if zero.any() or whole.shape != (down.shape[0], up.shape[1]) or scale.shape != whole.shape[1:]:
            raise ValueError(f"{model}: the matrix {name} has another form than what would change it")
        for each, values in zip(needed, rounded(whole * scale + down @ up, whole), strict=False):
            tensors[each].CopyFrom(numpy_helper.from_array(values, each))
    changed: bytes = found.SerializeToString()
    return changed


def rounded(matrix: Array, before: Array) -> tuple[Array, Array]:
    """Return a matrix as integers and the scale of each column.

    The integers are as large at most as before: some processors cannot add the products of larger ones.
    """
    import numpy as np  # noqa: PLC0415

    most = np.float32(max(int(before.max()), -int(before.min())))
    scale = np.maximum(np.abs(matrix).max(axis=0), np.finfo(np.float32).tiny) / most
    return np.rint(matrix / scale).astype(before.dtype), scale.astype(np.float32)
