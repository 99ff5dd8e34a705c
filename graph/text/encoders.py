"""Chooses the sentence encoder by the setting `PREFRONTAL_ENCODER`."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from prefrontal.graph.errors import SettingsError
from prefrontal.graph.text.encoder import Encoder, HashEncoder
from prefrontal.graph.text.model_files import e5_small_v2, local_model
from prefrontal.graph.text.onnx_encoder import OnnxEncoder

DEFAULT = "e5-small-v2"
HASH = "hash"
NONE = "none"


@cache
def encoder_of(setting: str, cache_dir: Path, threads: int) -> Encoder | None:
    """Return the encoder that a setting names, None for `none`; the same one each time, as models are large.

    Nothing is fetched or opened before the encoder is used.

    Raises:
        SettingsError: If the setting names no known encoder and no folder with one.
    """
    if setting == NONE:
        return None
    if setting == HASH:
        return HashEncoder()
    # More threads than cores would only wait for each other.
    threads = min(threads, os.cpu_count() or 1)
    if setting == DEFAULT:
        return OnnxEncoder(e5_small_v2(cache_dir), threads=threads)
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        raise SettingsError(
            f"PREFRONTAL_ENCODER: {setting} is no folder, and none of {DEFAULT}, {HASH} and {NONE} "
            "(docs/encoder.md)"
        )
    return OnnxEncoder(local_model(folder), threads=threads)
