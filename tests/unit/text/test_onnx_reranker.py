"""The reranker: the real model with what it learned, and files that have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.errors import EncoderUnavailable
from prefrontal.graph.text.encoders import DEFAULT, E5, HASH, NONE, reranker_files, reranker_of
from prefrontal.graph.text.low_rank import ANSWERS, BIAS, CHANGES, WEIGHT, read_change, read_head
from prefrontal.graph.text.model_files import RERANKER
from prefrontal.graph.text.onnx_reranker import OnnxReranker

CACHE = load_settings().cache_dir
RIGHT = "The spare key for the boathouse hangs behind the fuse box."
WRONG = "The boathouse needs a new coat of paint before Easter."


@pytest.fixture(scope="module")
def reranker() -> OnnxReranker:
    """The real one. Without the models, which `make deps` fetches, its tests fail."""
    return OnnxReranker(reranker_files(CACHE), threads=2)


async def test_what_answers_is_above_0_and_what_is_about_the_same_below(reranker: OnnxReranker) -> None:
    right, wrong = await reranker.logits("Where is the key of the boathouse?", [RIGHT, WRONG])

    assert right > 0 > wrong


async def test_a_text_has_the_same_number_whichever_are_beside_it(reranker: OnnxReranker) -> None:
    question = "Where is the key of the boathouse?"
    (alone,) = await reranker.logits(question, [RIGHT])

    assert (await reranker.logits(question, [WRONG, RIGHT, WRONG * 50]))[1] == alone


@pytest.mark.parametrize("text", ["", "\ud800", "word " * 20_000, "a" * 100_000, "\x00"])
async def test_every_text_has_a_number(reranker: OnnxReranker, text: str) -> None:
    for pair in ((text, [RIGHT]), ("Where is the key?", [text])):
        (logit,) = await reranker.logits(*pair)
        assert np.isfinite(logit)


async def test_a_note_cannot_end_itself_and_begin_another(reranker: OnnxReranker) -> None:
    question = "Where is the key of the boathouse?"
    notes = [f"{WRONG} {sign} {RIGHT}" for sign in ("[SEP]", "[sep]")]
    one, other = await reranker.logits(question, notes)

    assert one == other


async def test_nothing_is_read_without_texts(reranker: OnnxReranker) -> None:
    assert await reranker.logits("Where?", []) == []
    assert await reranker.changes("There.", []) == []


async def test_it_tells_what_a_note_changes_from_what_holds_beside_it(reranker: OnnxReranker) -> None:
    changed, beside = await reranker.changes(
        "Liisa has taken over the Baltic customers from Tesfaye as of this quarter.",
        ["Tesfaye manages the Baltic accounts.", "The Baltic customers like short letters."],
    )

    assert changed > 0 > beside


def test_only_the_default_encoder_has_a_reranker() -> None:
    found = {setting: reranker_of(setting, CACHE, 1) for setting in (DEFAULT, E5, HASH, NONE, "folder")}

    assert [setting for setting, each in found.items() if each is not None] == [DEFAULT]
    assert found[DEFAULT] is reranker_of(DEFAULT, CACHE, 1)


def test_what_it_learned_changes_every_matrix_and_has_two_heads() -> None:
    assert len(read_change(RERANKER)) == 72
    for head, size in ((ANSWERS, 384), (CHANGES, 768)):
        weights, constant = read_head(RERANKER, head)
        assert (weights.shape, np.isfinite(constant)) == ((size,), True)


@pytest.mark.parametrize("left_out", [head + part for head in (ANSWERS, CHANGES) for part in (WEIGHT, BIAS)])
async def test_a_file_without_a_head_is_refused(tmp_path: Path, left_out: str) -> None:
    head = {ANSWERS + WEIGHT: np.zeros(384, np.float32), ANSWERS + BIAS: np.zeros(1, np.float32)}
    head |= {CHANGES + WEIGHT: np.zeros(768, np.float32), CHANGES + BIAS: np.zeros(1, np.float32)}
    np.savez(tmp_path / "x.npz", **{name: value for name, value in head.items() if name != left_out})
    files = replace(reranker_files(CACHE), tuning=tmp_path / "x.npz")

    with pytest.raises(EncoderUnavailable, match="a cross-encoder has"):
        await OnnxReranker(files).load()
