"""What later turns need, simple buffers, intervals and links of sessions: worked values, and the replay."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from bench.sessions import links, meaning, retention
from bench.sessions.buffers import CHOICES, admitted
from bench.sessions.data import Talk, read_benchmark, read_own
from bench.sessions.intervals import difference_of, share_of
from bench.sessions.links import Pair, Quality
from bench.sessions.needs import Need, again, far, met, needs_after_session, needs_of_groups
from bench.sessions.replay import Run, buffered, replay, tables_of
from bench.sessions.vectors import Vectors
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.sessions.correlation import Relationship
from tests.unit.sessions.given import CATALOG

NONE = Vectors(None, {})
OWN = read_own()
ALL = tables_of(CATALOG, admits_all=True)


def need(at: int, *of: int) -> Need:
    return Need(at, frozenset(of))


def test_the_last_of_the_turns_that_belong_together_needs_each_of_the_others() -> None:
    assert needs_of_groups([(1, 4, 6), (2, 6)]) == {need(6, 1), need(6, 4), need(6, 2)}


def test_what_is_asked_about_is_needed_at_the_end() -> None:
    assert needs_after_session([3, 1], 9) == {need(9, 3), need(9, 1)}


def test_a_rare_word_that_is_said_again_needs_a_turn_that_had_it() -> None:
    texts = [
        "The sloop leaks, Jarl.",
        "It is a good day.",
        "A sloop needs a keel.",
        # The turn before has it too: nothing has to be remembered.
        "The keel is of oak.",
        "And the sloops?",
        "Ask Jarl.",
    ]
    assert again(texts, ("Jarl",)) == [need(2, 0), need(4, 0, 2)]


def test_a_need_is_far_if_the_last_turn_that_meets_it_is_more_turns_back_than_there_are_places() -> None:
    assert far([need(7, 1, 3), need(8, 3), need(4, 3)], 4) == [need(8, 3)]


def test_a_need_is_met_by_any_of_its_turns_that_is_held_at_its_time() -> None:
    at = [frozenset[int](), frozenset({0}), frozenset({1}), frozenset({1, 2})]
    assert met([need(1, 0), need(2, 0), need(2, 0, 1), need(3, 0, 2)], at) == 3


@pytest.mark.parametrize(
    ("hits", "cases", "wanted"),
    [
        ([2, 1], [4, 2], (0.5, 0.5, 0.5)),
        ([1, 0], [1, 1], (0.5, 0.0, 1.0)),
        # The only group is drawn every time.
        ([3], [4], (0.75, 0.75, 0.75)),
    ],
)
def test_a_share_and_its_interval(
    hits: list[float], cases: list[float], wanted: tuple[float, float, float]
) -> None:
    assert share_of(hits, cases) == wanted
    assert share_of(hits, cases, seed=1) == wanted


def test_a_difference_is_paired_and_none_without_cases() -> None:
    # Each group gains one of its two cases, however different the groups are.
    found = difference_of([2, 1, 1], [1, 0, 0], [2, 2, 2])
    assert found == (0.5, 0.5, 0.5)
    assert (found.is_above_zero, found.is_below_zero) == (True, False)
    assert difference_of([0], [0], [0]) is None


@pytest.mark.parametrize(("policy", "leaves"), [("fifo", "000"), ("lru", "001"), ("salience", "002")])
def test_who_leaves_a_simple_buffer(policy: str, leaves: str) -> None:
    offered = [item for item in replay(OWN[0], 12, ALL, NONE, reads=False).offered if item is not None]
    one, two, three, new = offered[:4]
    items = [
        one.model_copy(update={"last_access": three.last_access, "salience": 0.7}),
        two.model_copy(update={"salience": 0.7}),
        three.model_copy(update={"salience": 0.6}),
    ]
    after = admitted(items, new, 3, CHOICES[policy], Random(0))
    assert {"000", "001", "002", "003"} - {item.item_id for item in after} == {leaves}
    assert len(admitted(items, new, 4, CHOICES[policy], Random(0))) == 4


def test_a_replay_holds_no_more_than_the_capacity_and_offers_every_turn_at_its_own_time() -> None:
    talk = OWN[0]
    run = replay(talk, 5, ALL, NONE)
    assert [len(places) for places in run.kept] == [0, 1, 2, 3, 4, *[5] * (len(talk.turns) - 4)]
    offered = [(item.content, item.admission_time) for item in run.offered if item is not None]
    assert offered == list(talk.turns)
    assert any(item.access_count for item in run.items)
    assert replay(talk, 5, ALL, NONE) == run


def test_buffers_get_what_the_session_admitted_and_lru_without_use_is_fifo() -> None:
    talk = OWN[0]
    run = replay(talk, 5, tables_of(CATALOG), NONE, reads=False)
    fifo, lru = (buffered(talk, run.offered, 5, name, ALL, reads=False) for name in ("fifo", "lru"))
    places = [place for place, item in enumerate(run.offered) if item is not None]
    assert 0 < len(places) < len(talk.turns)
    assert fifo.kept[-1] == frozenset(places[-5:])
    assert fifo == lru


def talk(uid: str, conversation: str) -> Talk:
    return OWN[0]._replace(id=uid, conversation=conversation)


def test_compressed_sessions_of_a_conversation_lie_six_hours_apart_and_those_of_others_between() -> None:
    talks = [talk("a1", "a"), talk("a2", "a"), talk("b1", "b"), talk("b2", "b")]
    runs = {each.id: Run((), ()) for each in talks}
    found = links.sessions_of(talks, runs, NONE, CATALOG.coherence, compressed=True, speakers=True)
    first = found[0].digest.started_at
    hours = [(each.digest.started_at - first).total_seconds() / 3600 for each in found]
    assert [each.digest.uid for each in found] == ["a1", "b1", "a2", "b2"]
    assert hours == [0, 3, 6, 9]
    assert found[0].digest.entities == ("Rosa", "Emil")
    # The look-back of a day: all pairs, of which two are of one conversation, one after the other.
    pairs = links.pairs_of(found, CATALOG.correlation, None)
    assert (len(pairs), sum(pair.is_same for pair in pairs), sum(pair.is_next for pair in pairs)) == (6, 2, 2)


def pair(score: float, later: str = "x", **fields: bool) -> Pair:
    values = {"is_same": False, "is_next": False, **fields}
    return Pair(later, score, Relationship.CONTINUATION if score > 0.8 else Relationship.WEAK, **values)


PAIRS = [
    pair(0.9, is_same=True, is_next=True),
    pair(0.5, is_same=True),
    pair(0.4),
    pair(0.2, "y", is_same=True),
    pair(0.3, "y"),
]


def test_precision_and_recall_of_links() -> None:
    assert links.related(PAIRS, 0.3) == Quality(3, 3, 2 / 3, 2 / 3)
    assert links.related(PAIRS, 0.95) == Quality(0, 3, None, 0.0)
    assert links.continuations(PAIRS, 0.3) == Quality(1, 1, 1.0, 1.0)
    assert links.related(PAIRS, 0.45).f1 == pytest.approx(0.8)
    assert links.best_threshold(PAIRS) == 0.4
    # Of x the highest is true, of y it is not.
    assert links.first(PAIRS) == 0.5
    assert links.first([pair(0.4)]) is None


def test_cosines_that_are_told_apart_give_a_floor_and_a_ceiling() -> None:
    apart = meaning.Apart([0.9, 0.8, 0.95], [0.8, 0.7, 0.6])
    assert apart.is_separated == pytest.approx((3 + 2.5 + 3) / 9)
    assert apart.meaning is not None
    assert (apart.meaning.floor, apart.meaning.ceiling) == (0.7, 0.9)
    assert meaning.Apart([0.5], [0.6]).meaning is None


def test_an_offer_is_the_next_turn_after_four_and_a_foreign_one_is_of_another_conversation() -> None:
    cases = meaning.offers_of(OWN)
    assert len(cases) == sum(len(each.turns) - 4 for each in OWN)
    texts = [turn.text for turn in OWN[0].turns]
    assert (cases[0]["held"], cases[0]["belongs"]) == (texts[:4], [texts[4]])
    at_home = {turn.text for each in OWN[:3] for turn in each.turns}
    assert all(case["foreign"][0] not in at_home for case in cases[: len(texts) - 4])


def test_weights_are_chosen_on_one_half_and_the_halves_are_whole_conversations() -> None:
    one, two = retention.halves(OWN)
    assert {OWN[place].split for place in one} == {"tune"}
    assert {OWN[place].split for place in two} == {"test"}
    other = [each._replace(split="benchmark") for each in OWN]
    assert [{other[place].conversation for place in half} for half in retention.halves(other)] == [
        {"garden", "clinic", "kitchen"},
        {"boat", "choir", "archive"},
    ]


def test_the_same_needs_are_counted_for_every_policy() -> None:
    found = retention.measure(OWN[:2], 5, CATALOG, NONE, admits="all", reads=True)
    counts = found.by_kind["together"]
    assert (found.admitted, counts.cases) == (1.0, (4, 3))
    assert set(counts.hits) == {"rule", *CHOICES}
    assert counts.of([1]).cases == (3,)
    assert retention.best_of(counts._replace(hits=dict.fromkeys(retention.PROFILES, (2, 0)))) == "default"


def test_a_benchmark_is_read_with_the_evidence_of_its_questions(tmp_path: Path) -> None:
    turns = [{"id": f"s:{n}", "text": f"Turn {n}.", "at": f"2026-01-01T10:00:{n:02}"} for n in range(4)]
    conversation = {
        "id": "c",
        "speakers": ["Ada", "Ben"],
        "sessions": [{"id": "s", "turns": turns}],
        "questions": [{"evidence": ["s:3", "s:1", "other:1"]}, {"evidence": ["s:0"]}],
    }
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps({"conversations": [conversation]}), encoding="utf-8")
    (found,) = read_benchmark(path)
    assert (found.together, found.asked) == ({(1, 3)}, {0, 1, 3})
    assert (found.split, found.speakers, len(found.turns)) == ("benchmark", ("Ada", "Ben"), 4)


def test_our_own_conversations_are_as_the_readme_says() -> None:
    assert len({each.conversation for each in OWN}) == 6
    assert (len(OWN), sum(len(each.turns) for each in OWN)) == (18, 231)
    assert sum(len(each.together) for each in OWN) == 60
    assert {each.split for each in OWN} == {"tune", "test"}
    assert all(places[-1] < len(each.turns) for each in OWN for places in each.together)
    assert (ROOT / "bench" / "data" / "sessions" / "conversations.yaml").exists()
