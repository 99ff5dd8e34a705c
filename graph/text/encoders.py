"""Chooses the sentence encoder and the reranker by the setting `PREFRONTAL_ENCODER`."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import SecretStr

from prefrontal.graph.errors import SettingsError
from prefrontal.graph.text.encoder import Encoder, HashEncoder
from prefrontal.graph.text.endpoint_encoder import SCHEMES, EndpointEncoder
from prefrontal.graph.text.joint_encoder import JointEncoder
from prefrontal.graph.text.model_files import (
    RERANKER,
    FetchedModel,
    bge_small,
    e5_small_v2,
    local_model,
    tuned_with_questions,
)
from prefrontal.graph.text.multilingual_encoder import MultilingualEncoder
from prefrontal.graph.text.onnx_encoder import OnnxEncoder
from prefrontal.graph.text.onnx_reranker import OnnxReranker
from prefrontal.graph.text.reranker import Reranker

E5 = "e5-small-v2"
JOINT = "e5-bge-tuned"
DEFAULT = JOINT
MULTILINGUAL = "multilingual"
HASH = "hash"
NONE = "none"

JOINT_SHARES = (0.6, 0.4)
"""What each model of the joint encoder has of a cosine, so that unrelated texts are spread alike in both.

Other shares make other vectors, so they need another name.
"""


def joint_models(cache_dir: Path) -> tuple[FetchedModel, ...]:
    """Return the models of the joint encoder, tuned with questions."""
    return tuned_with_questions(e5_small_v2(cache_dir)), tuned_with_questions(bge_small(cache_dir))


def reranker_files(cache_dir: Path) -> FetchedModel:
    """Return the model of the reranker: that of bge-small, tuned to read a question and a note together."""
    model = bge_small(cache_dir)
    # Both texts together; what is longer is cut off, as reading takes time.
    options = model.options.model_copy(update={"max_length": 160})
    return replace(model, options=options, tuning=RERANKER)


@cache
def reranker_of(setting: str, cache_dir: Path, threads: int) -> Reranker | None:
    """Return what reads the best notes again with the encoder that a setting names; the same one each time.

    None: the ranking by this encoder stays as it is.
    """
    if setting != JOINT:
        return None
    return OnnxReranker(reranker_files(cache_dir), threads=min(threads, os.cpu_count() or 1))


@cache
def encoder_of(setting: str, cache_dir: Path, threads: int, key: SecretStr | None = None) -> Encoder | None:
    """Return the encoder that a setting names, None for `none`; the same one each time, as models are large.

    Nothing is fetched or opened before the encoder is used.

    Raises:
        SettingsError: If the setting names no known encoder and no folder with one.
    """
    if setting in (NONE, HASH):
        return HashEncoder() if setting == HASH else None
    # More threads than cores would only wait for each other.
    threads = min(threads, os.cpu_count() or 1)
    if setting == MULTILINGUAL:
        return MultilingualEncoder(threads)
    if setting == E5:
        return OnnxEncoder(e5_small_v2(cache_dir), threads=threads)
    if setting == JOINT:
        models = zip(joint_models(cache_dir), JOINT_SHARES, strict=True)
        return JointEncoder(JOINT, [(OnnxEncoder(model, threads=threads), share) for model, share in models])
    if setting.startswith(SCHEMES):
        return EndpointEncoder(setting, None if key is None else key.get_secret_value())
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        raise SettingsError(
            f"PREFRONTAL_ENCODER: {setting} is no folder, no address, and none of {JOINT}, {E5}, "
            f"{MULTILINGUAL}, {HASH} and {NONE} (docs/encoder.md)"
        )
    return OnnxEncoder(local_model(folder), threads=threads)
