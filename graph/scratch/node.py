"""Node classes of observations and tags, with their relationships."""

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
    """A tag of one space. Tags whose folded texts are equal are the same tag."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True, help_text="The folded text.")


class Tagged(StructuredRel):
    """A memory has a tag. The ids are copied to the relationship for an index in order of time."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("tag_uid", "memory_uid"),)

    tag_uid = StringProperty(required=True)
    memory_uid = StringProperty(required=True)


class Evidences(Link):
    """An observation is evidence of a goal, a pending action or a story."""

    confidence = FloatProperty(required=True)
    weight = FloatProperty(required=True)
    note = StringProperty()
    position = IntegerProperty(required=True)
    gain = FloatProperty(required=True, help_text="How much the evidence added to the goal's progress.")
    withheld = FloatProperty(help_text="How much it will add when other evidence no longer contradicts it.")
    turn_key = StringProperty()


class Contradicts(Link):
    """An observation contradicts an earlier observation."""

    how = StringProperty(required=True, help_text="declared or detected.")
    kind = StringProperty(help_text="The kind of difference: number, date, unit or negation.")


class Observation(Memory):
    """A note about something that was noticed."""

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
    tags = ArrayProperty(StringProperty(), required=True, help_text="The tags as written.")
    tag_keys = ArrayProperty(StringProperty(), required=True, help_text="The folded tags.")
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
        help_text="A digest of the subject and of the text without numbers, dates, units and negations.",
    )
    text_key = StringProperty(required=True, help_text="A digest of the text and the person it is about.")
    archived_at = DateTimeNeo4jFormatProperty()
    pinned = BooleanProperty(required=True)
    linked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock the observation while it is linked.")

    entity_uids = ArrayProperty(StringProperty(), required=True, help_text="The ids of mentioned entities.")
    entity_names = ArrayProperty(StringProperty(), required=True, help_text="Their names as written.")
    entity_kinds = ArrayProperty(StringProperty(), required=True, help_text="Their kinds; '' if unknown.")

    mentions = RelationshipTo("prefrontal.graph.entities.node.Entity", "MENTIONS", model=Mentions)
    tagged = RelationshipTo("prefrontal.graph.scratch.node.Tag", "TAGGED", model=Tagged)
    goals = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "EVIDENCES", model=Evidences)
    stories = RelationshipTo("prefrontal.graph.cortex.questions.node.Story", "EVIDENCES", model=Evidences)
    actions = RelationshipTo(
        "prefrontal.graph.cortex.actions.node.PendingAction", "EVIDENCES", model=Evidences
    )
    contradicted = RelationshipTo(
        "prefrontal.graph.scratch.node.Observation", "CONTRADICTS", model=Contradicts
    )
