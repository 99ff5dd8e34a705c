"""Observations and their tags."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
    StructuredRel,
)

from prefrontal.graph.entities.node import Mentions
from prefrontal.graph.node import Link, Memory, Node, Properties


class Tag(Node):
    """A tag of one space; equal folded texts are one tag."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True, help_text="The folded text.")


class Tagged(StructuredRel):
    """That a memory carries a tag; the ids are repeated so that an index can walk a tag by time."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("tag_uid", "memory_uid"),)

    tag_uid = StringProperty(required=True)
    memory_uid = StringProperty(required=True)


class Evidences(Link):
    """That an observation speaks for a goal or a story, and how much."""

    confidence = FloatProperty(required=True)
    weight = FloatProperty(required=True)
    note = StringProperty()
    position = IntegerProperty(required=True)
    gain = FloatProperty(required=True, help_text="What it added to the goal's progress.")
    withheld = FloatProperty(help_text="What it will add when nothing contradicts it there any more.")
    turn_key = StringProperty()


class Contradicts(Link):
    """That an observation contradicts an earlier one."""

    how = StringProperty(required=True, help_text="declared or detected.")
    kind = StringProperty(help_text="In what they differ: number, date, unit or negation.")


class Observation(Memory):
    """Something that was noticed."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("scope_id", "goal_key", "uid"),
        ("scope_id", "context_goal_id", "uid"),
        ("status", "expires_at"),
        ("scope_id", "status", "expires_at"),
        ("scope_id", "frame_key", "uid"),
        ("scope_id", "text_key", "uid"),
    )

    type = StringProperty(required=True)
    confidence = FloatProperty(required=True)
    tags = ArrayProperty(StringProperty(), required=True, help_text="As they were written.")
    tag_keys = ArrayProperty(StringProperty(), required=True, help_text="Folded.")
    status = StringProperty(required=True)
    source_kind = StringProperty()
    source_name = StringProperty()
    source_turn_id = StringProperty()
    source_timestamp = DateTimeNeo4jFormatProperty()
    context_goal_id = StringProperty()
    goal_key = StringProperty()
    user_id = StringProperty()
    ttl_minutes = FloatProperty(required=True)
    metadata = StringProperty(help_text="JSON.")
    client_key = StringProperty()
    client_hash = StringProperty()
    frame_key = StringProperty(
        required=True,
        help_text="A digest of what it says of whom, but for numbers, dates, units and negations.",
    )
    text_key = StringProperty(required=True, help_text="Equal for equal texts about the same person.")
    archived_at = DateTimeNeo4jFormatProperty()
    pinned = BooleanProperty(required=True)
    linked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock it while something is built on it.")

    entity_uids = ArrayProperty(StringProperty(), required=True, help_text="Of the entities it mentions.")
    entity_names = ArrayProperty(StringProperty(), required=True, help_text="As they were written, as many.")
    entity_kinds = ArrayProperty(StringProperty(), required=True, help_text="As many; empty where unknown.")

    mentions = RelationshipTo("prefrontal.graph.entities.node.Entity", "MENTIONS", model=Mentions)
    tagged = RelationshipTo("prefrontal.graph.scratch.node.Tag", "TAGGED", model=Tagged)
    goals = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "EVIDENCES", model=Evidences)
    stories = RelationshipTo("prefrontal.graph.cortex.questions.node.Story", "EVIDENCES", model=Evidences)
    contradicted = RelationshipTo(
        "prefrontal.graph.scratch.node.Observation", "CONTRADICTS", model=Contradicts
    )
