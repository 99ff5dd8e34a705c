"""What a sentence encoder costs, and how its cosines of questions and unrelated texts are.

    python -m bench.encoder [--encoder e5-bge-tuned|e5-small-v2|FOLDER]

The first table has the milliseconds (p50) of a question and of texts of some words, one after the other, and
the memory that the process gained when the model was loaded and when long texts were encoded. The same
follows for the encoder's reranker, which reads the question together with such a text.

The second one has the mean and the spread of the cosines of the questions of `bench/data` and the notes of
*other* worlds, of vectors as `registry/search.yaml` aims them at notes and at speech, and what is set there.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from bench.everyday import read
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.config.tables import SearchTable
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.search.rules import query_vector
from prefrontal.graph.text.encoder import Encoder, Vector
from prefrontal.graph.text.encoders import DEFAULT, encoder_of, reranker_of
from prefrontal.graph.text.reranker import Reranker

SENTENCE = "the tea of Tuesday was cold and Ann did not drink it because of the wine "
TEXTS = {"16 words": SENTENCE, "48 words": SENTENCE * 3, "the longest": SENTENCE * 60}
QUESTION = "Which wine goes with the turbot on Saturday?"
DATA = ("short", "everyday")
_RUNS = 30

_Call = Callable[[], Awaitable[object]]


async def costs(encoder: Encoder) -> None:
    """Print the milliseconds of texts and the memory."""
    calls = {"a question": partial(encoder.questions, [QUESTION])}
    calls |= {name: partial(encoder.passages, [text]) for name, text in TEXTS.items()}
    # As many side by side as there are threads.
    await _costs(encoder.load, calls, partial(encoder.passages, [TEXTS["the longest"]] * 8))


async def costs_of_reading(reranker: Reranker) -> None:
    """Print the milliseconds of texts that are read again, and the memory."""
    calls = {
        f"read again, {name}": partial(reranker.logits, QUESTION, [text]) for name, text in TEXTS.items()
    }
    await _costs(reranker.load, calls, partial(reranker.logits, QUESTION, [TEXTS["the longest"]] * 8))


async def _costs(load: _Call, calls: Mapping[str, _Call], last: _Call) -> None:
    before = _resident_mb()
    await load()
    loaded = _resident_mb()
    for name, call in calls.items():
        print(f"{name:23} {await _ms_of(call):7.1f} ms")
    await last()
    print(f"loaded {loaded - before:.0f} MB; after long texts {_resident_mb() - before:.0f} MB")


async def _ms_of(call: _Call) -> float:
    times = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        await call()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def _resident_mb() -> float:
    """Return the memory of this process; 0 where the system does not tell it as Linux does."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


async def cosines(encoder: Encoder, table: SearchTable) -> None:
    """Print the mean and the spread of cosines with unrelated texts."""
    notes = [(data, note) for data in DATA for note in read(data, "notes")["notes"]]
    asked = [(data, question) for data in DATA for question in read(data, "questions")["questions"]]
    stored = np.array(
        _all(await encoder.passages([passage_of(note["text"], note.get("speaker")) for _, note in notes]))
    )
    questions = _all(await encoder.questions([question["text"] for _, question in asked]))
    usual = np.mean(_all(await encoder.questions(table.usual_questions)), axis=0).tolist()
    worlds = [(data, note["world"]) for data, note in notes]
    print(f"{'sort':8} {'mean':>7} {'spread':>7} {'unrelated':>10} {'spread set':>11}")
    of_encoder = table.encoder(encoder.name)
    for sort, aim in (("notes", of_encoder.notes), ("speech", of_encoder.of_speech)):
        found = []
        for (data, question), vector in zip(asked, questions, strict=True):
            special, scaled = query_vector(vector, usual, aim)
            # As long as it was: the constants of the registry are for that.
            length = aim.spread / scaled.spread
            others = np.array([world != (data, question["world"]) for world in worlds])
            found.append(stored[others] @ np.array(special) * length)
        values = np.concatenate(found)
        print(f"{sort:8} {values.mean():7.3f} {values.std():7.4f} {aim.unrelated:10.3f} {aim.spread:11.4f}")


def _all(made: Sequence[Vector | None]) -> list[Vector]:
    """Return vectors, each of which was made: an encoder that lacks words of these texts is not measured."""
    if None in made:
        raise SystemExit("the encoder knows nothing of some of the texts")
    return [vector for vector in made if vector is not None]


async def run(encoder: Encoder, reranker: Reranker | None, table: SearchTable) -> None:
    """Print all tables."""
    await costs(encoder)
    if reranker is not None:
        await costs_of_reading(reranker)
    await cosines(encoder, table)


def main() -> None:
    """Print what an encoder costs and how its cosines are."""
    parser = argparse.ArgumentParser(prog="python -m bench.encoder", description=__doc__)
    parser.add_argument("--encoder", default=DEFAULT, help="as PREFRONTAL_ENCODER, but `none`")
    settings = load_settings()
    given = parser.parse_args()
    named = (given.encoder, settings.cache_dir, settings.encoder_threads)
    encoder = encoder_of(*named, settings.encoder_key)
    if encoder is None:
        parser.error("`none` encodes nothing")
    asyncio.run(run(encoder, reranker_of(*named), load_catalog(settings.registry_dir).search))


if __name__ == "__main__":
    main()
