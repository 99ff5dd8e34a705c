"""Several sentence encoders used as one, and the one of two models that a setting names."""

from __future__ import annotations

import math

import pytest

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT, load_settings
from prefrontal.graph.errors import EncoderUnavailable
from prefrontal.graph.text.encoder import Encoder, HashEncoder, Vector
from prefrontal.graph.text.encoders import DEFAULT, E5, JOINT, JOINT_SHARES, encoder_of, joint_models
from prefrontal.graph.text.joint_encoder import JointEncoder
from prefrontal.graph.text.model_files import e5_small_v2, local_model
from prefrontal.graph.text.onnx_encoder import OnnxEncoder
from tests.support.tiny_model import write_model

NOTES = ["Ann: wine and tea", "wine", "tea", "tea, tea", "wine: tea"]


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def is_mean(joint: Encoder, parts: list[tuple[Encoder, float]]) -> None:
    """Check that each cosine of a joint encoder is the mean of those of its parts, by their shares."""
    asked, stored = await joint.questions(NOTES), await joint.passages(NOTES)
    apart = [(await each.questions(NOTES), await each.passages(NOTES), share) for each, share in parts]
    for q in range(len(NOTES)):
        for p in range(len(NOTES)):
            mean = sum(share * cosine(ask[q], kept[p]) for ask, kept, share in apart)
            assert cosine(asked[q], stored[p]) == pytest.approx(mean, abs=1e-9)
    assert [math.hypot(*vector) for vector in stored] == pytest.approx([1.0] * len(NOTES), abs=1e-6)


async def test_a_cosine_is_the_mean_of_the_cosines_of_the_parts(tmp_path) -> None:
    tiny = OnnxEncoder(local_model(write_model(tmp_path / "tiny")))
    parts: list[tuple[Encoder, float]] = [(tiny, 0.25), (HashEncoder(), 0.75)]
    joint = JointEncoder("both", parts)

    assert (joint.name, joint.dimensions) == ("both", 3 + 384)
    await is_mean(joint, parts)
    assert await joint.passages([]) == await joint.questions([]) == []


async def test_of_what_one_of_its_models_does_not_know_it_has_no_vector(tmp_path) -> None:
    tiny = OnnxEncoder(local_model(write_model(tmp_path / "tiny")))
    joint = JointEncoder("both", [(HashEncoder(), 0.5), (tiny, 0.5)])

    for encode in (joint.passages, joint.questions):
        unknown, tea = await encode(["coffee", "tea"])
        assert unknown is None
        assert tea is not None
        assert len(tea) == 384 + 3


async def test_without_one_of_its_models_it_encodes_nothing(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    missing = OnnxEncoder(e5_small_v2(tmp_path / "file"))
    joint = JointEncoder("both", [(HashEncoder(), 0.5), (missing, 0.5)])

    for use in (joint.load(), joint.passages(["tea"]), joint.questions(["tea"])):
        with pytest.raises(EncoderUnavailable, match="e5-small-v2"):
            await use


async def test_the_joint_encoder_is_made_of_two_models_that_run() -> None:
    """Without the models, which `make deps` fetches, the test fails."""
    cache = load_settings().cache_dir
    joint = encoder_of(JOINT, cache, 2)
    assert isinstance(joint, JointEncoder)
    assert (joint.name, joint.dimensions) == ("e5-bge-tuned", 768)
    assert sum(JOINT_SHARES) == 1

    alone: list[Encoder] = [OnnxEncoder(model) for model in joint_models(cache)]
    await is_mean(joint, list(zip(alone, JOINT_SHARES, strict=True)))
    # The second model alone tells it apart, too.
    (asked,) = await alone[1].questions(["which wine does the user like"])
    wine, latency = await alone[1].passages(["The user likes red wine from Burgundy", "The API was slow"])
    assert cosine(asked, wine) > cosine(asked, latency) + 0.2


def test_each_encoder_with_constants_of_its_own_has_them_wherever_constants_are_by_encoder() -> None:
    """Those of `default` are for encoders that nobody has measured."""
    catalog = load_catalog(ROOT / "registry")
    named = catalog.search.encoders.keys()
    assert {DEFAULT, JOINT, E5, "hash", "default"} <= named

    judged = catalog.evaluation.judges.keys() | catalog.evaluation.without_meaning
    for table in (catalog.admission.meaning, catalog.correlation.meaning, catalog.lessons.near, judged):
        assert set(table) == named
