"""Which evaluations wait for each other: those that share a subject."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.cortex.goals.record import GoalDraft
from prefrontal.graph.evaluation.subjects import SLOTS, slots_of, subjects_of
from prefrontal.graph.scratch.record import ObservationStatus, Reviewable
from tests.unit.evaluation.test_decision import CATALOG, candidate, drafts, planned


def subjects(c: Reviewable, called: GoalDraft | None = None) -> frozenset[tuple[str, ...]]:
    return subjects_of(c, CATALOG.evaluation, CATALOG.goals.topics, called)


@given(drafts, drafts)
def test_a_decision_that_another_changes_shares_a_subject_with_it(
    one: dict[str, Any], two: dict[str, Any]
) -> None:
    first, second = candidate(1, **one), candidate(2, **two)
    together, alone = planned(first, second), planned(second)

    said = [(v.decision, v.reason) for v in (together.verdicts[1], alone.verdicts[0])]
    # Together they found another number of goals than one after the other that do not see each other.
    groups = (len(together.groups), len(planned(first).groups) + len(alone.groups))

    if said[0] != said[1] or groups[0] != groups[1]:
        assert subjects(first) & subjects(second)


def test_the_subjects_are_the_text_the_key_and_the_topics_of_the_person() -> None:
    c = candidate(content="Burgundy wines", confidence=0.95, context={"goal_key": "find_cellar"})

    assert subjects(c) == {
        ("text", "", c.text_key),
        ("key", "find_cellar"),
        ("topic", "", "burgundi"),
        ("topic", "", "wine"),
        ("topic", "", "cellar"),
    }
    ann = candidate(content="Wines", confidence=0.95, context={"user_id": "ann"})
    assert subjects(ann) == {("text", "ann", ann.text_key), ("topic", "ann", "wine")}


def test_a_doubtful_one_has_its_text_and_one_that_is_evidence_has_nothing() -> None:
    c = candidate(content="Burgundy wines", confidence=0.5)
    sure = candidate(content="Burgundy wines", confidence=0.95)
    expired = sure.observation.model_copy(update={"status": ObservationStatus.EXPIRED})

    assert subjects(c) == {("text", "", c.text_key)}
    assert subjects(sure.model_copy(update={"observation": expired})) == {("text", "", sure.text_key)}
    assert subjects(sure.model_copy(update={"linked": True})) == frozenset()


def test_what_a_reviewer_describes_is_a_subject_too() -> None:
    c = candidate(content="Wines", confidence=0.95)
    called = GoalDraft(title="Fill the cellar", goal_type="buy_bottles", user_id="ann")

    found = subjects(c, called)

    assert ("key", "buy_bottles") in found
    assert {(person, word) for kind, person, word in (s for s in found if s[0] == "topic")} == {
        (person, word) for person in ("", "ann") for word in ("wine", "fill", "cellar", "buy", "bottl")
    }


@given(st.sets(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=20))
def test_equal_subjects_have_equal_locks_and_there_are_only_so_many(found: set[tuple[str, ...]]) -> None:
    slots = slots_of(found)

    assert slots == frozenset().union(*(slots_of([subject]) for subject in found))
    assert all(0 <= int(slot) < SLOTS for slot in slots)
