"""What becomes of durable memories.

text key    a digest of the space and the folded text: two texts of a space that differ only in letter case,
            width or white space have the same
passages    the text of a memory of a kind that is divided, if it is longer than `from_bytes`, is divided as
            `graph.text.passages` says; each passage is encoded like a text of its own
known       a draft whose client key the space has, with an equal draft
supersede   the older memory keeps its text and its history, and is no longer recalled; a memory is superseded
            once, by one of its kind
archive     an episode leaves for a more important one: it keeps its text and its history, and is no longer
            recalled
forget      the memory, the memories and observations of its space with the same text, and the memories that
            rest on any of them are no longer recalled; the texts of the memories are not stored there again,
            by whatever way they come
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from datetime import datetime

from prefrontal.graph.config.tables import MemoryTable
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.entities.rules import unique_names
from prefrontal.graph.errors import IllegalTransition, InvalidInput
from prefrontal.graph.memory.record import (
    STORED_KINDS,
    Memory,
    MemoryDraft,
    MemoryKind,
    MemoryStatus,
    RetentionPeriod,
    StepCondition,
    Supersede,
)
from prefrontal.graph.text.folding import fold, unique_folded
from prefrontal.graph.text.passages import Span, passages_of, size_of
from prefrontal.graph.text.words import words_of
from prefrontal.graph.validation import camel, join_path
from prefrontal.graph.wording import with_article

_ONLY = {
    "speaker": MemoryKind.MESSAGE,
    "conversation": MemoryKind.MESSAGE,
    "forbids": MemoryKind.MANDATE,
    "requires_confirmation": MemoryKind.MANDATE,
}
"""The fields that memories of one kind alone have."""


def passage(memory: MemoryDraft | Memory) -> str:
    """Return the text of a memory that is encoded."""
    return passage_of(memory.content, memory.speaker)


def passages(memory: MemoryDraft | Memory, table: MemoryTable) -> list[Span]:
    """Return where the passages of a memory are; none if it is not divided."""
    sizes = table.passages
    if not table.kinds[memory.kind.value].divided or size_of(memory.content) <= sizes.from_bytes:
        return []
    spans = passages_of(memory.content, sizes.most_bytes)
    return spans if len(spans) > 1 else []


def encoded(memory: MemoryDraft | Memory, table: MemoryTable) -> list[str]:
    """Return the texts that are encoded for a memory: its own, and those of its passages."""
    parts = [memory.content[start:end] for start, end in passages(memory, table)]
    return [passage(memory), *(passage_of(part, memory.speaker) for part in parts)]


def draft_hash(draft: MemoryDraft) -> str:
    """Return a digest of a draft. It tells a repeated draft from another one with the same client key."""
    text = json.dumps(draft.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def memory_of(
    draft: MemoryDraft,
    *,
    uid: str,
    scope_id: str,
    by_uid: str,
    now: datetime,
    kept: RetentionPeriod | None = None,
) -> Memory:
    """Return the memory of a valid draft that is stored at `now`; without `kept` it does not fade."""
    return Memory(
        uid=uid,
        scope_id=scope_id,
        kind=draft.kind,
        content=draft.content,
        essential=draft.essential if draft.kind is MemoryKind.MANDATE else False,
        forbids=draft.forbids,
        requires_confirmation=draft.requires_confirmation,
        confidence=draft.confidence,
        tags=unique_folded(draft.tags),
        entities=unique_names(draft.entities),
        happened_at=draft.happened_at or now,
        speaker=draft.speaker,
        conversation=draft.conversation,
        derived_from=draft.derived_from,
        metadata=draft.metadata or None,
        client_key=draft.client_key,
        created_at=now,
        updated_at=now,
        by_uid=by_uid,
        version=1,
        importance=None if kept is None else kept.importance,
        retention=None if kept is None else kept.retention,
        retained_until=None if kept is None else kept.until,
    )


def draft_problems(draft: MemoryDraft, path: str) -> list[InvalidInput]:
    """Return what is wrong with a draft beyond its lengths: fields that only another kind has, empty ones."""
    problems = []
    if draft.kind not in STORED_KINDS:
        problems.append(
            InvalidInput(
                "lessons are learned from outcomes; store a skill or a fact", field=join_path(path, "kind")
            )
        )
    problems += [
        InvalidInput(
            f"only {with_article(kind.value)} has one, not {with_article(draft.kind.value)}",
            field=join_path(path, camel(name)),
        )
        for name, kind in _ONLY.items()
        if draft.kind is not kind and getattr(draft, name) is not None
    ]
    for name in ("forbids", "requires_confirmation"):
        problems += _condition_problems(getattr(draft, name), join_path(path, camel(name)))
    return problems


def newer_problems(command: Supersede) -> list[InvalidInput]:
    """Return what is wrong with what takes the place of a memory, as far as the input alone shows it."""
    if command.memory is not None and command.by is None:
        return draft_problems(command.memory, "memory")
    if command.memory is not None or command.by is None:
        return [InvalidInput("give either a new memory or `by`, the id of a stored one", field="memory")]
    if command.by == command.id:
        return [InvalidInput("a memory cannot take its own place", field="by")]
    return []


def _condition_problems(condition: StepCondition | None, path: str) -> list[InvalidInput]:
    if condition is None:
        return []
    if not condition.action_types and not condition.phrases:
        return [InvalidInput("name an action type or a phrase; it would hold for every step", field=path)]
    return [
        InvalidInput("has no word", field=join_path(path, f"phrases[{number}]"))
        for number, text in enumerate(condition.phrases)
        if not words_of(text)
    ]


def mentioned(memory: Memory, roles: Collection[str]) -> tuple[EntityName, ...]:
    """Return the people and things that a memory mentions, and who said it unless that is one of `roles`."""
    speaker = memory.speaker
    if speaker is None or fold(speaker) in roles:
        return memory.entities
    return unique_names([*memory.entities, EntityName(name=speaker)])


def superseded(older: Memory, newer: Memory, now: datetime) -> Memory:
    """Return a memory that another one has taken the place of.

    Raises:
        IllegalTransition: If it was superseded or forgotten before.
    """
    _require_active(older)
    return _ended(older, MemoryStatus.SUPERSEDED, now, superseded_by=newer.uid)


def forgotten(memory: Memory, now: datetime) -> Memory:
    """Return a memory that is taken back; one that was taken back is returned as it is."""
    if memory.status is MemoryStatus.FORGOTTEN:
        return memory
    return _ended(memory, MemoryStatus.FORGOTTEN, now)


def archived(memory: Memory, now: datetime) -> Memory:
    """Return an active episode that leaves for a more important one."""
    return _ended(memory, MemoryStatus.ARCHIVED, now)


def may_be_forgotten(memory: Memory) -> bool:
    """Return whether a memory goes with another one that is forgotten: it is recalled, or was archived."""
    return memory.live or memory.status is MemoryStatus.ARCHIVED


def maintained(kinds: Sequence[MemoryKind], table: MemoryTable) -> bool:
    """Return whether only a maintainer may write memories of some kinds to the common space."""
    return any(table.kinds[kind.value].maintained for kind in kinds)


def require_successor(newer: Memory, older: Memory) -> None:
    """Check that a stored memory may take the place of another one.

    Raises:
        InvalidInput: If it is of another space or kind.
        IllegalTransition: If it is not recalled any more.
    """
    if newer.scope_id != older.scope_id:
        raise InvalidInput("it is in another space", field="by")
    if newer.kind is not older.kind:
        raise InvalidInput(
            f"it is {with_article(newer.kind.value)}, the older one {with_article(older.kind.value)}",
            field="by",
        )
    if not newer.live:
        raise IllegalTransition(f"it is {newer.status.value}; name an active one", field="by")


def _require_active(memory: Memory) -> None:
    if memory.status is MemoryStatus.FORGOTTEN:
        raise IllegalTransition("it was forgotten; remember the newer one by itself", field="id")
    if memory.status is MemoryStatus.ARCHIVED:
        raise IllegalTransition("it was archived; remember the newer one by itself", field="id")
    if memory.status is MemoryStatus.SUPERSEDED:
        raise IllegalTransition(
            f"it was superseded by {memory.superseded_by}; supersede that one", field="id"
        )


def _ended(memory: Memory, status: MemoryStatus, now: datetime, **fields: object) -> Memory:
    changes = {"status": status, "live": False, "version": memory.version + 1, "updated_at": now}
    return memory.model_copy(update=changes | fields)
