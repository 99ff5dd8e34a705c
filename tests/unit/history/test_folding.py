"""What versions say when they are put together, for any history there could be."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.history.record import StoredVersion
from prefrontal.graph.history.rules import differences, fold, remarks_of, unfold

NAMES = ("title", "status", "progress", "tags", "derived_from")
values = st.none() | st.integers(0, 3) | st.text(max_size=3) | st.lists(st.text(max_size=2), max_size=2)
records = st.fixed_dictionaries(dict.fromkeys(NAMES, values))
histories = st.lists(records, min_size=1, max_size=12)


def versions_of(history: list[dict[str, Any]]) -> list[StoredVersion]:
    """The versions that these states in a row leave; what is equal to before leaves none."""
    found = [StoredVersion(number=1, changes=history[0])]
    for before, after in pairwise(history):
        changes = {name: after[name] for name in NAMES if after[name] != before[name]}
        was = {name: before[name] for name in changes}
        if changes:
            found.append(StoredVersion(number=len(found) + 1, changes=changes, before=was))
    return found


def states_of(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [state for state, before in zip(history, [None, *history], strict=False) if state != before]


@pytest.mark.covers("VER-01", "VER-06")
@given(histories)
def test_the_first_versions_folded_are_the_record_at_each_point(history: list[dict[str, Any]]) -> None:
    versions = versions_of(history)

    for number, state in enumerate(states_of(history), start=1):
        assert fold(versions[:number]) == state


@given(histories)
def test_the_last_word_about_each_field_is_enough(history: list[dict[str, Any]]) -> None:
    versions = versions_of(history)
    for number in range(1, len(versions) + 1):
        last = {name: version.number for version in versions[:number] for name in version.changes}
        few = [version for version in versions[:number] if version.number in last.values()]

        assert fold(few) == fold(versions[:number])


@given(histories)
def test_the_present_folded_backwards_is_the_record_at_each_point(history: list[dict[str, Any]]) -> None:
    versions = versions_of(history)
    for number, state in enumerate(states_of(history), start=1):
        assert unfold(history[-1], versions[number:]) == state


@given(histories)
def test_the_first_word_after_is_enough_to_go_back(history: list[dict[str, Any]]) -> None:
    versions = versions_of(history)
    for number in range(1, len(versions) + 1):
        later = versions[number:]
        first: dict[str, int] = {}
        for version in later:
            for name in version.changes:
                first.setdefault(name, version.number)
        few = [version for version in later if version.number in first.values()]

        assert unfold(history[-1], few) == unfold(history[-1], later)


@pytest.mark.covers("VER-05", "VER-09")
@given(histories)
def test_differences_lead_from_each_version_to_the_next_and_back(history: list[dict[str, Any]]) -> None:
    versions, states = versions_of(history), states_of(history)
    for version, before, after in zip(versions[1:], states, states[1:], strict=False):
        told = differences(version, before, remarks_of("goal"))

        assert {**before, **{change.name: change.after for change in told}} == after
        assert {**after, **{change.name: change.before for change in told}} == before


def test_what_is_said_beside_fields_is_no_difference() -> None:
    said = {
        "title": "a",
        "note": "so",
        "evidence_linked": ["obs_1"],
        "references": ["bill"],
        "reverted_to": 1,
    }
    version = StoredVersion(number=2, changes=said)

    of_goal = differences(version, {"title": "b"}, remarks_of("goal"))
    assert [each.name for each in of_goal] == ["evidence", "title"]
    assert (of_goal[0].before, of_goal[0].after) == ([], ["obs_1"])
    # Of a story its references are a field.
    of_story = differences(version, {"title": "b"}, remarks_of("story"))
    assert [each.name for each in of_story] == ["evidence", "references", "title"]
