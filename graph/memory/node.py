"""Node classes of durable memories, of conversations, and of what was forgotten."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    One,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Memory, Node, Properties
from prefrontal.graph.relations import (
    ENTITY,
    MEMORY,
    MENTIONS,
    MESSAGE,
    NEXT,
    ON,
    PART_OF,
    PASSAGE,
    REMEMBERED,
    RESTS_ON,
    SUMMARISES,
    SUMMARY,
    SUPERSEDES,
    TOPIC,
)


class Remembered(Memory):
    """A memory that does not fade: it stays until it is superseded or forgotten.

    All kinds share this label, so one index serves each list and each client key.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "kind", "live", "uid"),
        ("scope_id", "kind", "live", "importance", "uid"),
        ("scope_id", "text_key", "uid"),
        ("scope_id", "speaker"),
    )

    status = StringProperty(required=True, help_text="active, superseded, archived or forgotten.")
    essential = BooleanProperty(required=True, help_text="True only for mandates.")
    forbids = StringProperty(help_text="JSON: the steps of plans that a mandate forbids.")
    requires_confirmation = StringProperty(help_text="JSON: the steps that must be confirmed first.")
    tags = ArrayProperty(StringProperty(), required=True, help_text="The tags as written.")
    entities = StringProperty(help_text="JSON: the mentioned entities as written.")
    confidence = FloatProperty()
    happened_at = DateTimeNeo4jFormatProperty(required=True)
    speaker = StringProperty(help_text="Who said it.")
    conversation = StringProperty(help_text="The client's key of the conversation.")
    derived_from = ArrayProperty(StringProperty(), required=True, help_text="The ids of its sources.")
    metadata = StringProperty(help_text="JSON.")
    client_key = StringProperty()
    client_hash = StringProperty(help_text="A digest of the draft.")
    text_key = StringProperty(required=True, help_text="A digest of the folded text.")
    superseded_by = StringProperty(help_text="The id of the newer memory.")
    importance = FloatProperty(help_text="How important it was for its turn, if a commit selected it.")
    retention = StringProperty(help_text="The type of data by which it is kept, if a commit selected it.")
    retained_until = DateTimeNeo4jFormatProperty(
        index=True, help_text="Until when it is kept, if it is not for ever."
    )
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")

    mentions = MENTIONS.to(ENTITY)
    topics = ON.to(TOPIC)
    sources = RESTS_ON.to(MEMORY)
    passages = PART_OF.from_(PASSAGE)
    newer = SUPERSEDES.from_(REMEMBERED, ZeroOrOne)
    older = SUPERSEDES.to(REMEMBERED, ZeroOrOne)


class Mandate(Remembered):
    """An instruction that must be followed.

    A context reports each essential mandate that does not fit into it.
    """


class Capability(Remembered):
    """Something that the agent can do."""


class Fact(Remembered):
    """Something that is so."""


class Skill(Remembered):
    """How something is done."""


class Episode(Remembered):
    """Something that happened."""


class Message(Remembered):
    """Something that was said in a conversation."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "conversation", "uid"),)

    next = NEXT.to(MESSAGE, ZeroOrOne)
    previous = NEXT.from_(MESSAGE, ZeroOrOne)


class Passage(Memory):
    """A part of a long memory, which is found and shown in its place; it goes when the memory ends.

    Its `kind` is that of the memory with `_passage`, so that searches find passages beside memories.
    """

    accompanies = True

    speaker = StringProperty(help_text="Who said the memory.")
    place = IntegerProperty(required=True, help_text="1 for the first part.")
    total = IntegerProperty(required=True, help_text="How many parts the memory has.")
    start = IntegerProperty(required=True, help_text="The characters of the memory before it.")
    end = IntegerProperty(required=True, help_text="The characters of the memory up to its end.")

    whole = PART_OF.to(REMEMBERED, One)


class Conversation(Node):
    """A conversation of a space: the client's key, and the message after which the next one comes."""

    accompanies = True
    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    # No constraint of its own: every statement finds it by its space.
    uid = StringProperty(required=True)
    key = StringProperty(required=True)
    last_uid = StringProperty(required=True)
    behind = IntegerProperty(
        required=True, index=True, help_text="How many messages were added that its summary does not cover."
    )

    summary = SUMMARISES.from_(SUMMARY, ZeroOrOne)


class Tombstone(Node):
    """A text that was forgotten in a space, as a digest: it is not stored there again."""

    accompanies = True
    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "text_key"),)

    # No constraint of its own: every statement finds it by its space.
    uid = StringProperty(required=True)
    text_key = StringProperty(required=True)
