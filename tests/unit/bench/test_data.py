"""The labelled sets of `bench/data` are as long, as mixed and as split as their README says."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

import pytest
from ruamel.yaml import YAML

from bench.pairs import read_pairs
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.text.words import stems_of

DATA = ROOT / "bench" / "data"
SPLITS = {"tune", "test"}
NOTE = {"id", "world", "split", "kind", "at", "text", "speaker", "conversation", "entities"}
QUESTION = {"id", "world", "split", "category", "text", "answers", "tempting"}
CALLS = {"wish", "need", "request", "problem", "deadline", "constraint", "preference"}
CALLS_FOR_NOTHING = {"fact", "event", "measurement", "opinion"}

WITHOUT_UNANSWERABLE = {"gardener", "hotel", "nurse"}

Item = dict[str, Any]


def load(name: str) -> Any:
    return YAML(typ="safe").load(DATA / name)


NOTES = load("everyday/notes.yaml")
QUESTIONS = load("everyday/questions.yaml")
EVALUATION: list[Item] = load("evaluation_notes.yaml")["notes"]
PAIRS: list[Item] = load("contradiction_pairs.yaml")["pairs"]


def by_id() -> dict[str, Item]:
    return {note["id"]: note for note in NOTES["notes"]}


def test_the_notes_are_of_four_worlds_and_two_of_them_are_only_measured() -> None:
    assert Counter(note["world"] for note in NOTES["notes"]) == {
        "home": 44,
        "team": 43,
        "bakery": 42,
        "band": 42,
    }
    splits = {world: about["split"] for world, about in NOTES["worlds"].items()}
    assert splits == {"home": "tune", "team": "tune", "bakery": "test", "band": "test"}
    for item in [*NOTES["notes"], *QUESTIONS["questions"]]:
        assert item["split"] == splits[item["world"]], item


def test_every_note_has_an_id_a_text_a_time_with_a_zone_and_a_kind_of_the_registry() -> None:
    kinds = load_catalog(ROOT / "registry").memory.kinds
    now = datetime.fromisoformat(QUESTIONS["now"])
    for note in NOTES["notes"]:
        assert note.keys() <= NOTE, note
        assert note["kind"] in kinds, note
        at = datetime.fromisoformat(note["at"])
        assert at.tzinfo is not None, note
        assert at <= now, note
        assert all(isinstance(name, str) for name in [note["text"], *note.get("entities", [])]), note
        assert (note["kind"] == "message") == ("speaker" in note), note
    assert {note["kind"] for note in NOTES["notes"]} == {"fact", "skill", "episode", "message"}
    assert len(by_id()) == len(NOTES["notes"]) == len({note["text"] for note in NOTES["notes"]})


def test_every_answer_is_a_note_of_the_world_of_the_question() -> None:
    notes = by_id()
    for question in QUESTIONS["questions"]:
        assert question.keys() <= QUESTION, question
        answers, tempting = question["answers"], question.get("tempting", [])
        named = [*answers, *tempting]
        assert len(set(named)) == len(named), question
        assert {notes[uid]["world"] for uid in named} == {question["world"]}, question
        match question["category"]:
            case "answerable":
                assert answers, question
            case "neighbours":
                assert len(answers) == 1, question
                assert tempting, question
            case category:
                assert category == "unanswerable", question
                assert not answers, question
                assert tempting, question
    questions = QUESTIONS["questions"]
    assert len({question["id"] for question in questions}) == len(questions)
    assert len({(question["world"], question["text"]) for question in questions}) == len(questions)


def test_a_third_of_the_questions_of_every_world_is_of_each_category() -> None:
    categories = Counter(question["category"] for question in QUESTIONS["questions"])
    assert categories == {"answerable": 63, "neighbours": 60, "unanswerable": 60}
    for world in NOTES["worlds"]:
        of_world = Counter(q["category"] for q in QUESTIONS["questions"] if q["world"] == world)
        assert of_world.total() >= 44, world
        assert all(0.3 <= number / of_world.total() <= 0.37 for number in of_world.values()), of_world


def test_many_questions_share_no_word_with_their_answer() -> None:
    notes = by_id()
    answered = [q for q in QUESTIONS["questions"] if q["answers"]]
    apart = [
        q
        for q in answered
        if not any(stems_of(q["text"]) & stems_of(notes[uid]["text"]) for uid in q["answers"])
    ]
    assert len(apart) >= len(answered) // 5


def test_half_of_the_evaluation_notes_call_for_something() -> None:
    assert len(EVALUATION) == len({note["text"].casefold() for note in EVALUATION}) == 224
    for note in EVALUATION:
        assert note.keys() == {"text", "calls", "why", "split"}, note
        assert note["why"] in (CALLS if note["calls"] else CALLS_FOR_NOTHING), note
    assert Counter((note["calls"], note["split"]) for note in EVALUATION) == {
        (True, "tune"): 57,
        (True, "test"): 57,
        (False, "tune"): 55,
        (False, "test"): 55,
    }
    for why in CALLS | CALLS_FOR_NOTHING:
        of_why = Counter(note["split"] for note in EVALUATION if note["why"] == why)
        assert abs(of_why["tune"] - of_why["test"]) <= 1, why
        assert of_why.total() >= 12, why


def test_sixty_of_a_hundred_pairs_contradict() -> None:
    assert len(PAIRS) == len({frozenset((pair["one"], pair["other"])) for pair in PAIRS}) == 100
    for pair in PAIRS:
        assert pair.keys() == {"one", "other", "contradicts", "kind", "split"}, pair
        assert pair["contradicts"] == (pair["kind"] != "none"), pair
        assert pair["one"] != pair["other"], pair
    assert Counter((pair["contradicts"], pair["split"]) for pair in PAIRS) == {
        (True, "tune"): 30,
        (True, "test"): 30,
        (False, "tune"): 20,
        (False, "test"): 20,
    }
    assert Counter(pair["kind"] for pair in PAIRS) == {
        "none": 40,
        "amount": 11,
        "day": 10,
        "like": 10,
        "place": 9,
        "negation": 8,
        "person": 6,
        "state": 6,
    }


@pytest.mark.nightly("the data of measurements, which no change of the service touches")
def test_twelve_questions_on_thirty_short_notes_are_answered_by_one_note_or_two() -> None:
    notes, questions = load("short/notes.yaml"), load("short/questions.yaml")["questions"]
    splits = {world: about["split"] for world, about in notes["worlds"].items()}
    of = {note["id"]: note["world"] for note in notes["notes"]}
    assert Counter(of.values()) == dict.fromkeys(splits, 30)
    assert Counter(splits.values()) == {"tune": 31, "test": 32}
    for item in [*notes["notes"], *questions]:
        assert item["split"] == splits[item["world"]], item
    for question in questions:
        answers = question["answers"]
        assert bool(answers) == (question["category"] == "answerable"), question
        related = question.get("related", [])
        assert all(of[uid] == question["world"] for uid in [*answers, *related]), question
        assert not set(answers) & set(related), question
    assert Counter(len(q["answers"]) for q in questions) == {0: 240, 1: 749, 2: 7}
    assert Counter((q["world"], q["category"]) for q in questions) == {
        (world, category): number
        for world in splits
        for category, number in (
            ("answerable", 12),
            ("unanswerable", 0 if world in WITHOUT_UNANSWERABLE else 4),
        )
        if number
    }


@pytest.mark.nightly("the data of measurements, which no change of the service touches")
def test_the_encoder_is_tuned_with_questions_in_worlds_that_nothing_is_measured_with() -> None:
    worlds = read_pairs()
    assert {len(world.notes) for world in worlds} == {30}
    assert (len(worlds), sum(len(world.questions) for world in worlds)) == (830, 19_941)
    hard = [(len(world.unanswered), len(world.newer), len(world.alike)) for world in worlds if world.newer]
    assert hard == [(7, 4, 3)] * 400
    # No world is there twice.
    assert len({world.about for world in worlds}) == len(worlds)
    measured = [
        load(f"{name}/{file}.yaml")[file] for name in ("short", "everyday") for file in ("notes", "questions")
    ]
    texts = {item["text"].casefold() for items in measured for item in items}
    for name in ("identifiers", "scripts", "nothing"):
        for of_set in load(f"truth/{name}.yaml")["worlds"]:
            texts |= {text.casefold() for text in of_set["notes"]}
            texts |= {case["question"].casefold() for case in of_set["cases"]}
    for world in worlds:
        asked = (*world.questions, *world.unanswered, *world.alike)
        newer = (text for each in world.newer for text in (each.text, each.question))
        learned = [*world.notes, *(question.text for question in asked), *newer]
        assert texts.isdisjoint(text.casefold() for text in learned), world.about
