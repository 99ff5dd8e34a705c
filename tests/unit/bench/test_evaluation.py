"""What `bench.evaluation` counts, without and with vectors."""

from __future__ import annotations

import pytest

from bench.evaluation import Note, Score, judged, read_notes, scores, show
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from tests.support.judging import Caring

CATALOG = load_catalog(Settings().registry_dir)
NOTES = (
    Note("The user wants a boat", calls=True, why="wish"),
    Note("Please fix the boat", calls=True, why="request"),
    Note("The user has a boat", calls=False, why="fact"),
    Note("p99 is 40 ms", calls=False, why="measurement"),
)


def test_precision_and_recall_of_what_was_found() -> None:
    score = Score(frozenset({NOTES[0].text, NOTES[2].text}), NOTES)
    assert (score.right, score.precision, score.recall) == (1, 0.5, 0.5)
    assert score.by_reason() == {"wish": (1, 1), "request": (1, 0), "fact": (1, 1), "measurement": (1, 0)}
    assert score.misses() == [NOTES[1], NOTES[2]]
    assert Score(frozenset(), NOTES).precision is None


async def test_with_an_encoder_its_vectors_decide_and_without_one_words() -> None:
    texts = [note.text for note in NOTES]
    assert await judged(CATALOG, None, texts) == {}
    by_vector = await judged(CATALOG, Caring(), texts)
    assert by_vector == dict(zip(texts, (False, True, False, False), strict=True))
    found = {name: sorted(score.found) for name, score in scores(CATALOG, NOTES, by_vector).items()}
    wants, please, has = texts[0], texts[1], texts[2]
    assert found == {
        "words": [has, wants],
        "form": [has, wants],
        "prototypes": [please],
        "all": [please],
        "with words": [please, wants],
    }
    assert set(scores(CATALOG, NOTES, {})) == {"words", "form"}


def test_the_table_has_a_row_for_each_rule_and_each_label(capsys: pytest.CaptureFixture[str]) -> None:
    show(scores(CATALOG, NOTES, {}), misses=True)
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["words", "2", "1", "0.50", "0.50"]
    assert said[-2:] == ["missed  request: Please fix the boat", "false   fact: The user has a boat"]


def test_both_halves_of_the_notes_are_read() -> None:
    assert [len(read_notes(split)) for split in ("tune", "test")] == [112, 112]
