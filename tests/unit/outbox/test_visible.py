"""What of an event's data a caller sees."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from prefrontal.graph.ids import Kind
from prefrontal.graph.outbox.visible import ids_in, visible


def uid(kind: Kind, number: int) -> str:
    return f"{kind.value}_{ULID.from_bytes(number.to_bytes(16, 'big'))}"


OWN, FOREIGN, GOAL = (uid(Kind.GOAL, number) for number in (1, 2, 3))
ids = st.builds(uid, st.sampled_from(Kind), st.integers(1, 4))
values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | ids,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
data = st.dictionaries(st.text(max_size=4), values, max_size=5)


def test_ids_that_are_not_readable_are_null_or_left_out_and_all_else_stays() -> None:
    found = visible(
        {
            "goal_id": GOAL,
            "parent": FOREIGN,
            "readable": OWN,
            "actor_id": uid(Kind.PERSON, 9),
            "status": "in_progress",
            "count": 3,
            "done": None,
            "turn_id": "turn-1",
            "ids": [OWN, FOREIGN, "a book"],
            "nested": {"from": FOREIGN, "to": OWN},
        },
        GOAL,
        frozenset({OWN}),
    )

    assert found == {
        "goal_id": GOAL,
        "parent": None,
        "readable": OWN,
        "actor_id": uid(Kind.PERSON, 9),
        "status": "in_progress",
        "count": 3,
        "done": None,
        "turn_id": "turn-1",
        "ids": [OWN, "a book"],
        "nested": {"from": None, "to": OWN},
    }


def test_parts_of_a_session_are_seen_in_its_own_events_alone() -> None:
    session, fragment = uid(Kind.SESSION, 1), uid(Kind.FRAGMENT, 2)

    assert visible({"item_id": fragment}, session, frozenset()) == {"item_id": fragment}
    assert visible({"item_id": fragment, "session_id": session}, GOAL, frozenset()) == {
        "item_id": None,
        "session_id": None,
    }


@given(data, st.frozensets(ids, max_size=6))
def test_no_unreadable_id_is_left_anywhere(given_data: dict[str, Any], readable: frozenset[str]) -> None:
    actors = {Kind.AGENT, Kind.PERSON, Kind.DEVICE, Kind.ORGANISATION}

    shown = visible(given_data, GOAL, readable)

    for found in ids_in(shown):
        assert found in readable or found == GOAL or found.split("_")[0] in {kind.value for kind in actors}
    # What is readable stays where it is.
    everything = frozenset(ids_in(given_data))
    assert json.dumps(visible(given_data, GOAL, everything)) == json.dumps(
        json.loads(json.dumps(given_data))
        if None not in _in_lists(given_data)
        else visible(given_data, GOAL, everything)
    )


def _in_lists(value: Any) -> list[Any]:
    """Everything that stands in a list: a null there is left out."""
    if isinstance(value, dict):
        return [each for inner in value.values() for each in _in_lists(inner)]
    if isinstance(value, list):
        return [*value, *(each for inner in value for each in _in_lists(inner))]
    return []
