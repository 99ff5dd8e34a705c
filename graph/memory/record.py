"""Records of durable memories (source 000, §Response: WM Returns Context; decisions G-151 and G-155)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.entities.record import EntityName, EntityNames
from prefrontal.graph.journal.command import ChangeCommand, TurnCommand, space
from prefrontal.graph.memory.enums import MemoryKind as MemoryKind  # noqa: PLC0414 - a part of the records
from prefrontal.graph.record import Id, Key, Limit, Record, Reference


class MemoryStatus(StrEnum):
    """Whether a memory is recalled: only an active one is."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    ARCHIVED = "archived"
    """Only an episode: a more important one took its room."""
    RETIRED = "retired"
    """Only a lesson: it is not shown any more, until it is restored."""


STORED_KINDS = tuple(kind for kind in MemoryKind if kind is not MemoryKind.LESSON)
"""The kinds that clients store. Lessons are learned from outcomes."""


class StepCondition(Record):
    """Steps of plans: those of one of the action types that have the words of one of the phrases.

    Without action types, steps of any type; without phrases, steps with any words.
    """

    action_types: Annotated[tuple[Key, ...], Limit("list_items")] = ()
    phrases: Annotated[tuple[Key, ...], Limit("list_items")] = Field(
        default=(),
        description="A step has one of them if one of its sentences has the stems of all its words.",
    )


class MemoryDraft(Record):
    """A memory to store. It does not fade; `supersede` replaces it, `forget` takes it back."""

    kind: MemoryKind = Field(
        description="MANDATE: a rule to follow. CAPABILITY: what the agent can do. FACT: what is so. "
        "SKILL: how something is done. EPISODE: what happened. MESSAGE: what was said. Not LESSON: lessons "
        "are learned from outcomes."
    )
    content: Annotated[str, Limit("content_characters")]
    essential: bool = Field(
        default=True,
        description="Only for a mandate: a context without room for an essential mandate reports it in "
        "`missingMandates`.",
    )
    forbids: StepCondition | None = Field(
        default=None,
        description="Only for a mandate: the steps that it forbids. With this or `requiresConfirmation` its "
        "text is not read for what it forbids.",
    )
    requires_confirmation: StepCondition | None = Field(
        default=None, description="Only for a mandate: the steps that a person must confirm first."
    )
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="0–1, if it is not certain."
    )
    tags: Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")] = ()
    entities: EntityNames = Field(
        default=(), description="The people and things that the memory mentions by name."
    )
    happened_at: AwareDatetime | None = Field(
        default=None, description="When it was said or happened, with a time zone; default: now."
    )
    speaker: Key | None = Field(default=None, description="Only for a message: who said it.")
    conversation: Key | None = Field(
        default=None,
        description="Only for a message: your key of the conversation. The message comes after the last one "
        "that the space has of it.",
    )
    derived_from: Annotated[tuple[Reference, ...], Limit("list_items")] = Field(
        default=(),
        description="Memories and observations from which it was made. It is forgotten with any of them.",
    )
    metadata: Annotated[dict[str, Any], Limit("metadata_characters")] | None = Field(
        default=None, description="A JSON object, stored unchanged."
    )
    client_key: Key | None = Field(
        default=None,
        description="Your own id for the memory, unique in its space; remembering the same again with this "
        "id returns the first one.",
    )


class RetentionPeriod(Record):
    """How important a memory is, and how long it is kept."""

    importance: float
    retention: str
    until: datetime | None


class Remember(TurnCommand):
    """Memories to store: all or none."""

    memories: Annotated[tuple[MemoryDraft, ...], Limit("remembered_per_call")]
    space: Id | None = space()


class Supersede(ChangeCommand):
    """A memory, and the newer one that takes its place: a draft, or the id of a stored one."""

    memory: MemoryDraft | None = Field(
        default=None,
        description="The newer memory, which is stored in the space of the older one. Its kind is the one of "
        "the older memory. Either this or `by`.",
    )
    by: Reference | None = Field(
        default=None,
        description="The id of the newer memory, if it is stored already: an active one of the same space "
        "and kind, e.g. one for which `seemsToReplace` named the older memory.",
    )


class Forget(ChangeCommand):
    """A memory to take back."""


class MemoryFilter(Record):
    """Conditions on durable memories; all given conditions must hold."""

    kinds: tuple[MemoryKind, ...] | None = Field(default=None, description="Any of these.")
    statuses: tuple[MemoryStatus, ...] = Field(
        default=(MemoryStatus.ACTIVE,), description="Any of these; default: ACTIVE."
    )
    conversation: Key | None = Field(default=None, description="Messages of the conversation with this key.")
    client_key: Key | None = Field(default=None, description="Your own id for the memory.")
    tags: Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")] = Field(
        default=(), description="All of these tags, without regard to case."
    )
    since: AwareDatetime | None = Field(default=None, description="Said or happened at this time or later.")
    until: AwareDatetime | None = Field(default=None, description="Said or happened before this time.")
    min_importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None,
        description="0–1: at least so important; only what the commit of a turn selected has an importance.",
    )
    space: Reference | None = Field(default=None, description="Memories of this space.")


class Memory(Record):
    """A stored memory."""

    uid: str
    scope_id: str
    kind: MemoryKind
    content: str
    essential: bool
    forbids: StepCondition | None = None
    requires_confirmation: StepCondition | None = None
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[EntityName, ...] = ()
    happened_at: datetime
    speaker: str | None = None
    conversation: str | None = None
    derived_from: tuple[str, ...] = ()
    """The ids of the memories and observations from which it was made."""
    metadata: dict[str, Any] | None = None
    client_key: str | None = None
    status: MemoryStatus = MemoryStatus.ACTIVE
    superseded_by: str | None = None
    """The id of the memory that took its place."""
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
    live: bool = True
    """Whether it is active: contexts leave the others out."""
    importance: float | None = None
    """How important it was for its turn, 0–1; only of what a commit of a turn selected."""
    retention: str | None = None
    """The type of data by which it is kept (`retention.yaml`); only of what a commit of a turn selected."""
    retained_until: datetime | None = None
    """Until when it is kept; None if it stays until somebody forgets it."""


class Mandate(Record):
    """What a mandate asks for: its text, and the steps of plans that it declares."""

    uid: str
    content: str
    forbids: StepCondition | None = None
    requires_confirmation: StepCondition | None = None


class RememberedMemories(Record):
    """The memories of a call in its order, and the ids of those that it stored."""

    memories: tuple[Memory, ...]
    created: frozenset[str]


class Room(Record):
    """The room of a space for episodes that are kept for a time."""

    left: int
    """How many more fit; below 0 if the space has more than it may have."""
    stored: tuple[Memory, ...] = ()
    """Those that may leave, the least important first; as many as could make room for all new ones."""
    known: frozenset[str] = frozenset()
    """The client keys of the new ones that take no room: the space has them, or their text was forgotten."""


class Supersession(Record):
    """The older memory, and the one that took its place."""

    older: Memory
    newer: Memory


class ForgottenMemories(Record):
    """The memory that was taken back, those that went with it, and the ids of archived observations."""

    memory: Memory
    others: tuple[Memory, ...]
    observations: tuple[str, ...] = ()
