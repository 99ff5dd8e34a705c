"""Key topics and decisions of a conversation: worked values of both rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.summaries.decisions import decisions_of, key_topics, spelt
from prefrontal.graph.summaries.record import KeyTopic, NamedTopic, SettledKind, TurnEffect

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def named(name: str, *uids: int) -> NamedTopic:
    return NamedTopic(key=name.lower(), name=name, uids=tuple(f"msg_{uid}" for uid in uids))


def uid_of(kind: str, name: str) -> str:
    return f"{kind}_01JBXM3Z8K0QF3W4T9V2C7H5R{name[0].upper()}"


def settled(title: str, minutes: int, status: str | None = None, **given: Any) -> TurnEffect:
    fields = {
        "kind": SettledKind.GOAL,
        "uid": uid_of("goal", title),
        "turn_uid": "turn_1",
        "scope_id": "spc_1",
        **given,
    }
    return TurnEffect(title=title, at=NOON + timedelta(minutes=minutes), status=status, **fields)


@pytest.mark.covers("TURN-120")
def test_the_most_frequent_topics_come_first_and_of_equal_ones_the_latest() -> None:
    found = key_topics([named("rain", 1, 2), named("wine", 3, 4), named("tea", 1), named("cake", 1, 2, 3)], 3)
    assert [(each.name, each.messages) for each in found] == [("cake", 3), ("wine", 2), ("rain", 2)]
    assert key_topics([], 3) == ()


@pytest.mark.covers("TURN-120")
def test_two_spellings_are_one_topic_and_a_message_counts_once() -> None:
    found = key_topics([named("Paris", 1, 2), named("paris", 2, 3), named("wine", 1, 4)], 8)
    assert [(each.name, each.messages) for each in found] == [("Paris", 3), ("wine", 2)]


@pytest.mark.covers("TURN-120")
def test_a_topic_is_shown_as_the_text_writes_it() -> None:
    topic = KeyTopic(name="pari", messages=1, last_uid="msg_1")
    assert spelt(topic, "We go to Paris, again").name == "paris"
    assert spelt(topic, "We go").name == "pari"


@given(st.lists(st.builds(named, st.text(min_size=1, max_size=2), st.integers(0, 9))), st.integers(1, 5))
def test_topics_are_bounded_and_sorted(all_named: list[NamedTopic], most: int) -> None:
    found = key_topics(all_named, most)
    assert len(found) == min(most, len(key_topics(all_named, 100)))
    counts = [each.messages for each in found]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.covers("TURN-121")
def test_the_newest_decisions_are_kept_in_their_order() -> None:
    given = [
        settled("b", 2, "in_progress", kind=SettledKind.ACTION, uid=uid_of("act", "b")),
        settled("a", 1),
        settled("c", 3, kind=SettledKind.STORY, uid=uid_of("story", "c"), turn_uid="turn_2"),
    ]
    found = decisions_of(given, (), 5, 20)
    assert [each.text for each in found] == ["Goal founded: a", "Action in progress: b", "Story written: c"]
    assert [(each.turn_uid, each.at, each.of_uid) for each in found][-1] == (
        "turn_2",
        NOON + timedelta(minutes=3),
        uid_of("story", "c"),
    )
    assert [each.of_uid for each in decisions_of(given, (), 2, 20)] == [
        uid_of("act", "b"),
        uid_of("story", "c"),
    ]
    # Of one moment the creation comes first.
    both = [settled("a", 1, "completed"), settled("a", 1)]
    assert [each.text for each in decisions_of(both, (), 5, 20)] == ["Goal founded: a", "Goal completed: a"]


@pytest.mark.covers("TURN-121")
def test_a_forgotten_title_is_left_out_and_a_long_one_is_cut() -> None:
    given = [settled("secret", 1), settled("secret", 2, scope_id="spc_2"), settled("x" * 50, 3)]
    found = decisions_of(given, {("spc_1", "secret")}, 5, 20)
    assert [each.at.minute for each in found] == [2, 3]
    assert len(found[-1].text) == len("Goal founded: ") + 20
