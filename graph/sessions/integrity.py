"""What is wrong with a stored session, and how it is mended: as much of it as can be stays (source 002 §6.2).

    values      one that is missing or impossible becomes the neutral one: no salience, no accesses, the time
                that is nearest to the lost one; what is right stays
    duplicates  of open slots of one item, or of one memory, the one that was used last stays
    dangling    a slot that leads to no memory is deleted, one that leads to another organisation ends
    ended       the slots of an ended session end
    capacity    who holds too many lets the excess go by the usual rule (`eviction`)
    counts      the number of items, themes and coherence are those of what the session holds then

A memory that was forgotten or has expired is no fault: the next operation of the session lets it go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from prefrontal.graph.config.session_tables import DEFAULT_SESSION_TYPE
from prefrontal.graph.entities.rules import fold_name
from prefrontal.graph.sessions.integrity_record import Fault, Finding
from prefrontal.graph.sessions.record import AdmissionReason, EvictedItem, EvictionReason, SessionStatus
from prefrontal.graph.sessions.slot import Slot
from prefrontal.graph.sessions.update import DEFAULT_TYPE, Tables, about_slots, excess_of

Properties = Mapping[str, Any]
NOTHING: Properties = MappingProxyType({})
UNREADABLE = "nobody can read a session without a space; delete it, or restore the space from a backup"


class StoredSlot(NamedTuple):
    """A slot as it is stored."""

    ref: str
    """What the database knows the relationship by, as long as the session is locked."""
    properties: Properties
    memory_uid: str | None
    """The memory that it leads to; None if it leads to something else."""
    org_id: str | None = None
    text: str = ""
    is_fragment: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the session holds it."""
        return self.properties.get("until") is None


class StoredSession(NamedTuple):
    """A session as it is stored, with its open slots and with those of the ended ones that lack values."""

    properties: Properties
    has_space: bool
    slots: tuple[StoredSlot, ...] = ()


class RepairPlan(NamedTuple):
    """What is wrong with a session, and what to write."""

    findings: tuple[Finding, ...]
    session: Properties = NOTHING
    """All values of the session after it, also those that it keeps."""
    changed: frozenset[str] = frozenset()
    """The names of those that it does not keep."""
    slots: Mapping[str, Properties] = NOTHING
    """The new values of slots."""
    deleted: tuple[str, ...] = ()
    """The slots to delete."""
    left: tuple[tuple[str, EvictedItem], ...] = ()
    """The slots that end, each with what is said of it."""

    @property
    def writes(self) -> bool:
        """Whether anything can be done."""
        return bool(self.session)


class OpenSlot(NamedTuple):
    """An open slot with right values."""

    slot: StoredSlot
    values: dict[str, Any]

    @property
    def item_id(self) -> str:
        """The id of its item in the session."""
        return str(self.values["item_id"])

    @property
    def as_slot(self) -> Slot:
        """The slot as the rules see it."""
        values = self.values
        return Slot(
            item_uid=self.item_id,
            salience=values["salience"],
            confidence=values["confidence"],
            admitted_at=values["since"],
            last_access=values["last_access"],
            access_count=values["access_count"],
            importance=values.get("contextual_importance"),
            entities=frozenset(fold_name(name) for name in values["entities"]),
            themes=tuple(values["themes"]),
            at=values["temporal_context"],
            pinned=values["pinned"],
        )


class _Value(NamedTuple):
    """A value that a session or a slot must have."""

    is_right: Callable[[Any], bool]
    otherwise: Callable[[Properties], Any]
    """What it becomes if it is not right; the values before it are right then."""


def mending_of(stored: StoredSession, now: datetime, tables: Tables) -> RepairPlan:
    """Return what is wrong with a stored session, and how it is mended."""
    if not stored.has_space:
        missing = Finding(fault=Fault.NO_SPACE, where=stored.properties["uid"], why_not=UNREADABLE)
        return RepairPlan((missing,))
    mender = _RepairPlanner(stored, now, tables)
    stay = mender.fit(mender.unpinned(mender.kept_open(mender.readable())))
    return mender.mending(stay)


class _RepairPlanner:
    """Mends one session step by step, and notes what was wrong."""

    def __init__(self, stored: StoredSession, now: datetime, tables: Tables) -> None:
        """Mend the values of the session itself."""
        self._stored, self._now, self._tables = stored, now, tables
        self._findings: list[Finding] = []
        self._slots: dict[str, Properties] = {}
        self._deleted: list[str] = []
        self._left: list[tuple[str, EvictedItem]] = []
        wanted = _session_values(stored.properties, now, tables)
        self._session, wrong = _corrected(stored.properties, wanted)
        if wrong:
            self._note(Fault.SESSION_FIELDS, "neutral values", fields=wrong)
        self._is_active = self._session["status"] == SessionStatus.ACTIVE.value
        if self._is_active != (self._session.get("ended_at") is None):
            self._session["ended_at"] = None if self._is_active else self._session["last_activity"]
            self._note(Fault.STATUS, "the status counts")

    def readable(self) -> list[OpenSlot]:
        """Return the open slots that lead to a memory, with right values."""
        found: list[OpenSlot] = []
        for slot in self._stored.slots:
            if slot.memory_uid is None:
                self._deleted.append(slot.ref)
                self._note(Fault.DANGLING, "deleted", slot.properties.get("item_id"))
                continue
            values, wrong = _corrected(slot.properties, _slot_values(self._session, slot))
            if wrong:
                self._slots[slot.ref] = {name: values[name] for name in wrong}
                self._note(Fault.SLOT_FIELDS, "neutral values", values["item_id"], wrong)
            if slot.is_open:
                found.append(OpenSlot(slot, values))
        return found

    def kept_open(self, places: Sequence[OpenSlot]) -> list[OpenSlot]:
        """Return the slots that the session may hold; the others end."""
        stay: list[OpenSlot] = []
        seen: set[str] = set()
        for slot in sorted(places, key=_last_used, reverse=True):
            names = {f"item {slot.item_id}", f"memory {slot.slot.memory_uid}"}
            if slot.slot.org_id != self._session["org_id"]:
                self._let_go(slot, EvictionReason.REPAIRED, Fault.FOREIGN)
            elif names & seen:
                self._let_go(slot, EvictionReason.REPAIRED, Fault.DUPLICATE)
            elif not self._is_active:
                self._let_go(slot, EvictionReason.SESSION_ENDED, Fault.ENDED_WITH_ITEMS)
            else:
                seen |= names
                stay.append(slot)
        return stay

    def unpinned(self, places: Sequence[OpenSlot]) -> list[OpenSlot]:
        """Return the slots with at most all but one of the capacity pinned."""
        pinned = [slot for slot in places if slot.values["pinned"]]
        for slot in pinned[self._session["max_capacity"] - 1 :]:
            slot.values["pinned"] = False
            self._slots[slot.slot.ref] = {**self._slots.get(slot.slot.ref, {}), "pinned": False}
            self._note(Fault.ALL_PINNED, "unpinned", slot.item_id)
        return list(places)

    def fit(self, places: Sequence[OpenSlot]) -> list[OpenSlot]:
        """Return the slots that stay within the capacity; the excess ends."""
        slots = [slot.as_slot for slot in places]
        leaving = excess_of(slots, self._session["max_capacity"], self._now, self._tables)
        excess = {each.item_id: each for each in leaving}
        for slot in places:
            if (left := excess.get(slot.item_id)) is not None:
                self._let_go(slot, left.reason, Fault.OVER_CAPACITY, left.score)
        return [slot for slot in places if slot.item_id not in excess]

    def mending(self, stay: Sequence[OpenSlot]) -> RepairPlan:
        """Return what was wrong, and what to write."""
        if self._stored.properties.get("items") != len(stored_open(self._stored)):
            self._note(Fault.COUNT, "counted")
        if not self._findings:
            return RepairPlan(())
        about = {**self._about(stay), "items": len(stay), "updated_at": self._now}
        after = {**self._session, **about, "version": self._session["version"] + 1}
        before = self._stored.properties
        return RepairPlan(
            tuple(self._findings),
            after,
            frozenset(name for name, value in after.items() if value != before.get(name)),
            self._slots,
            tuple(self._deleted),
            tuple(self._left),
        )

    def _about(self, stay: Sequence[OpenSlot]) -> Properties:
        """Return the themes and the coherence of what the session holds; an ended one keeps its coherence."""
        if not self._is_active:
            return {"dominant_themes": []}
        held = [slot.as_slot for slot in stay if not slot.values.get("redacted")]
        texts = {slot.item_id: slot.slot.text for slot in stay}
        about = about_slots(held, texts, self._session["focus"], self._tables)
        return {**about, "dominant_themes": list(about["dominant_themes"])}

    def _let_go(
        self, slot: OpenSlot, reason: EvictionReason, fault: Fault, score: float | None = None
    ) -> None:
        self._left.append((slot.slot.ref, EvictedItem(item_id=slot.item_id, reason=reason, score=score)))
        self._note(fault, "let go", slot.item_id)

    def _note(self, fault: Fault, done: str, item_id: Any = None, fields: Iterable[str] = ()) -> None:
        self._findings.append(
            Finding(
                fault=fault,
                where=self._stored.properties["uid"],
                item_id=None if item_id is None else str(item_id),
                fields=tuple(fields),
                done=done,
            )
        )


def stored_open(stored: StoredSession) -> list[StoredSlot]:
    """Return the slots that a session holds, of whatever memory."""
    return [slot for slot in stored.slots if slot.is_open and slot.memory_uid is not None]


def _last_used(slot: OpenSlot) -> tuple[datetime, float, str]:
    return slot.values["last_access"], slot.values["salience"], slot.slot.ref


def _corrected(stored: Properties, wanted: Mapping[str, _Value]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return stored values with those replaced that are not right, and the names of these."""
    values, wrong = dict(stored), []
    for name, value in wanted.items():
        if not value.is_right(values.get(name)):
            values[name] = value.otherwise(values)
            wrong.append(name)
    return values, tuple(wrong)


def _session_values(stored: Properties, now: datetime, tables: Tables) -> dict[str, _Value]:
    table = tables.capacity
    uid = stored["uid"]
    share, sound = _Value(_is_share, _always(0.0)), _Value(_is_share, _always(1.0))
    texts = _Value(_are_texts, _always([]))
    return {
        "key": _Value(_is_text, _always(uid)),
        "name": _Value(_is_text, _always("Session")),
        "session_type": _Value(_is_text, _always(DEFAULT_SESSION_TYPE)),
        "status": _Value(
            lambda value: _is_text(value) and value in set(SessionStatus),
            lambda values: (
                (SessionStatus.ACTIVE if values.get("ended_at") is None else SessionStatus.ENDED).value
            ),
        ),
        "max_capacity": _Value(
            lambda value: _is_count(value) and table.least <= value <= table.hard_limit,
            lambda values: table.of(values["session_type"]),
        ),
        "focus": texts,
        "dominant_themes": texts,
        "coherence": sound,
        "thematic_coherence": sound,
        "entity_coherence": sound,
        "temporal_coherence": sound,
        "focus_strength": share,
        "items": _Value(_is_count, _always(0)),
        "items_processed": _Value(_is_count, lambda values: values["items"]),
        "created_at": _Value(_is_time, lambda values: _time_in(values, "last_activity", "updated_at") or now),
        "last_activity": _Value(
            _is_time, lambda values: _time_in(values, "updated_at") or values["created_at"]
        ),
        "updated_at": _Value(_is_time, lambda values: values["last_activity"]),
        "by_uid": _Value(_is_text, lambda values: values.get("person_id") or values["org_id"]),
        "version": _Value(lambda value: _is_count(value) and value > 0, _always(1)),
    }


def _slot_values(session: Properties, slot: StoredSlot) -> dict[str, _Value]:
    none = _Value(_is_share, _always(0.0))
    texts = _Value(_are_texts, _always([]))
    reasons = set(AdmissionReason)
    return {
        "item_id": _Value(_is_text, _always(slot.memory_uid)),
        "memory_uid": _Value(lambda value: value == slot.memory_uid, _always(slot.memory_uid)),
        "from_uid": _Value(lambda value: value == session["uid"], _always(session["uid"])),
        "scope_id": _Value(lambda value: value == session["scope_id"], _always(session["scope_id"])),
        "by": _Value(_is_text, _always(session["by_uid"])),
        "content_type": _Value(_is_text, _always(DEFAULT_TYPE)),
        "entities": texts,
        "themes": texts,
        "since": _Value(
            _is_time, lambda values: _time_in(values, "last_access", "until") or session["created_at"]
        ),
        "temporal_context": _Value(_is_time, lambda values: values["since"]),
        "confidence": _Value(_is_share, _always(1.0)),
        "salience": none,
        "relevance": none,
        "urgency": none,
        "recency": none,
        "attention": none,
        "task_relevance": none,
        "coherence_boost": none,
        "contextual_importance": _Value(lambda value: value is None or _is_share(value), _always(None)),
        "admission_score": _Value(
            lambda value: _is_number(value) and value >= 0, lambda values: values["salience"]
        ),
        "threshold": _Value(lambda value: _is_number(value) and value >= 0, _always(0.0)),
        "reasons": _Value(lambda value: _are_texts(value) and set(value) <= reasons, _always([])),
        "last_access": _Value(_is_time, lambda values: values["since"]),
        "access_count": _Value(_is_count, _always(0)),
        "pinned": _Value(lambda value: isinstance(value, bool), _always(value=False)),
        # What may have been a redaction is one.
        "redacted": _Value(lambda value: value is None or isinstance(value, bool), _always(value=True)),
    }


def _always(value: Any) -> Callable[[Properties], Any]:
    return lambda _values: value


def _time_in(values: Properties, *names: str) -> datetime | None:
    return next((values[name] for name in names if _is_time(values.get(name))), None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_time(value: Any) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and value == value  # noqa: PLR0124


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_ANY_SESSION: Properties = {"uid": "", "scope_id": "", "by_uid": "", "created_at": None}
REQUIRED = tuple(
    name
    for name, value in _slot_values(_ANY_SESSION, StoredSlot("", NOTHING, "")).items()
    if not value.is_right(None)
)
"""The values that every slot has, whether it has ended or not."""
