"""What a session holds once a checkpoint of it is put back (source 002 §6.2, decision G-074).

    held still    an item that the session still holds stays, with the scores and the pin of the checkpoint;
                  its text and names stay as they are, and the time of its admission
    came back     an item that left meanwhile is held again, admitted now, with those scores. Its text and its
                  names are those of its memory: a checkpoint keeps neither
    leaves        what came after the checkpoint
    redacted      what the session has redacted, now or earlier, comes back redacted
    missing       a text that lived in the session alone and left; a memory that is gone or unreadable; what
                  would be over the capacity, the least salient first

Nothing is judged again: it was admitted. The session is as bounded as any other: it holds at most its
capacity, of which at most all but one are pinned.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from prefrontal.graph.sessions.checkpoint_record import (
    KeptCheckpoint,
    KeptItem,
    MissingItem,
    MissingReason,
)
from prefrontal.graph.sessions.record import EvictedItem, EvictionReason, Item, LockedSession, Scores, Session
from prefrontal.graph.sessions.update import Tables, after_of, redacted_item, themes_of_item


class RestoredState(NamedTuple):
    """What a session is once a checkpoint is put back."""

    session: Session
    back: tuple[Item, ...]
    """What came back."""
    stayed: tuple[Item, ...]
    """What it still held, with the scores of the checkpoint."""
    left: tuple[EvictedItem, ...]
    missing: tuple[MissingItem, ...]


def restored(locked: LockedSession, kept: KeptCheckpoint, now: datetime, tables: Tables) -> RestoredState:
    """Return a locked session as it is once a checkpoint of it is put back."""
    now_held = {item.item_id: item for item in locked.items}
    lost = set(kept.checkpoint.item_ids) - {each.item_id for each in kept.items}
    # A memory that was deleted for good has no reference left.
    missing = [MissingItem(item_id=each, reason=MissingReason.GONE) for each in sorted(lost)]
    back: list[Item] = []
    stayed: list[Item] = []
    order = sorted(kept.items, key=lambda each: (not each.pinned, -each.salience, each.item_id))
    most = locked.session.max_capacity
    for place, each in enumerate(order):
        current = now_held.get(each.item_id)
        is_held = current is not None and current.memory_uid == each.memory_uid
        reason = None if is_held else each.missing
        if reason is None and len(back) + len(stayed) >= most:
            reason = MissingReason.CAPACITY
        if reason is not None:
            missing.append(MissingItem(item_id=each.item_id, reason=reason))
            continue
        values = _kept_values(each) | {"pinned": each.pinned and place < most - 1}
        if is_held and current is not None:
            stayed.append(current.model_copy(update=values))
        else:
            back.append(_again(each, values, now, tables))
    stays = {item.item_id for item in stayed}
    left = [EvictedItem(item_id=each, reason=EvictionReason.GONE) for each in locked.gone]
    left += [
        EvictedItem(item_id=item.item_id, reason=EvictionReason.RESTORED)
        for item in locked.items
        if item.item_id not in stays
    ]
    before, saved = locked.session, kept.checkpoint
    changes = before.focus_changes + (saved.focus != before.focus)
    session = before.model_copy(update={"task": saved.task, "focus": saved.focus, "focus_changes": changes})
    return RestoredState(
        after_of(session, [*stayed, *back], now, tables),
        tuple(back),
        tuple(stayed),
        tuple(left),
        tuple(missing),
    )


def _kept_values(each: KeptItem) -> dict[str, Any]:
    names = (*Scores.model_fields, "salience", "contextual_importance", "threshold", "confidence")
    return {name: getattr(each, name) for name in names}


def _again(each: KeptItem, values: dict[str, Any], now: datetime, tables: Tables) -> Item:
    text = each.content or ""
    item = Item(
        item_id=each.item_id,
        memory_uid=each.memory_uid,
        content=text,
        content_type=each.content_type,
        entities=each.entities,
        themes=themes_of_item(text, each.entities, tables),
        temporal_context=each.temporal_context,
        source=SOURCE,
        admission_time=now,
        last_access=now,
        redacted=each.redacted,
        **values,
    )
    return redacted_item(item) if item.redacted else item


SOURCE = "checkpoint"
"""Where an item that came back comes from."""
