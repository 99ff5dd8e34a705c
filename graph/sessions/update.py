"""What an update does to a session: one item is added, changed, refreshed or evicted (source 002 §1.1, §3).

    add       an item that is not held is offered (`admission`). If it is admitted and the session is over its
              capacity then, others make room for it (`eviction`). One that is held is updated.
    update    what is given takes the place of what was stored; the time of admission stays
    refresh   the item was used: last access now, one access more; its content stays
    evict     the item leaves

After each of them the session's themes and coherence are those of what it holds (`coherence`). A redacted
item has a place and is evicted as any other; nothing is derived from it. Items whose memory is gone leave
before anything is decided. An update, refresh or eviction of an item that is not held
does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.config.session_tables import (
    AdmissionTable,
    CapacityTable,
    CoherenceTable,
    EvictionTable,
)
from prefrontal.graph.entities.rules import fold_name
from prefrontal.graph.errors import CapacityReached, IllegalTransition, InvalidInput
from prefrontal.graph.sessions import admission, coherence, components, eviction
from prefrontal.graph.sessions.record import (
    Admission,
    AdmissionReason,
    EvictedItem,
    EvictionReason,
    Item,
    ItemContent,
    LockedSession,
    OperationResult,
    Salience,
    Scores,
    Session,
    SessionContext,
    SessionStatus,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.sessions.slot import Slot, ranks
from prefrontal.graph.sessions.themes import themes_of
from prefrontal.graph.text.words import stems_of
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog

DEFAULT_TYPE = "memory_fragment"
"""The kind of an item that names none."""
HAS_ENDED = "the session has ended; start another one"


class Tables(NamedTuple):
    """The tables of the registry that decide."""

    capacity: CapacityTable
    admission: AdmissionTable
    eviction: EvictionTable
    coherence: CoherenceTable
    stop_words: frozenset[str]
    """The stems of words that are no theme."""


def tables_of(catalog: Catalog) -> Tables:
    """Return the tables that decide."""
    return Tables(
        catalog.capacity,
        catalog.admission,
        catalog.eviction,
        catalog.coherence,
        stems_of(catalog.goals.topics.stop_words),
    )


class Outcome(NamedTuple):
    """What an update does."""

    session: Session
    """The session after it."""
    item_id: str
    result: OperationResult
    left: tuple[EvictedItem, ...] = ()
    added: Item | None = None
    changed: Item | None = None
    new_text: str | None = None
    """The new text of the changed item, if it is one that lives in the session alone; empty if it goes."""
    admission: Admission | None = None
    redacted: tuple[str, ...] = ()
    """The id of the memory or the text that it redacts."""

    @property
    def writes(self) -> bool:
        """Whether anything changes."""
        return self.result is not OperationResult.NOT_FOUND

    @property
    def topics_may_differ(self) -> bool:
        """Whether the names or vectors of what the session holds may differ."""
        return bool(self.left) or self.result not in (OperationResult.REJECTED, OperationResult.REFRESHED)


def slot_of(item: Item) -> Slot:
    """Return an item as the rules see it."""
    return Slot(
        item_uid=item.item_id,
        salience=item.salience,
        confidence=item.confidence,
        admitted_at=item.admission_time,
        last_access=item.last_access,
        access_count=item.access_count,
        importance=item.contextual_importance,
        entities=frozenset(fold_name(name) for name in item.entities),
        themes=item.themes,
        at=item.temporal_context,
        pinned=item.pinned,
    )


def ranked(items: Iterable[Item]) -> list[Item]:
    """Return items with their ranks, the highest priority first."""
    found = list(items)
    places = ranks([slot_of(item) for item in found])
    placed = [item.model_copy(update={"priority_rank": places[item.item_id]}) for item in found]
    return sorted(placed, key=lambda item: item.priority_rank)


def updated(
    locked: LockedSession,
    command: UpdateWorkingMemory,
    *,
    uid: str,
    encoder: str | None,
    now: datetime,
    tables: Tables,
) -> Outcome:
    """Return what an update does to a locked session.

    Args:
        locked: The session and what it holds.
        command: The update.
        uid: The id of the text that the update may bring; also its name, if it has none.
        encoder: The encoder of the cosines in `locked`.
        now: The time of the update.
        tables: The tables of the registry.

    Raises:
        IllegalTransition: If the session has ended.
        InvalidInput: If a new item has neither text nor a memory, or the text of a memory would change.
        CapacityReached: If another item would be pinned and all but one place are.
    """
    if locked.session.status is SessionStatus.ENDED:
        raise IllegalTransition(HAS_ENDED, field="sessionId")
    wanted, content = command.operation, command.content
    item_id = content.item_id or uid
    item = next((each for each in locked.items if each.item_id == item_id), None)
    if item is None and wanted is not WorkingMemoryOperation.ADD:
        return Outcome(locked.session, item_id, OperationResult.NOT_FOUND)
    session = _with_context(locked.session, command.session_context)
    gone = tuple(EvictedItem(item_id=each, reason=EvictionReason.GONE) for each in locked.gone)
    if item is None:
        return _offered(locked, session, command, gone, uid=uid, encoder=encoder, now=now, tables=tables)
    if wanted is WorkingMemoryOperation.UPDATE and content.content is not None and not item.is_fragment:
        raise InvalidInput(
            "the item is a memory, whose text is not changed here; `supersede` replaces it",
            field="content.content",
        )
    others = [each for each in locked.items if each is not item]
    if wanted is WorkingMemoryOperation.EVICT:
        stay, more = _with_room(session, others, now, tables)
        left = (*gone, EvictedItem(item_id=item_id, reason=EvictionReason.REQUESTED), *more)
        return Outcome(after_of(session, stay, now, tables), item_id, OperationResult.EVICTED, left)
    if wanted is WorkingMemoryOperation.REFRESH:
        changed = item.model_copy(update={"last_access": now, "access_count": item.access_count + 1})
        result, text = OperationResult.REFRESHED, None
    else:
        changed = _changed(locked, item, command, session, encoder=encoder, now=now, tables=tables)
        text = content.content if item.is_fragment else None
        if changed.redacted:
            changed, text = redacted_item(changed), "" if item.is_fragment else None
        result = OperationResult.UPDATED
        _check_pins(session, others, changed, item)
    # Only a session that somebody wrote to past the service holds too many here.
    stay, more = _with_room(session, [*others, changed], now, tables, exempt=item_id)
    return Outcome(
        after_of(session, stay, now, tables),
        item_id,
        result,
        (*gone, *more),
        changed=changed,
        new_text=text,
        redacted=(item.memory_uid,) if changed.redacted and not item.redacted else (),
    )


def _offered(
    locked: LockedSession,
    session: Session,
    command: UpdateWorkingMemory,
    gone: tuple[EvictedItem, ...],
    *,
    uid: str,
    encoder: str | None,
    now: datetime,
    tables: Tables,
) -> Outcome:
    """Return what comes of an item that is not held and is offered to the session."""
    content, named = command.content, locked.named
    text = named.content if named is not None else content.content
    if text is None:
        raise InvalidInput("give the text of an item that is no memory", field="content.content")
    item_id = content.item_id or uid
    entities = content.entities if content.entities is not None else named.entities if named else ()
    themes = themes_of_item(text, entities, tables)
    at = content.temporal_context or (named.at if named is not None else now)
    session = session.model_copy(update={"items_processed": session.items_processed + 1})
    judged = _judged(
        locked,
        _judged_item(text, entities, themes, at),
        command.salience,
        session,
        locked.items,
        encoder,
        now,
        tables,
    )
    if not judged.admitted:
        after = session.model_copy(
            update={"last_activity": now, "updated_at": now, "version": session.version + 1}
        )
        if gone:
            after = after_of(session, locked.items, now, tables)
        return Outcome(after, item_id, OperationResult.REJECTED, gone, admission=judged)
    item = Item(
        item_id=item_id,
        memory_uid=named.uid if named is not None else uid,
        content=text,
        content_type=content.content_type or DEFAULT_TYPE,
        entities=entities,
        themes=themes,
        temporal_context=at,
        source=content.source,
        confidence=_confidence(content, named.confidence if named is not None else None),
        contextual_importance=command.salience.contextual_importance,
        admission_time=now,
        last_access=now,
        pinned=bool(content.pinned),
        redacted=bool(content.redacted),
        is_fragment=named is None,
        threshold=judged.salience_threshold,
        **_scores(judged),
    )
    if item.redacted:
        item = redacted_item(item)
    _check_pins(session, locked.items, item, None)
    stay, left = _with_room(session, [*locked.items, item], now, tables, exempt=item_id, arrives=True)
    return Outcome(
        after_of(session, stay, now, tables),
        item_id,
        OperationResult.ADDED,
        (*gone, *left),
        added=item,
        admission=judged,
        redacted=(item.memory_uid,) if item.redacted else (),
    )


def _with_room(
    session: Session,
    items: Sequence[Item],
    now: datetime,
    tables: Tables,
    *,
    exempt: str | None = None,
    arrives: bool = False,
) -> tuple[list[Item], list[EvictedItem]]:
    """Return which items stay, so that the session is within its capacity, and which leave, the first first.

    A session that was above the hard limit before `exempt` arrived is an emergency (decision G-070).
    """
    slots = [slot_of(each) for each in items]
    left = excess_of(slots, session.max_capacity, now, tables, exempt=exempt, arrives=arrives)
    leaving = {each.item_id for each in left}
    return [each for each in items if each.item_id not in leaving], left


def excess_of(
    slots: Sequence[Slot],
    most: int,
    now: datetime,
    tables: Tables,
    *,
    exempt: str | None = None,
    arrives: bool = False,
) -> list[EvictedItem]:
    """Return what leaves a session that may hold `most` items, the first first; nothing if all have room.

    `exempt` leaves only if there is no other. `arrives` says that it was not held before.
    """
    is_emergency = len(slots) > max(most, tables.capacity.hard_limit) + arrives
    reason = EvictionReason.EMERGENCY if is_emergency else EvictionReason.CAPACITY
    out = eviction.to_evict(
        slots,
        limit=most,
        now=now,
        table=tables.eviction,
        coherence=tables.coherence,
        exempt=() if exempt is None else {exempt},
    )
    return [EvictedItem(item_id=each.item_uid, reason=reason, score=each.score) for each in out]


def _changed(
    locked: LockedSession,
    item: Item,
    command: UpdateWorkingMemory,
    session: Session,
    *,
    encoder: str | None,
    now: datetime,
    tables: Tables,
) -> Item:
    """Return a held item with what an update gives; scores that it does not give stay as they were."""
    content, given = command.content, command.salience
    if item.redacted and content.redacted is False:
        raise IllegalTransition(
            "a redaction is not taken back; evict the item and add it again", field="content.redacted"
        )
    text = content.content if item.is_fragment and content.content is not None else item.content
    entities = content.entities if content.entities is not None else item.entities
    themes = themes_of_item(text, entities, tables)
    at = content.temporal_context or item.temporal_context or now
    kept = Salience(
        relevance_score=item.relevance if given.relevance_score is None else given.relevance_score,
        urgency=item.urgency if given.urgency is None else given.urgency,
        recency=item.recency if given.recency is None else given.recency,
        user_attention=item.attention if given.user_attention is None else given.user_attention,
    )
    others = [each for each in locked.items if each is not item]
    judged = _judged(
        locked, _judged_item(text, entities, themes, at), kept, session, others, encoder, now, tables
    )
    values: dict[str, Any] = {
        "content": text,
        "entities": entities,
        "themes": themes,
        "temporal_context": at,
        "last_access": now,
        # Whether it may stay is not asked again: it keeps the threshold that it passed.
        **_scores(judged),
    }
    for name in ("content_type", "source", "confidence", "pinned", "redacted"):
        value = getattr(content, name)
        if value is not None:
            values[name] = value
    if given.contextual_importance is not None:
        values["contextual_importance"] = given.contextual_importance
    return item.model_copy(update=values)


def redacted_item(item: Item) -> Item:
    """Return an item with its numbers alone, without what its session would copy of it."""
    return item.model_copy(
        update={
            "content": "",
            "content_type": DEFAULT_TYPE,
            "entities": (),
            "themes": (),
            "temporal_context": item.admission_time,
            "source": None,
        }
    )


def _judged_item(
    text: str, entities: Sequence[str], themes: tuple[str, ...], at: datetime
) -> components.Item:
    """Return what is judged of an item."""
    return components.Item(text, at, frozenset(fold_name(name) for name in entities), themes)


def _judged(
    locked: LockedSession,
    item: components.Item,
    given: Salience,
    session: Session,
    others: Sequence[Item],
    encoder: str | None,
    now: datetime,
    tables: Tables,
) -> Admission:
    """Return the scores of an item among other items, and whether it would be admitted."""
    shown = [each for each in others if not each.redacted]
    slots = [slot_of(each) for each in shown]
    near = [locked.cosines[each.item_id] for each in shown if each.item_id in locked.cosines]
    seen = item._replace(cosine=sum(near) / len(near) if near else None, task_cosine=locked.task_cosine)
    fit = components.Fit(given.relevance_score, given.urgency, given.recency, given.user_attention)
    for_task = components.task_relevance(
        seen, session.task, tables.admission, encoder=encoder, stop_words=tables.stop_words
    )
    parts = components.components_of(
        seen,
        fit,
        slots=slots,
        focus=session.focus,
        now=now,
        table=tables.admission,
        for_task=for_task if session.task else None,
        encoder=encoder,
    )
    decision = admission.decide(
        parts,
        task_relevance=for_task,
        coherence_boost=coherence.coherence_boost(seen.entities, seen.themes, slots, tables.coherence),
        held=len(others),
        capacity=session.max_capacity,
        table=tables.admission,
    )
    return Admission(
        **parts._asdict(),
        admitted=decision.admitted,
        item_salience=decision.salience,
        task_relevance=decision.task_relevance,
        coherence_boost=decision.coherence_boost,
        admission_score=decision.score,
        salience_threshold=decision.threshold,
        reasons=tuple(AdmissionReason(reason) for reason in decision.reasons),
    )


def _scores(judged: Admission) -> dict[str, Any]:
    """Return the scores as an item keeps them."""
    kept = {name: getattr(judged, name) for name in Scores.model_fields}
    return kept | {"salience": judged.item_salience}


def after_of(session: Session, items: Sequence[Item], now: datetime, tables: Tables) -> Session:
    """Return a session as it is once an operation has left it with some items.

    Of a redacted one only the number is used.
    """
    shown = [item for item in items if not item.redacted]
    texts = {item.item_id: item.content for item in shown}
    return session.model_copy(
        update={
            **about_slots([slot_of(item) for item in shown], texts, session.focus, tables),
            "items": len(items),
            "last_activity": now,
            "updated_at": now,
            "version": session.version + 1,
        }
    )


def about_slots(
    slots: Sequence[Slot], texts: Mapping[str, str], focus: Sequence[str], tables: Tables
) -> dict[str, Any]:
    """Return the themes, the coherence and the focus of a session, by the names of its fields.

    Args:
        slots: What it holds and shows.
        texts: The texts of the items, by their ids.
        focus: The session's focus.
        tables: The tables that decide.
    """
    found = coherence.coherence_of(slots, tables.coherence)
    return {
        "dominant_themes": found.dominant_themes,
        "coherence": found.score,
        "thematic_coherence": found.thematic,
        "entity_coherence": found.entity,
        "temporal_coherence": found.temporal,
        "focus_strength": components.attention_focus_strength(slots, texts, focus),
    }


def ended(
    locked: LockedSession, now: datetime, *, at: datetime | None = None
) -> tuple[Session, tuple[EvictedItem, ...]]:
    """Return a session as it is once it has ended, and what left it: all that it held.

    `at` is when it ended, if that was before `now`: an idle session ended with its last activity.

    Raises:
        IllegalTransition: If it has ended before.
    """
    if locked.session.status is SessionStatus.ENDED:
        raise IllegalTransition("the session has ended before", field="id")
    items = (*locked.gone, *(each.item_id for each in locked.items))
    left = [EvictedItem(item_id=each, reason=EvictionReason.SESSION_ENDED) for each in items]
    after = locked.session.model_copy(
        update={
            "status": SessionStatus.ENDED,
            "items": 0,
            # Themes are words of what it held.
            "dominant_themes": (),
            "ended_at": at or now,
            "last_activity": at or now,
            "updated_at": now,
            "version": locked.session.version + 1,
        }
    )
    return after, tuple(left)


def _with_context(session: Session, given: SessionContext) -> Session:
    values: dict[str, Any] = {}
    if given.current_task is not None:
        values["task"] = given.current_task
    if given.attention_focus is not None:
        values["focus"] = given.attention_focus
        values["focus_changes"] = session.focus_changes + (given.attention_focus != session.focus)
    if given.conversation_turn is not None:
        values["conversation_turn"] = given.conversation_turn
    if given.active_duration_minutes is not None:
        values["active_duration_minutes"] = given.active_duration_minutes
    return session.model_copy(update=values)


def _check_pins(session: Session, others: Sequence[Item], item: Item, before: Item | None) -> None:
    """Refuse one more pinned item if all places but one have one."""
    if not item.pinned or (before is not None and before.pinned):
        return
    most = session.max_capacity - 1
    if sum(each.pinned for each in others) >= most:
        raise CapacityReached(
            f"a session of {counted(session.max_capacity, 'item')} has at most {most} pinned; unpin one, "
            "or start a session with a larger maxCapacity",
            field="content.pinned",
        )


def themes_of_item(text: str, entities: Sequence[str], tables: Tables) -> tuple[str, ...]:
    """Return the key phrases of an item."""
    table = tables.coherence.themes
    return themes_of(
        text, entities, table.per_item, stop_words=tables.stop_words, least_rarity=table.least_rarity
    )


def _confidence(content: ItemContent, known: float | None) -> float:
    if content.confidence is not None:
        return content.confidence
    return 1.0 if known is None else known
