"""What is wrong with a stored session is mended once and for all, and what is right stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.integrity import RepairPlan, StoredSession, StoredSlot, mending_of
from prefrontal.graph.sessions.integrity_record import Fault
from prefrontal.graph.sessions.update import tables_of
from tests.unit.sessions.given import CATALOG, NOW

TABLES = tables_of(CATALOG)


def stored_slot(number: int, **changed: Any) -> StoredSlot:
    memory = f"fact_{number}"
    scores = ("relevance", "urgency", "recency", "attention", "task_relevance", "coherence_boost")
    values = {
        "item_id": memory,
        "memory_uid": memory,
        "from_uid": "ses_1",
        "scope_id": "space_1",
        "by": "person_1",
        "content_type": "memory_fragment",
        "entities": ["Mom"],
        "themes": ["vacation"],
        "since": NOW,
        "temporal_context": NOW,
        "confidence": 1.0,
        "salience": 0.8,
        **dict.fromkeys(scores, 0.5),
        "admission_score": 1.1,
        "threshold": 0.4,
        "reasons": ["high_urgency"],
        "last_access": NOW,
        "access_count": 2,
        "pinned": False,
    }
    return StoredSlot(f"ref{number}", values | changed, memory, "org_1", "The sea")


def stored(slots: tuple[StoredSlot, ...], **changed: Any) -> StoredSession:
    shares = ("coherence", "thematic_coherence", "entity_coherence", "temporal_coherence", "focus_strength")
    values = {
        "uid": "ses_1",
        "org_id": "org_1",
        "scope_id": "space_1",
        "key": "s",
        "name": "Session",
        "session_type": "default",
        "status": "active",
        "max_capacity": 3,
        "focus": [],
        "dominant_themes": ["vacation"],
        **dict.fromkeys(shares, 1.0),
        "items": len(slots),
        "items_processed": 5,
        "last_activity": NOW,
        "created_at": NOW,
        "updated_at": NOW,
        "by_uid": "person_1",
        "version": 2,
    }
    return StoredSession(values | changed, has_space=True, slots=slots)


def after(before: StoredSession, mending: RepairPlan) -> StoredSession:
    """The session as it is stored once the mending is written."""
    if not mending.writes:
        return before
    left = {ref for ref, _ in mending.left}
    slots = [
        slot._replace(properties={**slot.properties, **mending.slots.get(slot.ref, {})})
        for slot in before.slots
        if slot.ref not in mending.deleted and slot.ref not in left
    ]
    return StoredSession(mending.session, has_space=True, slots=tuple(slots))


@pytest.mark.covers("OPS-38")
def test_a_sound_session_is_left_alone() -> None:
    assert mending_of(stored((stored_slot(1), stored_slot(2))), NOW, TABLES) == RepairPlan(())


@pytest.mark.covers("OPS-39", "OPS-40")
def test_what_is_right_stays_and_what_is_wrong_is_neutral() -> None:
    wrong = stored_slot(1, salience=float("nan"), pinned="yes", entities=None)

    mending = mending_of(stored((wrong, stored_slot(2))), NOW, TABLES)

    assert mending.slots == {"ref1": {"entities": [], "salience": 0.0, "pinned": False}}
    assert [(each.fault, each.item_id, each.fields) for each in mending.findings] == [
        (Fault.SLOT_FIELDS, "fact_1", ("entities", "salience", "pinned"))
    ]
    assert (mending.session["version"], mending.left, mending.deleted) == (3, (), ())


ODD = st.sampled_from([None, -1, 99, 2.5, float("nan"), "x", "", True, [], [1], ["x"], NOW])
SLOT_VALUES = sorted(stored_slot(1).properties)
SESSION_VALUES = sorted({*stored(()).properties, "ended_at"} - {"uid", "org_id", "scope_id"})


@st.composite
def corrupt(draw: st.DrawFn) -> StoredSession:
    slots = []
    for number in range(draw(st.integers(0, 15))):
        memory = draw(st.integers(0, 14))
        changed = draw(st.dictionaries(st.sampled_from(SLOT_VALUES), ODD, max_size=3))
        slot = stored_slot(memory, **changed)._replace(ref=f"ref{number}")
        lost = draw(st.sampled_from([{}, {}, {"memory_uid": None}, {"org_id": "org_2"}]))
        slots.append(slot._replace(**lost))
    return stored(tuple(slots), **draw(st.dictionaries(st.sampled_from(SESSION_VALUES), ODD, max_size=4)))


@pytest.mark.covers("OPS-38..40", "WMS-77")
@given(corrupt())
def test_whatever_is_wrong_nothing_is_wrong_afterwards(before: StoredSession) -> None:
    mending = mending_of(before, NOW, TABLES)
    mended = after(before, mending)

    assert mending_of(mended, NOW, TABLES) == RepairPlan(())
    held = [slot for slot in mended.slots if slot.is_open]
    assert len(held) == mended.properties["items"] <= mended.properties["max_capacity"] <= 12
    assert len({slot.memory_uid for slot in held}) == len({slot.properties["item_id"] for slot in held})
    if mended.properties["status"] == "active" and not any(
        each.fault is Fault.OVER_CAPACITY for each in mending.findings
    ):
        # What can be kept is kept: one slot of each memory of the organisation.
        lost = {each.item_id for each in mending.findings if each.fault is Fault.DUPLICATE}
        known = [slot for slot in before.slots if slot.memory_uid and slot.org_id == "org_1"]
        assert lost or len(held) == len(known)


@pytest.mark.covers("SEC-07")
def test_a_repair_derives_nothing_from_what_is_redacted_or_may_be() -> None:
    slots = (
        stored_slot(1),
        stored_slot(2, themes=["secret"], redacted=True),
        stored_slot(3, themes=["hidden"], redacted="yes"),
    )

    mending = mending_of(stored(slots, items=9), NOW, TABLES)

    assert mending.session["dominant_themes"] == ["vacation"]
    assert mending.session["items"] == 3
    assert mending.slots == {"ref3": {"redacted": True}}
